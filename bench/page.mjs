// What a seek and an edit cost on the page, in Chromium: the script that runs before the next frame
// can be painted; when the first paint is; and for how long at most the page is held up while a run
// of 100,000 events is opened, searched and magnified. `npm run bench:page`

/* global document, requestAnimationFrame */
import { chromium } from 'playwright-core';
import { findBrowser } from '../scripts/browser.mjs';
import { longScenario } from '../tests/web/long.js';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PAGE = pathToFileURL(fileURLToPath(new URL('../dist/fencelock.html', import.meta.url))).href;
const SEEKS = 300;
const EDITS = 60;
const PAINTS = 7;
const OPENINGS = 5;
const TARGETS = { seek: 4, edit: 16, paint: 1000, block: 50 };

const executablePath = findBrowser();

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const nearWorst = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * 0.95)];

/** Milliseconds of script for each of many seeks, to places all over the run. */
const measureSeeks = (page) =>
  page.evaluate(async (count) => {
    const slider = document.querySelector('[aria-label="Time"]');
    const costs = [];
    for (let i = 0; i < count; i += 1) {
      slider.value = String(Number(slider.max) * ((i * 0.618034) % 1));
      const before = performance.now();
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      costs.push(performance.now() - before);
      if (i % 10 === 0) await new Promise(requestAnimationFrame);
    }
    return costs;
  }, SEEKS);

/** Milliseconds of script for each of many edits, with the run in the core. */
const measureEdits = (page) =>
  page.evaluate(async (count) => {
    const field = document.querySelector('[aria-label="Lease seconds"]');
    const costs = [];
    const first = Number(field.value);
    for (let i = 0; i < count; i += 1) {
      field.value = String(first + ((i % 10) + 1) * 0.1);
      const before = performance.now();
      field.dispatchEvent(new Event('change', { bubbles: true }));
      costs.push(performance.now() - before);
      await new Promise(requestAnimationFrame);
    }
    return costs;
  }, EDITS);

/** Milliseconds from the opening of the page to its first paint, for several openings. */
async function measurePaints(page) {
  const costs = [];
  for (let i = 0; i < PAINTS; i += 1) {
    await page.reload();
    await page.locator('[data-ready]').waitFor();
    const painted = await page.waitForFunction(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    );
    costs.push(await painted.jsonValue());
  }
  return costs;
}

/** The longest task of the page's main thread in a trace: milliseconds of that thread's own time. */
function longestTask({ traceEvents }) {
  const main = traceEvents.find(
    ({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain',
  );
  const times = traceEvents
    .filter(({ ph, pid, tid }) => ph === 'X' && pid === main.pid && tid === main.tid)
    .map(({ tdur = 0 }) => tdur / 1000);
  return Math.max(...times);
}

/** For how long the page is held up at most, each time that a long run is opened and walked through. */
async function measureBlocks(page) {
  const file = {
    name: 'long.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(longScenario(1500))),
  };
  const costs = [];
  for (let i = 0; i < OPENINGS; i += 1) {
    await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
    await page.getByLabel('Open a scenario or a history').setInputFiles(file);
    await page.locator('.working').waitFor();
    await page.locator('.working').waitFor({ state: 'detached', timeout: 60_000 });
    for (const key of ['End', 'ArrowLeft', 'Home', '+', '+', '+', '0']) {
      await page.keyboard.press(key);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    const trace = await browser.stopTracing();
    costs.push(longestTask(JSON.parse(trace.toString())));
  }
  return costs;
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const rows = [];

async function on(hash, body) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(PAGE + hash);
  await page.locator('[data-ready]').waitFor();
  const costs = await body(page);
  const [, events] = /of (\d+)/.exec(await page.locator('.count').innerText());
  await page.close();
  return { events, median: median(costs), nearWorst: nearWorst(costs) };
}

rows.push({
  what: 'paint',
  run: 'lesson',
  target: TARGETS.paint,
  ...(await on('', measurePaints)),
});
for (const seed of [4, 7, 11]) {
  const cost = await on(`#suite=chaos&seed=${seed}`, measureSeeks);
  rows.push({ what: 'seek', run: `chaos seed ${seed}`, target: TARGETS.seek, ...cost });
}
const presets = ['lesson', 'unfenced', 'late-release', 'partition', 'clock-skew', 'crash'];
for (const preset of [...presets, 'delayed-duplicate', 'lost-update']) {
  const cost = await on(`#preset=${preset}`, measureEdits);
  rows.push({ what: 'edit', run: preset, target: TARGETS.edit, ...cost });
}
rows.push({
  what: 'block',
  run: 'a long run',
  target: TARGETS.block,
  ...(await on('', measureBlocks)),
});
await browser.close();

if (process.argv.includes('--json')) {
  console.log(JSON.stringify(rows, null, 2));
} else {
  for (const { what, run, events, median: typical, nearWorst: worst, target } of rows) {
    const times = `median ${typical.toFixed(2)} ms, 95 % below ${worst.toFixed(2)} ms`;
    console.log(
      `${what.padEnd(5)} ${run.padEnd(18)} ${events} events: ${times} (target ${target} ms)`,
    );
  }
}
process.exitCode = rows.some((row) => row.median > row.target) ? 1 : 0;
