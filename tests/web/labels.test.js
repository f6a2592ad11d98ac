// No label overlaps another, and nothing is cut off: every preset and 50 chaos seeds, at three widths,
// as the browser lays them out.

import { presets, toLink } from 'fencelock/simulator';
import { setUpBrowser, WIDTHS } from './browser.js';

const { open } = setUpBrowser();
const SEEDS = 50;

/** Opens an address in the page that is there, with the playhead at the end. */
async function show(page, hash) {
  await page.evaluate(async (address) => {
    location.hash = address;
    await new Promise((resolve) =>
      window.addEventListener('hashchange', () => setTimeout(resolve), { once: true }),
    );
    const slider = document.querySelector('[aria-label="Time"]');
    slider.value = slider.max;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  }, hash);
}

/** What is wrong with the texts of the page: overlaps and texts cut off, in words. */
const faultsOn = (page) =>
  page.evaluate(() => {
    const found = [];
    const slack = 0.75;
    for (const figure of document.querySelectorAll('.figure')) {
      const around = figure.getBoundingClientRect();
      const texts = [...figure.querySelectorAll('text')]
        .map((text) => ({ words: text.textContent, box: text.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0);
      for (const [i, { words, box }] of texts.entries()) {
        if (
          box.left < Math.min(around.left, 0) - slack ||
          box.right > Math.max(around.right, document.documentElement.clientWidth) + slack ||
          box.top < around.top - slack ||
          box.bottom > around.bottom + slack
        ) {
          found.push(`"${words}" is cut off`);
        }
        for (const other of texts.slice(i + 1)) {
          const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
          const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
          if (across > slack && down > 2 + slack)
            found.push(`"${words}" and "${other.words}" overlap`);
        }
      }
    }
    for (const element of document.querySelectorAll(
      'button, td, th, p, li, label, h1, h2, legend, code',
    )) {
      if (element.closest('.hidden, .map, .events ol') || element.clientWidth === 0) continue;
      if (element.scrollWidth > element.clientWidth + 1)
        found.push(`"${element.textContent.trim()}" is cut off`);
    }
    if (document.documentElement.scrollWidth > document.documentElement.clientWidth) {
      found.push('the page is wider than the window');
    }
    return found;
  });

describe.each(WIDTHS)('at %i pixels', (width) => {
  test('the presets, with fencing, without, and as twins', async () => {
    const page = await open({ width });
    const found = [];
    for (const { name } of presets) {
      await show(page, `preset=${name}`);
      found.push(...(await faultsOn(page)).map((fault) => `${name}: ${fault}`));
      await page.keyboard.press('x');
      found.push(...(await faultsOn(page)).map((fault) => `${name}, other rule: ${fault}`));
      await page.keyboard.press('d');
      found.push(...(await faultsOn(page)).map((fault) => `${name}, twins: ${fault}`));
      await page.keyboard.press('d');
    }
    expect(found).toEqual([]);
  }, 60_000);

  test('names that are long, strange, or alike', async () => {
    const ids = [
      'the nightly reconciliation job of the north',
      'клиент 🔒',
      'w'.repeat(60),
      ' ',
      '<b>&amp;',
    ];
    const clients = ids.map((id, index) => ({
      id,
      start: index,
      work: 2,
      lock: index % 2 ? 'inventory-of-warehouse-seventeen' : 'b',
      key: index % 2 ? `${'key '.repeat(12)}` : 'k',
    }));
    const faults = [{ kind: 'pause', node: ids[0], from: 1, to: 16 }];
    const document = { version: 1, lease: 5, fencing: 'off', clients, faults };
    const page = await open({ width });
    await show(page, toLink({ document, time: 0, index: 0, hash: '' }));
    expect(await faultsOn(page)).toEqual([]);
  });

  test(`${SEEDS} chaos seeds`, async () => {
    const page = await open({ width });
    const found = [];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      await show(page, `suite=chaos&seed=${seed}`);
      found.push(...(await faultsOn(page)).map((fault) => `seed ${seed}: ${fault}`));
    }
    expect(found).toEqual([]);
  }, 120_000);
});
