// What those stumbled over who saw the page for the first time.

import { readFileSync } from 'node:fs';
import { controls, seek, setUpBrowser } from './browser.js';

const { open } = setUpBrowser();

const button = (page, name) => page.getByRole('button', { name, exact: true });
const disc = (page, number) => page.locator('[data-part="figure"] .mark-disc').nth(number - 1);
const step = (page, number) => page.locator('.story button').nth(number - 1);
const count = (page) => page.locator('.count').innerText();
const isFocused = (locator) => locator.evaluate((one) => one === document.activeElement);
const ticks = (page) => page.locator('[data-part="figure"] .axis .tick text').allTextContents();

describe('the numbers on the picture', () => {
  test.each([
    [1440, false],
    [360, true],
  ])('lead where those below it lead, at %i pixels', async (width, touch) => {
    const page = await open({ width, touch });
    for (const number of [5, 3, 1]) {
      await step(page, number).evaluate((one) => one.click());
      const expected = await count(page);
      await page.keyboard.press('Home');
      const { x, y, width: size } = await disc(page, number).boundingBox();
      if (touch) await page.touchscreen.tap(x + size / 2, y + size / 2);
      else await page.mouse.click(x + size / 2, y + size / 2);
      expect(await count(page)).toBe(expected);
    }
  });
});

describe('what has happened stands out', () => {
  const faint = (page, selector) =>
    page.locator(`[data-part="figure"] ${selector}`).evaluateAll((all) =>
      all.map((one) => {
        const { veil, svg } = { veil: one.ownerSVGElement.querySelector('.veil'), svg: one };
        const isOver = veil.compareDocumentPosition(svg) & Node.DOCUMENT_POSITION_FOLLOWING;
        return Boolean(!isOver || one.classList.contains('ahead'));
      }),
    );

  test('the rejection is faint until its event, and then not', async () => {
    const page = await open();
    const marks = '.bounces path, .label.comparison';
    await step(page, 4).click();
    expect(await faint(page, marks)).toEqual([true, true, true]);
    await step(page, 5).click();
    expect(await faint(page, marks)).toEqual([false, false, false]);
    await page.keyboard.press('Home');
    expect(await faint(page, marks)).toEqual([false, false, false]);
  });

  test('the names of the lanes are never faint', async () => {
    const page = await open();
    await seek(page, 0.005);
    expect(await faint(page, '.lane-name')).toEqual([false, false, false, false]);
    expect(await faint(page, '.gap-label')).toEqual([true]);
  });
});

describe('going back', () => {
  test('undo leaves no ghost, redo does', async () => {
    const page = await open();
    const ghost = page.locator('.ghost-note');
    await page.keyboard.press('x');
    await ghost.waitFor();
    await button(page, 'Undo').click();
    expect(await ghost.count()).toBe(0);
    await button(page, 'Redo').click();
    await ghost.waitFor();
  });

  test('fencing switched off and on again is no edit', async () => {
    const page = await open();
    const edited = page.getByText('edited', { exact: true });
    await page.keyboard.press('x');
    expect(await edited.count()).toBe(1);
    await page.keyboard.press('x');
    expect(await edited.count()).toBe(0);
  });

  test('a button that can be pressed no more keeps the focus, and does nothing', async () => {
    const page = await open();
    await page.keyboard.press('x');
    const undo = button(page, 'Undo');
    await undo.focus();
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('Enter');
    expect(await isFocused(undo)).toBe(true);
    expect(await undo.isDisabled()).toBe(true);
    expect(await controls(page).fencing.isChecked()).toBe(true);
    await page.keyboard.press('ArrowRight');
    await controls(page).previous.focus();
    for (let i = 0; i < 3; i += 1) await page.keyboard.press(' ');
    expect(await isFocused(controls(page).previous)).toBe(true);
    expect(await controls(page).time.inputValue()).toBe('0');
    expect(await controls(page).pause.count()).toBe(0);
  });
});

describe('magnified', () => {
  test('at rest it goes to where something happens', async () => {
    const page = await open();
    for (let i = 0; i < 3; i += 1) await button(page, 'Zoom in').click();
    expect(await page.locator('[data-part="figure"] .label.mark').allTextContents()).toEqual(['5']);
  });

  test('a wheel turned sideways moves it along, and no further than the run', async () => {
    const page = await open();
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('+');
    const { x, y } = await page.locator('[data-part="figure"]').boundingBox();
    await page.mouse.move(x + 500, y + 100);
    const before = await ticks(page);
    await page.mouse.wheel(-300, 0);
    await page.waitForFunction(
      (old) => document.querySelector('.axis .tick text').textContent !== old,
      before[0],
    );
    await page.mouse.wheel(-9000, 0);
    await page.waitForFunction(
      () => parseFloat(document.querySelector('.axis .tick text').textContent) === 0,
    );
    const scrolled = await page.evaluate(() => window.scrollY);
    await page.mouse.wheel(0, 100);
    await page.waitForFunction((top) => window.scrollY > top, scrolled);
  });
});

test('a partition shows where it can be taken hold of', async () => {
  const page = await open({ hash: '#preset=partition' });
  const ends = page.locator('[data-part="figure"] .handle.grip .knob');
  expect(await ends.count()).toBe(2);
  for (const end of await ends.all()) expect(await end.isVisible()).toBe(true);
});

test('the saved picture is of the whole run, says how it ended, and has nothing to drag', async () => {
  const page = await open();
  await seek(page, 5);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    button(page, 'Save picture as SVG').click(),
  ]);
  const svg = readFileSync(await file.path(), 'utf8');
  expect(svg).toMatch(/<title>Fenced\. At 16\.03 s/);
  expect(svg).toContain('33 &lt; 34');
  expect(svg).not.toContain('5.00 s');
  expect(svg).not.toMatch(/opacity="0\.45"/);
});
