// The page in a real browser: what it shows at instants, and what can be done with it.

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { presets, toLink } from 'fencelock/simulator';
import { bodyText, controls, seek, setUpBrowser } from './browser.js';

const { open } = setUpBrowser();
const CORRUPTED = 'CORRUPTED DATA';

describe.each([
  ['served', false],
  ['from disk', true],
])('the page %s', (_, disk) => {
  test('opens on the lesson, at its beginning, and nothing moves until asked', async () => {
    const page = await open({ disk });
    const { scenario, time, timeline } = controls(page);
    await expect(scenario.inputValue()).resolves.toBe('lesson');
    expect(await timeline.innerText()).toContain('33 < 34');
    const before = await time.inputValue();
    await page.waitForTimeout(400);
    expect(await time.inputValue()).toBe(before);
    expect(Number(before)).toBe(0);
  });

  test('says at each instant who holds, who believes, and what is stored', async () => {
    const page = await open({ disk });
    const { state } = controls(page);
    await seek(page, 5);
    expect(await state.innerText()).toMatch(/held by client 1/);
    await seek(page, 12);
    expect(await state.innerText()).toMatch(/held by client 2/);
    expect(await state.innerText()).toMatch(
      /client 1[^\n]*\s+.*believes it holds the lock, but does not/,
    );
    await seek(page, 20);
    expect(await state.innerText()).toMatch(/fence_token\s*34/);
  });

  test('without fencing the stale write lands, and from then on the data is corrupted', async () => {
    const page = await open({ disk });
    const { fencing, state } = controls(page);
    await seek(page, 15.9);
    expect(await bodyText(page)).not.toContain(CORRUPTED);
    await seek(page, 20);
    expect(await bodyText(page)).not.toContain(CORRUPTED);
    await fencing.uncheck();
    expect(await state.innerText()).toContain(CORRUPTED);
    expect(await state.innerText()).toMatch(/fence_token\s*33/);
    await seek(page, 15.9);
    expect(await bodyText(page)).not.toContain(CORRUPTED);
    await seek(page, 20);
    await fencing.check();
    expect(await bodyText(page)).not.toContain(CORRUPTED);
  });
});

test('data that was corrupted once is told so even when a later write covers it', async () => {
  const lesson = presets.find((preset) => preset.name === 'lesson').scenario;
  const third = { id: 'client 3', start: 22, work: 1 };
  const document = { ...lesson, fencing: 'off', clients: [...lesson.clients, third] };
  const page = await open({ hash: toLink({ document, time: 0, index: 0, hash: '' }) });
  await page.keyboard.press('End');
  expect(await controls(page).state.innerText()).toMatch(/write 1 of client 3/);
  expect(await controls(page).state.innerText()).toContain(CORRUPTED);
  await seek(page, 15);
  expect(await bodyText(page)).not.toContain(CORRUPTED);
});

describe('the single file', () => {
  const file = readFileSync(new URL('../../dist/fencelock.html', import.meta.url));

  test('is below 150 kB compressed, and asks for nothing else', async () => {
    expect(gzipSync(file).length).toBeLessThan(150_000);
    const page = await open({ disk: true });
    const asked = await page.evaluate(() =>
      performance.getEntriesByType('resource').map((entry) => entry.name),
    );
    expect(asked.filter((name) => !/^(data|blob):/.test(name))).toEqual([]);
  });
});

describe('moving in time', () => {
  test('the slider says the event that the list marks', async () => {
    const page = await open();
    const { next, events, time } = controls(page);
    for (let i = 0; i < 4; i += 1) await next.click();
    const current = events.locator('[aria-current]');
    await expect(current.count()).resolves.toBe(1);
    const fourth = events.locator('li').nth(3);
    expect(await current.innerText()).toBe(await fourth.innerText());
    expect(await time.getAttribute('aria-valuetext')).toContain(
      (await fourth.locator('.told').innerText()).trim(),
    );
  });

  test('playing stops at the end', async () => {
    const page = await open();
    const { play, time } = controls(page);
    const end = Number(await time.getAttribute('max'));
    await seek(page, end - 0.1);
    await play.click();
    await play.waitFor();
    expect(Number(await time.inputValue())).toBe(end);
  });

  test.each([
    [false, 'runs so many seconds a second'],
    [true, 'goes event by event'],
  ])('playing, with less motion %s, %s, by the speed', async (reduced) => {
    const page = await open({ reduced });
    const { play, pause, time } = controls(page);
    const count = async () => Number.parseInt(await page.locator('.count').innerText(), 10);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 10_000);
    const reached = [];
    for (const speed of ['1×', '5×']) {
      await page.keyboard.press('Home');
      await page.getByRole('combobox', { name: 'Speed' }).selectOption(speed);
      await play.click();
      await page.clock.runFor(1950);
      await pause.click();
      reached.push({ time: Number(await time.inputValue()), count: await count() });
    }
    const [slow, fast] = reached;
    if (reduced) expect([slow.count, fast.count]).toEqual([3, 14]);
    // The first frame of a play tells when it began, and passes no time.
    else expect(Math.abs(fast.time / slow.time - 5)).toBeLessThan(0.1);
    if (!reduced) expect(slow.time).toBeCloseTo(1.95, 1);
  });
});

test('playing goes on where it was after a time without frames', async () => {
  const page = await open();
  const { play, time } = controls(page);
  const frame = (stamp) => page.evaluate((at) => window.frames.shift()(at), stamp);
  await page.evaluate(() => {
    window.frames = [];
    window.requestAnimationFrame = (callback) => window.frames.push(callback);
  });
  await play.click();
  const given = [1000, 1016, 5016, 5032];
  for (const stamp of given) await frame(stamp);
  expect(Number(await time.inputValue())).toBeLessThan(0.3);
  expect(Number(await time.inputValue())).toBeGreaterThan(0.05);
});

test('keys typed into a field stay there', async () => {
  const page = await open();
  const { seed, time } = controls(page);
  await seek(page, 5);
  await seed.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  expect(Number(await time.inputValue())).toBe(5);
});

describe('which run', () => {
  test('scenarios can be chosen', async () => {
    const page = await open();
    const { scenario, events } = controls(page);
    const names = await scenario
      .locator('option')
      .evaluateAll((all) => all.map((one) => one.value));
    expect(names.length).toBeGreaterThanOrEqual(3);
    const seen = new Set();
    for (const name of names) {
      await scenario.selectOption(name);
      expect(await scenario.inputValue()).toBe(name);
      seen.add(await events.innerText());
    }
    expect(seen.size).toBeGreaterThan(names.length - 2);
  });

  test('the same seed is the same run', async () => {
    const page = await open({ hash: '#suite=chaos&seed=3' });
    const { nextSeed, seed, events } = controls(page);
    const third = await events.innerText();
    await nextSeed.click();
    expect(await events.innerText()).not.toBe(third);
    await seed.fill('3');
    await seed.press('Enter');
    expect(await events.innerText()).toBe(third);
  });

  test('a link whose trace differs says so', async () => {
    const page = await open();
    await controls(page).copyLink.click();
    const { hash } = new URL(page.url());
    const other = await open({ hash: hash.replace(/trace=\w+/, 'trace=0000000000000000') });
    expect(await other.getByRole('status').first().innerText()).toContain('another build');
  });

  test('a broken link says so and shows the lesson', async () => {
    const page = await open({ hash: '#scenario=@@@' });
    expect(await page.getByRole('alert').innerText()).toContain('broken');
    expect(await controls(page).scenario.inputValue()).toBe('lesson');
  });
});
