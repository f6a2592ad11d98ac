// The map of pauses: beside the picture that its cells change, and large enough for a finger.

import { presets } from 'fencelock/simulator';
import { gridOf, gridSize } from '../../web/view/map.js';
import { controls, setUpBrowser, WIDTHS } from './browser.js';

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
