// Editing the past on the page, and files; actions.js has each action by mouse, touch and keyboard.

import { readFileSync } from 'node:fs';
import { controls, seek, setUpBrowser } from './browser.js';
import { dragged as dragBy, give, handle, pathFrom, pull } from './hands.js';
import { longScenario } from './long.js';

const { open } = setUpBrowser();
const CORRUPTED = 'CORRUPTED DATA';

const figure = (page) => page.locator('[data-part="figure"] svg');
const ghosts = (page) => page.locator('.ghosts > *');
const verdict = (page) => page.locator('[data-part="verdict"]');

const dragged = (page, name, seconds) => dragBy(name, seconds, {}).mouse(page);

describe('the pause of the lesson', () => {
  test('dragged from 16 s to 9 s, the rejected write is accepted while dragging', async () => {
    const page = await open();
    await seek(page, 30);
    expect(await figure(page).textContent()).toContain('33 < 34');
    const eventsBefore = await controls(page).events.innerText();
    await pull(page, await pathFrom(page, handle('end 0'), -7));
    expect(await verdict(page).innerText()).not.toContain('Fenced');
    expect(await figure(page).textContent()).not.toContain('33 < 34');
    expect(await controls(page).events.innerText()).toMatch(
      /accepts client 1’s write to the file with token 33/,
    );
    expect(await ghosts(page).count()).toBeGreaterThan(2);
    await page.mouse.up();
    expect(Number(await controls(page).spin('Pause length of client 1').inputValue())).toBeCloseTo(
      8,
      0,
    );
    expect(await ghosts(page).count()).toBeGreaterThan(2);
    expect(await page.locator('[data-part="figure"] .difference').count()).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await figure(page).textContent()).toContain('33 < 34');
    expect(await controls(page).events.innerText()).toBe(eventsBefore);
    await page.getByRole('button', { name: 'Redo' }).click();
    expect(await figure(page).textContent()).not.toContain('33 < 34');
  });

  test('one drag is one step to undo', async () => {
    const page = await open();
    await dragged(page, 'end 0', -3);
    await dragged(page, 'start 0', 1);
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.click();
    expect(Number(await controls(page).spin('Pause start of client 1').inputValue())).toBe(1);
    await undo.click();
    expect(Number(await controls(page).spin('Pause length of client 1').inputValue())).toBe(15);
    expect(await undo.isDisabled()).toBe(true);
  });

  test('a click on it, without moving, only moves the playhead', async () => {
    const page = await open();
    const [{ x, y }] = await pathFrom(page, handle('end 0'), 0);
    await page.mouse.click(x, y);
    expect(Number(await controls(page).time.inputValue())).toBeCloseTo(16, 0);
    expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true);
  });
});

test('the first event that differs is marked in the list, by a word too', async () => {
  const page = await open();
  const marked = controls(page).events.locator('.differs');
  expect(await marked.count()).toBe(0);
  await controls(page).spin('Pause length of client 1').fill('8');
  await controls(page).spin('Pause length of client 1').press('Enter');
  expect(await marked.count()).toBe(1);
  expect(await marked.locator('.when').innerText()).toBe('9.00');
  expect(await marked.innerText()).toContain('first difference');
  await page.getByRole('button', { name: 'Hide it' }).click();
  expect(await marked.count()).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('checkbox', { name: 'Twin' }).check();
  expect(await marked.innerText()).toMatch(/^15\.|^16\./);
  expect(await marked.innerText()).toContain('first difference');
});

test('a value that cannot be is refused with the field, and the run stays', async () => {
  const page = await open();
  const before = await controls(page).events.innerText();
  const field = controls(page).spin('Clock rate of client 1');
  await field.fill('0');
  await field.press('Enter');
  expect(await page.getByRole('alert').innerText()).toBe('A clock rate must be above 0.');
  expect(await controls(page).events.innerText()).toBe(before);
  expect(await field.inputValue()).toBe('1');
});

describe('twin and zoom', () => {
  test('the twin shows both rules under one playhead', async () => {
    const page = await open();
    await page.keyboard.press('d');
    const twin = page.locator('[data-part="twin"] svg');
    await twin.waitFor();
    expect(await page.locator('.difference').count()).toBe(2);
    await seek(page, 15);
    expect(await page.locator('body').textContent()).not.toContain(CORRUPTED);
    await seek(page, 17);
    expect(await twin.textContent()).toContain(CORRUPTED);
    expect(await figure(page).textContent()).not.toContain(CORRUPTED);
    expect(await controls(page).state.innerText()).toContain(CORRUPTED);
    await page.getByRole('checkbox', { name: 'Twin' }).uncheck();
    expect(await twin.count()).toBe(0);
  });

  test('a magnified stretch follows the playhead', async () => {
    const page = await open();
    const ticks = () => page.locator('[data-part="figure"] .axis .tick text').allTextContents();
    await seek(page, 11);
    for (let i = 0; i < 4; i += 1) await page.keyboard.press('+');
    const inside = await ticks();
    await seek(page, 2);
    expect(await ticks()).not.toEqual(inside);
  });
});

describe('files', () => {
  const save = async (page, what) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `Save ${what}` }).click(),
    ]);
    return readFileSync(await download.path(), 'utf8');
  };

  test('what is saved opens again', async () => {
    const page = await open();
    await controls(page).spin('Pause length of client 1').fill('8');
    await controls(page).spin('Pause length of client 1').press('Enter');
    await page.getByRole('button', { name: 'Hide it' }).click();
    const events = await controls(page).events.innerText();
    const scenario = await save(page, 'scenario');
    const trace = await save(page, 'trace as JSON lines');
    const other = await open({ disk: true });
    await give(other, 'mine.json', scenario);
    await other
      .getByRole('combobox', { name: 'Scenario' })
      .locator('option:checked', { hasText: 'mine.json' })
      .waitFor({ state: 'attached' });
    expect(await controls(other).events.innerText()).toBe(events);
    await give(other, 'trace.jsonl', trace);
    await other.getByText('A history has no schedule to edit.').waitFor();
    expect(await controls(other).events.innerText()).toBe(events);
    expect(await controls(other).fencing.isDisabled()).toBe(true);
    expect(await controls(other).fencing.isChecked()).toBe(false);
  });

  test('the picture is an SVG by itself', async () => {
    const page = await open();
    const svg = await save(page, 'picture');
    const alone = await page.context().newPage();
    await alone.setContent(svg);
    expect(await alone.locator('svg').textContent()).toContain('33 < 34');
    expect(svg).not.toMatch(/class=|data-|var\(/);
    const perfetto = JSON.parse(await save(page, 'trace for Perfetto'));
    expect(perfetto.traceEvents.length).toBeGreaterThan(40);
    expect(await page.locator('.command code').innerText()).toBe('npx fencelock run lesson');
  });

  test.each([
    ['broken.json', '{\n "version": 1,\n "clients": [ }', /broken\.json: line 3: not JSON/],
    [
      'foreign.json',
      '{\n "version": 1,\n "clients": [\n  { "id": "a",\n   "work": "long" }\n ]\n}',
      /line 5, field "clients\[0\]\.work": expected .*, got "long"/,
    ],
    [
      'trace.jsonl',
      '{"time":0,"node":"A","kind":"start"}\n{"time":"x","node":"A","kind":"start"}',
      /line 2, field "time": expected a finite number/,
    ],
  ])('%s is refused with the line and the field', async (name, text, message) => {
    const page = await open();
    const before = await controls(page).events.innerText();
    await give(page, name, text);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toMatch(message);
    expect(await controls(page).events.innerText()).toBe(before);
  });

  test('a run of 100,000 events opens without freezing the page, and can be stopped', async () => {
    const page = await open();
    const text = JSON.stringify(longScenario(1500));
    await give(page, 'long.json', text);
    await page.getByRole('button', { name: 'Stop' }).click();
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    await page.evaluate(() => {
      window.framesPainted = 0;
      const frame = () => {
        window.framesPainted += 1;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    });
    await give(page, 'long.json', text);
    await page.locator('.count', { hasText: /of 1\d{5}$/ }).waitFor({ timeout: 60_000 });
    // A page that did the work itself would paint nothing before it is done.
    expect(await page.evaluate(() => window.framesPainted)).toBeGreaterThan(5);
    await page.keyboard.press('End');
    expect(await page.locator('.pages').innerText()).toMatch(/of 1\d{5}/);
    await page.keyboard.press('ArrowLeft');
    expect(await page.locator('[aria-current="step"]').count()).toBe(1);
  }, 90_000);
});
