// Fingers on the picture: which of them scroll the page, which move the playhead, which the past.

import { controls, seek, setUpBrowser, WIDTHS } from './browser.js';

const { open } = setUpBrowser();

const startOf = (page) => controls(page).spin('Pause start of client 1');
const lengthOf = (page) => controls(page).spin('Pause length of client 1');
const timeOf = async (page) => Number(await controls(page).time.inputValue());
const canUndo = (page) => page.getByRole('button', { name: 'Undo' }).isEnabled();
const scrolled = (page) => page.evaluate(() => window.scrollY);
const held = (page) => page.locator('.handle.held');

/** The middle of a handle, brought into the middle of the window. */
async function middle(page, name) {
  const hit = page.locator(`[data-part="figure"] [data-handle="${name}"] .hit`);
  await hit.evaluate((one) => one.scrollIntoView({ block: 'center' }));
  const { x, y, width, height } = await hit.boundingBox();
  return { x: x + width / 2, y: y + height / 2 };
}

/** One finger, or several, by their points. */
async function fingersOf(page) {
  const session = await page.context().newCDPSession(page);
  const send = (type, touchPoints) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: touchPoints.map((point, id) => ({ ...point, id })),
    });
  const fingers = {
    down: (...points) => send('touchStart', points),
    to: (...points) => send('touchMove', points),
    up: () => send('touchEnd', []),
    cancel: () => send('touchCancel', []),
    async along({ x, y }, { right = 0, down = 0 }) {
      for (let i = 1; i <= 10; i += 1)
        await fingers.to({ x: x + (right * i) / 10, y: y + (down * i) / 10 });
    },
  };
  return fingers;
}

/** How far a second goes on the screen. */
const aSecond = (page) =>
  page.locator('[data-part="figure"] .axis .tick').evaluateAll((ticks) => {
    const [a, b] = ticks.slice(0, 2).map((tick) => ({
      ...tick.querySelector('line').getBoundingClientRect().toJSON(),
      time: tick.__data__,
    }));
    return { right: (b.x - a.x) / (b.time - a.time), down: (b.y - a.y) / (b.time - a.time) };
  });

describe('a swipe', () => {
  const places = WIDTHS.flatMap((width) =>
    ['move 0', 'lease the lock 33', 'delivery client 1 -> storage #1 0', ''].map((name) => [
      width,
      name,
    ]),
  );
  const grips = [768, 1440].map((width) => [width, 'end 0']);
  test.each([...places, ...grips])(
    'up at %i pixels scrolls the page, and changes nothing, from "%s"',
    async (width, name) => {
      const page = await open({ width, touch: true, height: 640 });
      await seek(page, 5);
      const figure = await page.locator('.figure').boundingBox();
      const from = name
        ? await middle(page, name)
        : { x: figure.x + 20, y: Math.min(500, figure.y + 150) };
      const before = await scrolled(page);
      const finger = await fingersOf(page);
      await finger.down(from);
      await finger.along(from, { right: 12, down: -150 });
      await finger.up();
      await page.waitForFunction((y) => window.scrollY > y + 50, before, { timeout: 3000 });
      expect(await timeOf(page)).toBe(5);
      expect(await canUndo(page)).toBe(false);
    },
  );

  test.each([768, 1440])(
    'across at %i pixels moves the playhead, also on a pause',
    async (width) => {
      const page = await open({ width, touch: true });
      const from = await middle(page, 'move 0');
      const { right } = await aSecond(page);
      const before = await scrolled(page);
      const finger = await fingersOf(page);
      await finger.down(from);
      await finger.along(from, { right: 5 * right, down: 12 });
      await finger.up();
      expect(await timeOf(page)).toBeCloseTo(13.5, 0);
      expect(await canUndo(page)).toBe(false);
      expect(await scrolled(page)).toBe(before);
    },
  );

  test.each([768, 1440])('across at %i pixels drags the end that it began on', async (width) => {
    const page = await open({ width, touch: true });
    const from = await middle(page, 'end 0');
    const { right } = await aSecond(page);
    const finger = await fingersOf(page);
    await finger.down(from);
    await finger.along(from, { right: -7 * right });
    await finger.up();
    expect(Number(await lengthOf(page).inputValue())).toBeCloseTo(8, 0);
  });
});

test.each(WIDTHS)('a tap at %i pixels moves the playhead', async (width) => {
  const page = await open({ width, touch: true });
  const { x, y } = await middle(page, 'end 0');
  await page.touchscreen.tap(x, y);
  expect(await timeOf(page)).toBeCloseTo(16, 0);
  expect(await canUndo(page)).toBe(false);
});

describe.each(WIDTHS)('a finger that rests on a pause, at %i pixels,', (width) => {
  const rest = async () => {
    const page = await open({ width, touch: true });
    await seek(page, 5);
    const from = await middle(page, 'move 0');
    const second = await aSecond(page);
    const finger = await fingersOf(page);
    await finger.down(from);
    expect(await held(page).count()).toBe(0);
    await held(page).waitFor({ state: 'attached' });
    return { page, from, finger, later: { right: 3 * second.right, down: 3 * second.down } };
  };
  const expectNothing = async (page) => {
    await held(page).waitFor({ state: 'detached' });
    expect(await startOf(page).inputValue()).toBe('1');
    expect(await lengthOf(page).inputValue()).toBe('15');
    expect(await timeOf(page)).toBe(5);
    expect(await canUndo(page)).toBe(false);
    expect(await page.locator('.ghosts > *').count()).toBe(0);
  };

  test('takes hold of it, and moves it as a whole', async () => {
    const { page, from, finger, later } = await rest();
    const before = await scrolled(page);
    await finger.along(from, later);
    expect(await held(page).count()).toBe(1);
    await finger.up();
    expect(Number(await startOf(page).inputValue())).toBeCloseTo(4, 0);
    expect(await lengthOf(page).inputValue()).toBe('15');
    expect(await scrolled(page)).toBe(before);
    expect(await held(page).count()).toBe(0);
  });

  test('and is lifted again, changes nothing', async () => {
    const { page, finger } = await rest();
    await finger.up();
    await expectNothing(page);
  });

  test.each(['a second finger', 'a cancelled touch', 'Escape'])(
    'lets go when there is %s, and takes the move back',
    async (what) => {
      const { page, from, finger, later } = await rest();
      await finger.along(from, later);
      expect(await startOf(page).inputValue()).not.toBe('1');
      const at = { x: from.x + later.right, y: from.y + later.down };
      if (what === 'Escape') await page.keyboard.press('Escape');
      else if (what === 'a cancelled touch') await finger.cancel();
      else await finger.down(at, { x: at.x + 40, y: at.y + 40 });
      await expectNothing(page);
      if (what === 'a cancelled touch') return;
      await finger.to({ x: at.x + later.right, y: at.y + later.down });
      await finger.up();
      await expectNothing(page);
    },
  );
});
