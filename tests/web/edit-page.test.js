// Editing the past on the page: by mouse, by keyboard alone, by touch, and without dragging.

import { readFileSync } from 'node:fs';
import { controls, faultsFoundByAxe, seek, setUpBrowser, WIDTHS } from './browser.js';

const { open } = setUpBrowser();
const CORRUPTED = 'CORRUPTED DATA';

const figure = (page) => page.locator('[data-part="figure"] svg');
const ghosts = (page) => page.locator('.ghosts > *');
const verdict = (page) => page.locator('[data-part="verdict"]');
const handle = (page, name) => page.locator(`[data-part="figure"] [data-handle="${name}"] .hit`);

/** The middle of a handle, and how far a second goes, by the axis. */
async function reach(page, name) {
  await handle(page, name).evaluate((hit) => hit.scrollIntoView({ block: 'center' }));
  const box = await handle(page, name).boundingBox();
  const [first, second] = await page
    .locator('[data-part="figure"] .axis .tick')
    .evaluateAll((ticks) =>
      ticks.slice(0, 2).map((tick) => {
        const { x, y } = tick.querySelector('line').getBoundingClientRect();
        return { x, y, time: tick.__data__ };
      }),
    );
  const perSecond = {
    x: (second.x - first.x) / (second.time - first.time),
    y: (second.y - first.y) / (second.time - first.time),
  };
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, perSecond };
}

async function drag(page, name, seconds, { release = true } = {}) {
  const { x, y, perSecond } = await reach(page, name);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + perSecond.x * seconds, y + perSecond.y * seconds, { steps: 5 });
  if (release) await page.mouse.up();
}

/** The same with one finger. */
async function dragByTouch(page, name, seconds) {
  const { x, y, perSecond } = await reach(page, name);
  const session = await page.context().newCDPSession(page);
  const touch = (type, points) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  await touch('touchStart', [{ x, y }]);
  for (let i = 1; i <= 5; i += 1) {
    const share = (seconds * i) / 5;
    await touch('touchMove', [{ x: x + perSecond.x * share, y: y + perSecond.y * share }]);
  }
  await touch('touchEnd', []);
}

describe('the pause of the lesson', () => {
  test('dragged from 16 s to 9 s, the rejected write is accepted while dragging', async () => {
    const page = await open();
    await seek(page, 30);
    expect(await figure(page).textContent()).toContain('33 < 34');
    const eventsBefore = await controls(page).events.innerText();
    await drag(page, 'end 0', -7, { release: false });
    expect(await verdict(page).innerText()).not.toContain('Fenced');
    expect(await figure(page).textContent()).not.toContain('33 < 34');
    expect(await controls(page).events.innerText()).toMatch(
      /accepts client 1’s write to the file with token 33/,
    );
    expect(await ghosts(page).count()).toBeGreaterThan(4);
    await page.mouse.up();
    expect(Number(await controls(page).spin('Pause length of client 1').inputValue())).toBeCloseTo(
      8,
      0,
    );
    expect(await ghosts(page).count()).toBeGreaterThan(4);
    expect(await page.locator('[data-part="figure"] .difference').count()).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await figure(page).textContent()).toContain('33 < 34');
    expect(await controls(page).events.innerText()).toBe(eventsBefore);
    await page.getByRole('button', { name: 'Redo' }).click();
    expect(await figure(page).textContent()).not.toContain('33 < 34');
  });

  test('one drag is one step to undo', async () => {
    const page = await open();
    await drag(page, 'end 0', -3);
    await drag(page, 'start 0', 1);
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.click();
    expect(Number(await controls(page).spin('Pause start of client 1').inputValue())).toBe(1);
    await undo.click();
    expect(Number(await controls(page).spin('Pause length of client 1').inputValue())).toBe(15);
    expect(await undo.isDisabled()).toBe(true);
  });

  test('moved as a whole it keeps its length', async () => {
    const page = await open();
    await drag(page, 'move 0', 2);
    expect(Number(await controls(page).spin('Pause start of client 1').inputValue())).toBeCloseTo(
      3,
      0,
    );
    expect(Number(await controls(page).spin('Pause length of client 1').inputValue())).toBeCloseTo(
      15,
      5,
    );
  });

  test('a click on it, without moving, only moves the playhead', async () => {
    const page = await open();
    const { x, y } = await reach(page, 'end 0');
    await page.mouse.click(x, y);
    expect(Number(await controls(page).time.inputValue())).toBeCloseTo(16, 0);
    expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true);
  });

  test.each(WIDTHS)('by touch, at %i pixels', async (width) => {
    const page = await open({ width, touch: true });
    await dragByTouch(page, 'end 0', -7);
    expect(await figure(page).textContent()).not.toContain('33 < 34');
    expect(Number(await controls(page).spin('Pause length of client 1').inputValue())).toBeCloseTo(
      8,
      0,
    );
  });

  test.each(WIDTHS)('by field and keyboard alone, at %i pixels', async (width) => {
    const page = await open({ width });
    const length = controls(page).spin('Pause length of client 1');
    await length.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('8');
    await page.keyboard.press('Enter');
    expect(await figure(page).textContent()).not.toContain('33 < 34');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+z');
    expect(await figure(page).textContent()).toContain('33 < 34');
  });
});

describe('other edits', () => {
  test('the end of the lease is dragged', async () => {
    const page = await open();
    await drag(page, 'lease the lock 33', 8);
    expect(Number(await controls(page).spin('Lease seconds').inputValue())).toBeCloseTo(18, 0);
    expect(await figure(page).textContent()).not.toContain('33 < 34');
  });

  test('the delivery of a message is dragged, or delayed by a field', async () => {
    const page = await open({ hash: '#preset=delayed-duplicate' });
    const before = await controls(page).events.innerText();
    await drag(page, 'delivery client 1 -> storage #1 0', 1.5);
    const delay = controls(page).spin('Delay of client 1 -> storage #1, seconds');
    expect(Number(await delay.inputValue())).toBeCloseTo(1.5, 0);
    expect(await controls(page).events.innerText()).not.toBe(before);
    await page.getByRole('button', { name: 'Remove Delay of client 1 -> storage #1' }).click();
    expect(await controls(page).events.innerText()).toBe(before);
  });

  test('the message of the current event can be delayed without dragging', async () => {
    const page = await open();
    const { next } = controls(page);
    await next.click();
    await next.click();
    const field = controls(page).spin('Delay of client 1 -> lock service #1');
    await field.fill('2');
    await field.press('Enter');
    expect(await controls(page).events.innerText()).toContain('2.01\n');
  });

  test('skew, latency, faults and their removal', async () => {
    const page = await open();
    const { spin, events } = controls(page);
    const changes = async (body) => {
      const before = await events.innerText();
      await body();
      expect(await events.innerText()).not.toBe(before);
    };
    const type = async (name, value) => {
      await spin(name).fill(value);
      await spin(name).press('Enter');
    };
    await changes(() => type('Longest latency', '1'));
    await changes(() =>
      type('Clock offset of client 1', '-0.25').then(() => type('Start of client 2', '2')),
    );
    expect(await page.locator('[data-part="figure"] .ruler').count()).toBeGreaterThan(3);
    await changes(() =>
      page
        .getByRole('combobox', { name: 'Add a fault at the playhead' })
        .selectOption('Crash client 2'),
    );
    await changes(() => page.getByRole('button', { name: 'Remove Crash of client 2' }).click());
    await changes(() => page.getByRole('checkbox', { name: 'Renewing by client 1' }).check());
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
});

describe('twin, zoom and map', () => {
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
    expect(await faultsFoundByAxe(page)).toEqual([]);
    await page.getByRole('checkbox', { name: 'Twin' }).uncheck();
    expect(await twin.count()).toBe(0);
  });

  test('zoom goes in, follows the playhead, and comes out', async () => {
    const page = await open();
    const ticks = () => page.locator('[data-part="figure"] .axis .tick text').allTextContents();
    const whole = await ticks();
    await seek(page, 11);
    for (let i = 0; i < 4; i += 1) await page.keyboard.press('+');
    const inside = await ticks();
    expect(inside).not.toEqual(whole);
    await seek(page, 2);
    expect(await ticks()).not.toEqual(inside);
    await page.getByRole('button', { name: 'Whole run' }).click();
    expect(await ticks()).toEqual(whole);
    const box = await figure(page).boundingBox();
    await page.mouse.move(box.x + 500, box.y + 80);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    expect(await ticks()).not.toEqual(whole);
  });

  test.each([true, false])(
    'the map is computed, and a cell opens its schedule (disk %s)',
    async (disk) => {
      const page = await open({ disk });
      await page.getByRole('button', { name: 'Map of pauses' }).click();
      const grid = page.getByRole('grid', { name: 'Map of pauses' });
      await grid.locator('.cell.rejected').first().waitFor();
      await page.locator('.map progress').waitFor({ state: 'detached' });
      expect(await grid.locator('.cell.waiting').count()).toBe(0);
      expect(await grid.locator('.cell.kept').count()).toBeGreaterThan(10);
      expect(await faultsFoundByAxe(page)).toEqual([]);
      const kept = grid.locator('.cell.kept').last();
      const name = await kept.getAttribute('aria-label');
      await kept.click();
      const [, from, length] = /from ([\d.]+) s for ([\d.]+) s/.exec(name);
      expect(await controls(page).spin('Pause start of client 1').inputValue()).toBe(from);
      expect(await controls(page).spin('Pause length of client 1').inputValue()).toBe(length);
      expect(await figure(page).textContent()).not.toContain('33 < 34');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      expect(
        Number(await controls(page).spin('Pause length of client 1').inputValue()),
      ).toBeGreaterThan(Number(length));
    },
  );
});

describe('files', () => {
  const save = async (page, what) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('combobox', { name: 'Save' }).selectOption(what),
    ]);
    return readFileSync(await download.path(), 'utf8');
  };
  const give = (page, name, text) =>
    page.getByLabel('Open a scenario or a history').setInputFiles({
      name,
      mimeType: 'application/json',
      buffer: Buffer.from(text),
    });

  test('what is saved opens again', async () => {
    const page = await open();
    await controls(page).spin('Pause length of client 1').fill('8');
    await controls(page).spin('Pause length of client 1').press('Enter');
    const events = await controls(page).events.innerText();
    const scenario = await save(page, 'scenario');
    const trace = await save(page, 'trace');
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
    expect(await faultsFoundByAxe(other)).toEqual([]);
  });

  test('the picture is an SVG by itself', async () => {
    const page = await open();
    const svg = await save(page, 'picture');
    const alone = await page.context().newPage();
    await alone.setContent(svg);
    expect(await alone.locator('svg').textContent()).toContain('33 < 34');
    expect(svg).not.toMatch(/class=|data-|var\(/);
    const perfetto = JSON.parse(await save(page, 'perfetto'));
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
    expect(await faultsFoundByAxe(page)).toEqual([]);
  });

  test('a run of 100,000 events opens without freezing the page, and can be stopped', async () => {
    const page = await open();
    const clients = [1, 2, 3].map((i) => ({
      id: `client ${i}`,
      start: i / 10,
      work: 0.3,
      cycles: 1500,
      rest: 0.4,
      retry: 1.1,
    }));
    const text = JSON.stringify({ version: 1, lease: 3, until: 20000, clients });
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
