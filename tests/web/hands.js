// Hands for the tests: the ways to do one thing on the page. Each of these gives its ways by name,
// `mouse`, `touch` and `keyboard`; a way is a function of the page. What is dragged has the ways by
// field as well, and a shortcut of the keyboard is a way of its own.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';

/** Repeats an assertion until it holds: what a gesture leads to may be a frame away. */
export async function soon(assertion, timeout = 5000) {
  const end = Date.now() + timeout;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

const inTurn =
  (...steps) =>
  async (page) => {
    for (const step of steps) await step(page);
  };

/** Things done one after the other, each in the same way; ways that one of them lacks are left out. */
export function together(...things) {
  const shared = Object.keys(things[0]).filter((way) => things.every((thing) => thing[way]));
  return Object.fromEntries(
    shared.map((way) => [way, inTurn(...things.map((thing) => thing[way]))]),
  );
}

// The keyboard --------------------------------------------------------------------------------

/**
 * Goes to a control by Tab. It begins at the stop before, since from the top of the page it would
 * be up to fifty: that one Tab leads on to the control is still up to the browser.
 */
export async function tabTo(page, target) {
  await target.evaluate((one) => {
    const stops = [...document.querySelectorAll('a[href], button, input, select, [tabindex]')];
    const reached = stops.filter(
      (stop) => stop.tabIndex >= 0 && !stop.disabled && stop.checkVisibility(),
    );
    const before = reached[reached.indexOf(one) - 1];
    if (before) before.focus();
    else document.activeElement.blur();
  });
  await page.keyboard.press('Tab');
  expect(await target.evaluate((one) => one === document.activeElement)).toBe(true);
}

const typeKeys = async (page, names) => {
  for (const name of names) await page.keyboard.press(name);
};

/** Keys that work wherever the focus is. */
export const keys = (...names) => ({ shortcut: (page) => typeKeys(page, names) });

export const times = (count, key) => Array.from({ length: count }, () => key);

// Controls ------------------------------------------------------------------------------------

export const named = (role, name) => (page) => page.getByRole(role, { name, exact: true });

/** A click, a tap, or Tab and then a key. */
export const press = (find, key = 'Enter') => ({
  mouse: (page) => find(page).click(),
  touch: (page) => find(page).tap(),
  keyboard: async (page) => {
    await tabTo(page, find(page));
    await page.keyboard.press(key);
  },
});

export const button = (name) => press(named('button', name));
export const checkBox = (name) => press(named('checkbox', name), 'Space');

/**
 * Chooses from a list. The list that opens belongs to the browser, and can't be pointed at from
 * here; so it is opened in the way that is meant, and the choice in it is made by keys.
 */
export function choice(name, option) {
  const find = named('combobox', name);
  const { mouse, touch, keyboard } = press(find, 'Space');
  const choose = async (page) => {
    await soon(async () =>
      expect(await find(page).evaluate((one) => one.matches(':open'))).toBe(true),
    );
    const steps = await find(page).evaluate(
      (one, text) => [...one.options].findIndex((each) => each.text === text) - one.selectedIndex,
      option,
    );
    await typeKeys(page, times(Math.abs(steps), steps < 0 ? 'ArrowUp' : 'ArrowDown'));
    await page.keyboard.press('Enter');
  };
  return {
    mouse: inTurn(mouse, choose),
    touch: inTurn(touch, choose),
    keyboard: inTurn(keyboard, choose),
  };
}

/** Types into a number field; a phone's own keys are typed like any others. */
export function typed(name, value) {
  const find = named('spinbutton', name);
  const type = async (page) => {
    await page.keyboard.press('Control+a');
    await page.keyboard.type(String(value));
    await page.keyboard.press('Enter');
  };
  const { mouse, touch } = press(find);
  return {
    mouse: inTurn(mouse, type),
    touch: inTurn(touch, type),
    keyboard: inTurn((page) => tabTo(page, find(page)), type),
  };
}

/** A value put into a number field at once, and confirmed. */
export async function fill(page, name, value) {
  const field = named('spinbutton', name)(page);
  await field.fill(value);
  await field.press('Enter');
}

// Dragging ------------------------------------------------------------------------------------

const FIGURE = '[data-part="figure"]';
const STEPS = 6;

const centreOf = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });

/** Where a part of the picture is, once it is in the middle of the window. */
async function locate(page, selector) {
  const part = page.locator(`${FIGURE} ${selector}`).first();
  await part.evaluate((one) => one.scrollIntoView({ block: 'center' }));
  return centreOf(await part.boundingBox());
}

/** How many pixels a second is, by the marks of the axis. */
async function pixelsPerSecond(page) {
  const [a, b] = await page.locator(`${FIGURE} .axis .tick`).evaluateAll((ticks) =>
    ticks.slice(0, 2).map((tick) => {
      const { x, y } = tick.querySelector('line').getBoundingClientRect();
      return { x, y, time: tick.__data__ };
    }),
  );
  const seconds = b.time - a.time;
  return { x: (b.x - a.x) / seconds, y: (b.y - a.y) / seconds };
}

const along = ({ x, y }, scale, seconds) => ({
  x: x + scale.x * seconds,
  y: y + scale.y * seconds,
});

const between = (from, to) =>
  Array.from({ length: STEPS }, (_, i) => {
    const share = (i + 1) / STEPS;
    return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
  });

/** Takes hold with the mouse and drags, without letting go. */
export async function pull(page, [from, to]) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (const { x, y } of between(from, to)) await page.mouse.move(x, y);
}

async function dragByMouse(page, path) {
  await pull(page, path);
  await page.mouse.up();
}

/** Fingers that go down, rest as long as `rest` takes, go each along its path, and up again. */
async function dragByFingers(page, paths, rest = () => undefined) {
  const session = await page.context().newCDPSession(page);
  const touch = (type, points) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: points.map(({ x, y }, id) => ({ x, y, id })),
    });
  await touch(
    'touchStart',
    paths.map(([from]) => from),
  );
  await rest();
  const moves = paths.map(([from, to]) => between(from, to));
  for (let i = 0; i < STEPS; i += 1)
    await touch(
      'touchMove',
      moves.map((points) => points[i]),
    );
  await touch('touchEnd', []);
  await session.detach();
}

/** From a part of the picture to where it is after so many seconds. */
export async function pathFrom(page, selector, seconds) {
  const from = await locate(page, selector);
  return [from, along(from, await pixelsPerSecond(page), seconds)];
}

/** A part of the picture dragged along time, by so many seconds. */
const draggedPart = (selector, seconds) => ({
  mouse: async (page) => dragByMouse(page, await pathFrom(page, selector, seconds)),
  touch: async (page) => dragByFingers(page, [await pathFrom(page, selector, seconds)]),
});

export const handle = (name) => `[data-handle="${name}"] .hit`;

/** A handle dragged by so many seconds; or else, without dragging, `fields` that do the same. */
export const dragged = (name, seconds, fields) => ({
  ...draggedPart(handle(name), seconds),
  keyboard: fields.keyboard,
  'mouse, without dragging': fields.mouse,
  'touch, without dragging': fields.touch,
});

/** The same for what a finger takes hold of by resting on it, until that shows. */
export const heldAndDragged = (name, seconds, fields) => ({
  ...dragged(name, seconds, fields),
  touch: async (page) =>
    dragByFingers(page, [await pathFrom(page, handle(name), seconds)], () =>
      page.locator(`${FIGURE} .held`).waitFor({ state: 'attached' }),
    ),
});

/** The playhead by its flag, or by its grip where time runs down the page. */
const PLAYHEAD = ':is(.playhead-flag, .playhead-hit)';

/** The playhead dragged along the picture, or sent there by a click on the picture. */
export function scrubbed(seconds) {
  const target = async (page) => (await pathFrom(page, PLAYHEAD, seconds))[1];
  return {
    ...draggedPart(PLAYHEAD, seconds),
    'mouse, without dragging': async (page) => {
      const { x, y } = await target(page);
      await page.mouse.click(x, y);
    },
    'touch, without dragging': async (page) => {
      const { x, y } = await target(page);
      await page.touchscreen.tap(x, y);
    },
  };
}

const THUMB = 16;

/** The slider's thumb dragged from its beginning to a share of its way, or a click there. */
export function slid(share) {
  const path = async (page) => {
    const slider = page.getByRole('slider', { name: 'Time' });
    await slider.scrollIntoViewIfNeeded();
    const { x, width, ...box } = await slider.boundingBox();
    const y = box.y + box.height / 2;
    const at = (part) => ({ x: x + THUMB / 2 + (width - THUMB) * part, y });
    return [at(0), at(share)];
  };
  return {
    mouse: async (page) => dragByMouse(page, await path(page)),
    touch: async (page) => dragByFingers(page, [await path(page)]),
    'mouse, without dragging': async (page) => {
      const [, { x, y }] = await path(page);
      await page.mouse.click(x, y);
    },
    'touch, without dragging': async (page) => {
      const [, { x, y }] = await path(page);
      await page.touchscreen.tap(x, y);
    },
  };
}

/** The picture magnified under the pointer: by Ctrl and the wheel, or by two fingers. */
export const magnified = {
  'mouse, by its wheel': async (page) => {
    const { x, y } = await locate(page, 'svg');
    await page.mouse.move(x, y);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
  },
  'touch, two fingers': async (page) => {
    const middle = await locate(page, 'svg');
    const { x, y } = await pixelsPerSecond(page);
    const long = Math.hypot(x, y);
    const apart = (pixels) => along(middle, { x: x / long, y: y / long }, pixels);
    await dragByFingers(page, [
      [apart(-20), apart(-120)],
      [apart(20), apart(120)],
    ]);
  },
};

// Files ---------------------------------------------------------------------------------------

/** Gives the page a file as if it had been chosen. */
export const give = (page, name, content) =>
  page.getByLabel('Open a scenario or a history').setInputFiles({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from(content),
  });

/** A file chosen after Open…, or dropped on the page. */
export function opened(name, content) {
  const text = JSON.stringify(content);
  const file = { name, mimeType: 'application/json', buffer: Buffer.from(text) };
  const after = (way) => async (page) => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), way(page)]);
    await chooser.setFiles(file);
  };
  const { mouse, touch } = press((page) => page.getByText('Open…', { exact: true }));
  const { keyboard } = press((page) => page.getByLabel('Open a scenario or a history'), 'Space');
  return {
    mouse: after(mouse),
    touch: after(touch),
    keyboard: after(keyboard),
    'mouse, dropped': async (page) => {
      const folder = await mkdtemp(join(tmpdir(), 'fencelock-'));
      await writeFile(join(folder, name), text);
      const session = await page.context().newCDPSession(page);
      const data = { items: [], files: [join(folder, name)], dragOperationsMask: 1 };
      for (const type of ['dragEnter', 'dragOver', 'drop'])
        await session.send('Input.dispatchDragEvent', { type, x: 200, y: 200, data });
      await session.detach();
      await page.locator('option', { hasText: name }).waitFor({ state: 'attached' });
      await rm(folder, { recursive: true });
    },
  };
}
