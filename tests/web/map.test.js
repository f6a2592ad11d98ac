// The map of pauses: beside the picture that its cells change, and large enough for a finger.

import { presets } from 'fencelock/simulator';
import { gridOf, gridSize } from '../../web/view/map.js';
import { controls, setUpBrowser, WIDTHS } from './browser.js';
import { handle, pathFrom, pull } from './hands.js';

const { open } = setUpBrowser();

const toggle = (page) => page.getByRole('button', { name: 'Map of pauses' });
const grid = (page) => page.getByRole('grid', { name: 'Map of pauses' });
const bottomOf = ({ y, height }) => y + height;
const scrolled = (page) => page.evaluate(() => window.scrollY);

async function openMap(page) {
  await toggle(page).click();
  await page.locator('.map progress').waitFor({ state: 'detached' });
}

/** What share of the picture's height is in the window. */
const seen = (page) =>
  page.locator('[data-part="figure"]').evaluate((one) => {
    const { top, bottom, height } = one.getBoundingClientRect();
    return (Math.min(bottom, window.innerHeight) - Math.max(top, 0)) / height;
  });

const isInWindow = async (page, one) => {
  const box = await one.boundingBox();
  const { height } = page.viewportSize();
  return box.y >= 0 && bottomOf(box) <= height;
};

const focused = (page) => page.evaluate(() => document.activeElement.dataset.cell);

test('the grid has a size of its own, and covers the lease', () => {
  const [{ scenario }] = presets;
  for (const [wide, low] of [
    [true, false],
    [true, true],
    [false, false],
  ]) {
    const size = gridSize({ wide, low });
    const { starts, lengths } = gridOf(scenario, size);
    expect([starts.length, lengths.length]).toEqual([size.columns, size.rows]);
    expect(starts.at(-1)).toBeGreaterThan(scenario.lease);
    expect(lengths[0]).toBeGreaterThanOrEqual(2 * scenario.lease);
  }
});

test.each(WIDTHS)('opens between player and state, in sight, at %i pixels', async (width) => {
  const page = await open({ width });
  const story = page.locator('.story');
  expect(await story.isVisible()).toBe(true);
  await openMap(page);
  const top = (await grid(page).boundingBox()).y;
  expect(top).toBeGreaterThan(bottomOf(await controls(page).play.boundingBox()));
  expect(top).toBeLessThan((await controls(page).state.boundingBox()).y);
  expect(await story.isVisible()).toBe(false);
  expect(top).toBeLessThan(page.viewportSize().height - 100);
  expect(await seen(page)).toBeGreaterThan(0.8);
  if (width > 700) expect(await isInWindow(page, grid(page))).toBe(true);
  expect(await focused(page)).toMatch(/^\d+ \d+$/);
  await toggle(page).click();
  expect(await story.isVisible()).toBe(true);
});

test('its axes say what they are', async () => {
  const page = await open();
  await openMap(page);
  const [up, across] = await page.locator('.map .axis-title').all();
  expect(await up.innerText()).toBe('pause lasts');
  expect(await across.innerText()).toBe('pause starts at');
  expect((await up.boundingBox()).y).toBeLessThan((await grid(page).boundingBox()).y);
  expect((await across.boundingBox()).y).toBeGreaterThan((await grid(page).boundingBox()).y);
});

test.each([320, 360, 768, 1440])('its cells have room for a finger at %i pixels', async (width) => {
  const page = await open({ width });
  await openMap(page);
  const box = await page.locator('[data-cell="2 1"]').boundingBox();
  expect(Math.max(box.width, box.height)).toBeGreaterThanOrEqual(24);
  expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(20);
});

test.each([360, 1440])('a cell changes a picture that is in sight, %i', async (width) => {
  const page = await open({ width });
  await openMap(page);
  const before = await scrolled(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator('.ghost-note').waitFor();
  expect(await scrolled(page)).toBe(before);
  const here = await focused(page);
  const cell = page.locator(`[data-cell="${here}"]`);
  expect(await cell.getAttribute('aria-current')).toBe('true');
  await cell.evaluate((one) => one.scrollIntoView({ block: 'start' }));
  expect(await seen(page)).toBeLessThan(0.5);
  await page.keyboard.press('ArrowDown');
  const next = page.locator(`[data-cell="${await focused(page)}"]`);
  await page.keyboard.press('Enter');
  expect(await seen(page)).toBeGreaterThan(0.5);
  expect(await isInWindow(page, next)).toBe(true);
  expect(await next.evaluate((one) => one === document.activeElement)).toBe(true);
});

test('while the lease is dragged the map is old, and is computed once when it is let go', async () => {
  const page = await open();
  await openMap(page);
  await page.evaluate(() => {
    const { Worker: Real } = window;
    window.workers = 0;
    window.Worker = class extends Real {
      constructor(...given) {
        super(...given);
        window.workers += 1;
      }
    };
  });
  const waiting = page.locator('.map td .waiting');
  await pull(page, await pathFrom(page, handle('lease the lock 33'), -4));
  expect(await waiting.count()).toBe(24 * 12);
  expect(await page.evaluate(() => window.workers)).toBe(0);
  await page.mouse.up();
  expect(Number(await controls(page).spin('Lease seconds').inputValue())).toBeLessThan(8);
  await page.locator('.map td .rejected').first().waitFor();
  await page.locator('.map progress').waitFor({ state: 'detached' });
  expect(await page.evaluate(() => window.workers)).toBe(1);
  expect(await waiting.count()).toBe(0);
});

test('a drag that is taken back leaves the map as it was', async () => {
  const page = await open();
  await openMap(page);
  const cells = () =>
    page.locator('.map td .cell').evaluateAll((all) => all.map((one) => one.className));
  const before = await cells();
  await pull(page, await pathFrom(page, handle('lease the lock 33'), -4));
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await page.locator('.map td .rejected').first().waitFor();
  await page.locator('.map progress').waitFor({ state: 'detached' });
  expect(await cells()).toEqual(before);
});

test('the map is one stop for Tab, where the arrows have led', async () => {
  const page = await open();
  await openMap(page);
  const stops = () =>
    page
      .locator('.map td .cell')
      .evaluateAll((all) =>
        all.filter((one) => one.tabIndex === 0).map(({ dataset }) => dataset.cell),
      );
  const [first, ...more] = await stops();
  expect(more).toEqual([]);
  const [row, column] = first.split(' ').map(Number);
  await page.locator(`[data-cell="${first}"]`).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  const led = `${row + 1} ${column + 1}`;
  expect(await stops()).toEqual([led]);
  await controls(page).fencing.uncheck();
  await page.locator('.map progress').waitFor({ state: 'detached' });
  expect(await stops()).toEqual([led]);
  await controls(page).spin('Pause length of client 1').fill('5');
  await controls(page).spin('Pause length of client 1').press('Enter');
  expect(await stops()).toEqual([
    await page.locator('.map [aria-current="true"]').getAttribute('data-cell'),
  ]);
});
