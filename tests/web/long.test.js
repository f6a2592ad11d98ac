// Runs that are too long for the page itself: they are run in a worker, and drawn by what a picture
// can show.

import { simulate, toLink } from 'fencelock/simulator';
import { runOf } from '../../web/run.js';
import { rulerMarks } from '../../web/view/bars.js';
import { drawFigure } from '../../web/view/figure.js';
import { createGeometry } from '../../web/view/geometry.js';
import { controls, seek, setUpBrowser } from './browser.js';
import { give } from './hands.js';
import { longScenario } from './long.js';

describe('the picture of 100,000 events', () => {
  const { model } = runOf(simulate(longScenario(1500)));
  const draw = (domain, tall = false) =>
    drawFigure(model, { width: tall ? 330 : 1000, tall, domain });
  const shapesOf = ({ layers }) => layers.flatMap((layer) => layer.shapes);

  test.each([
    ['wide', false],
    ['tall', true],
  ])('costs what its size does, not what its run does: %s', (_, tall) => {
    expect(model.events.length).toBeGreaterThan(100_000);
    const whole = draw(undefined, tall);
    const shapes = shapesOf(whole);
    expect(whole.model.crowded).toBe('messages');
    expect(shapes.length).toBeLessThan(1000);
    expect(shapes.reduce((sum, { d = '' }) => sum + d.length, 0)).toBeLessThan(400_000);
    for (const client of ['client 1', 'client 2', 'client 3']) {
      expect(whole.model.beliefs.filter((one) => one.client === client).length).toBeGreaterThan(
        100,
      );
    }
  });

  test('nearer, it shows the messages', () => {
    const near = draw([100, 110]);
    expect(near.model.crowded).not.toBe('messages');
    const { shapes } = near.layers.find(({ name }) => name === 'messages');
    expect(shapes.length).toBeGreaterThan(20);
  });

  test("a skewed clock's ruler is there to the end of it", () => {
    const scenario = longScenario(1500);
    scenario.clients[0].clock = { offset: 2, rate: 0.5 };
    const { model: skewed } = runOf(simulate(scenario));
    const { endTime } = skewed;
    for (const domain of [undefined, [0, 5], [endTime * 0.6, endTime * 0.6 + 5]]) {
      const geometry = createGeometry(skewed, { width: 1000, tall: false, domain });
      const marks = rulerMarks(geometry, skewed);
      expect(marks.length).toBeGreaterThan(1);
      for (const { time, local } of marks) {
        expect(geometry.inside(time)).toBe(true);
        expect(Math.abs(2 + 0.5 * time - local)).toBeLessThan(1 / geometry.perSecond);
      }
    }
  });

  test('where nothing is sent, nothing is missing', () => {
    const after = draw([model.endTime - 1, model.endTime]);
    expect(after.model.messages).toEqual([]);
    expect(after.model.crowded).toBe(null);
  });
});

describe('on the page', () => {
  const { open } = setUpBrowser();
  const faults = [{ kind: 'pause', node: 'client 1', from: 5, to: 25 }];
  const hash = toLink({ document: longScenario(400, { faults }), time: 0, index: 0, hash: '' });
  const length = (page) => controls(page).spin('Pause length of client 1');
  const button = (page, name) => page.getByRole('button', { name, exact: true });
  const idle = (page) => page.locator('.working').waitFor({ state: 'detached' });

  async function openLong(options = {}) {
    const page = await open({ hash, ...options });
    await page.locator('.count', { hasText: /of \d{5}/ }).waitFor();
    await idle(page);
    return page;
  }

  async function type(page, value) {
    await length(page).fill(value);
    await length(page).press('Enter');
  }

  test('it says that the messages are left out, until one is near enough', async () => {
    const page = await openLong();
    const note = page.getByText('Zoom in to see the messages.');
    expect(await note.isVisible()).toBe(true);
    for (let i = 0; i < 8; i += 1) await page.keyboard.press('+');
    expect(await note.count()).toBe(0);
    expect(await page.locator('.figure .message').count()).toBeGreaterThan(5);
  });

  test('an edit keeps the run before as the ghost, and is undone and redone', async () => {
    const page = await openLong();
    await seek(page, 30);
    const before = await controls(page).state.innerText();
    await type(page, '2.5');
    await page.locator('.ghost-note').waitFor();
    await idle(page);
    expect(await controls(page).time.inputValue()).toBe('30');
    expect(await controls(page).state.innerText()).not.toBe(before);
    expect(await page.locator('.ghosts > *').count()).toBeGreaterThan(0);
    await button(page, 'Undo').click();
    await page.waitForFunction(
      () => document.querySelector('[aria-label="Pause length of client 1"]').value === '20',
    );
    expect(await controls(page).state.innerText()).toBe(before);
    await button(page, 'Redo').click();
    await page.waitForFunction(
      () => document.querySelector('[aria-label="Pause length of client 1"]').value === '2.5',
    );
  });

  test('an edit that is stopped leaves all as it was', async () => {
    const page = await openLong();
    const events = await controls(page).events.innerText();
    await page.evaluate(() => {
      const field = document.querySelector('[aria-label="Pause length of client 1"]');
      field.value = '3';
      field.dispatchEvent(new Event('change', { bubbles: true }));
      document.querySelector('.working button').click();
    });
    await idle(page);
    expect(await length(page).inputValue()).toBe('20');
    expect(await controls(page).events.innerText()).toBe(events);
    expect(await button(page, 'Undo').isDisabled()).toBe(true);
  });

  test('a drag is run when one lets go, and not at all after Escape', async () => {
    const page = await openLong();
    for (let i = 0; i < 5; i += 1) await page.keyboard.press('+');
    const grip = page.locator('[data-part="figure"] [data-handle="end 0"] .hit');
    const drag = async (by) => {
      const box = await grip.boundingBox();
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + by, y, { steps: 4 });
    };
    await drag(-60);
    await page.getByText('runs again once you let go').waitFor();
    expect(await length(page).inputValue()).toBe('20');
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect(await page.locator('.working').count()).toBe(0);
    await drag(-60);
    await page.mouse.up();
    await page.locator('.ghost-note').waitFor();
    expect(Number(await length(page).inputValue())).toBeLessThan(20);
    expect(await button(page, 'Undo').isDisabled()).toBe(false);
  });

  test('a history of 100,000 events opens, or names the line that is wrong', async () => {
    const { events } = simulate(longScenario(1500));
    const lines = events.map((event) => JSON.stringify(event));
    const page = await open();
    await give(page, 'long.jsonl', lines.join('\n'));
    await page.locator('.count', { hasText: `of ${events.length}` }).waitFor({ timeout: 60_000 });
    await idle(page);
    await page.keyboard.press('End');
    const { length } = events;
    expect(await page.locator('.count').innerText()).toBe(`${length} of ${length}`);
    lines[90_000] = lines[90_000].replace(/"time":[\d.]+/, '"time":"soon"');
    await give(page, 'broken.jsonl', lines.join('\n'));
    await page.getByRole('alert').waitFor({ timeout: 60_000 });
    expect(await page.getByRole('alert').innerText()).toContain('line 90001, field "time"');
    await idle(page);
    await page.locator('.count', { hasText: `of ${length}` }).waitFor();
  }, 90_000);

  test('another scenario ends what goes on', async () => {
    const page = await openLong();
    await type(page, '3');
    await controls(page).scenario.selectOption('unfenced');
    await idle(page);
    expect(await controls(page).scenario.inputValue()).toBe('unfenced');
    await seek(page, 20);
    expect(await controls(page).state.innerText()).toContain('CORRUPTED DATA');
    expect(await controls(page).scenario.inputValue()).toBe('unfenced');
  });
});
