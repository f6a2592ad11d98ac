// Everything has room of its own: each control can be clicked, and what belongs together stands so.

import { presets, toLink } from 'fencelock/simulator';
import { controls, seek, setUpBrowser } from './browser.js';
import { give } from './hands.js';
import { longScenario } from './long.js';

const { open } = setUpBrowser();

const bottomOf = ({ y, height }) => y + height;
const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};

const LONG_SENTENCE = '16.03';
const STATES = {
  'the lesson': [],
  edited: ['x', 'End'],
  'twins edited': ['x', 'd', 'End'],
  'a long sentence': ['x', LONG_SENTENCE],
  'twins and a long sentence': ['x', 'd', LONG_SENTENCE],
  magnified: ['x', 'd', 'End', '+', '+'],
};

async function reach(page, steps) {
  for (const step of steps) {
    if (step !== LONG_SENTENCE) await page.keyboard.press(step);
    else await page.locator('.story [data-index]').last().click();
  }
}

/** The controls in whose middle is something else, once each has been scrolled to. */
const covered = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('button, select, input')]
      .filter((one) => one.checkVisibility() && !one.closest('.events ol, .hidden'))
      .filter((one) => !one.matches('.hidden'))
      .flatMap((one) => {
        one.scrollIntoView({ block: 'center' });
        const { left, top, width, height } = one.getBoundingClientRect();
        const at = document.elementFromPoint(left + width / 2, top + height / 2);
        return one.contains(at)
          ? []
          : [`${one.ariaLabel ?? one.textContent.trim()} by ${at?.className}`];
      }),
  );

/** The pairs of texts and controls about the player that lie over one another. */
const overlapping = (page) =>
  page.evaluate(() => {
    const found = [];
    const parts =
      '.transport > *, .zoom > *, .now > p, .slider, .story li, .verdict, .figure, .try';
    const boxes = [...document.querySelectorAll(parts)]
      .filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 1)
      .filter((one) => getComputedStyle(one.closest('.player') ?? one).position !== 'sticky')
      .map((one) => ({ name: one.className || one.textContent, box: one.getBoundingClientRect() }));
    for (const [i, { name, box }] of boxes.entries()) {
      for (const other of boxes.slice(i + 1)) {
        const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        if (across > 0.5 && down > 0.5) found.push(`${name} and ${other.name}`);
      }
    }
    return found;
  });

test.each([360, 701, 768])('of a dense run what is left out has room, %i', async (width) => {
  const page = await open({ width, hash: '#suite=chaos&seed=5' });
  await page.getByText('Zoom in to see the refused requests.').waitFor();
  expect(await covered(page)).toEqual([]);
  expect(await overlapping(page)).toEqual([]);
  for (let times = 0; times < 4; times += 1) await page.keyboard.press('+');
  expect(await page.getByText('Zoom in to see').count()).toBe(0);
});

describe.each([360, 701, 768, 1180, 1440])('at %i pixels', (width) => {
  test.each(Object.entries(STATES))('every control can be clicked: %s', async (_, steps) => {
    const page = await open({ width });
    await reach(page, steps);
    expect(await covered(page)).toEqual([]);
    expect(await overlapping(page)).toEqual([]);
  });
});

test('every step of every lesson can be read in a window of 1440 by 900', async () => {
  const page = await open({ width: 1440, height: 900 });
  const cut = async (name) => {
    const steps = await page
      .locator('.story li')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom));
    return steps.length > 0 && Math.max(...steps) <= 900 ? [] : [`${name}: ${Math.max(...steps)}`];
  };
  const found = [];
  for (const { name } of presets) {
    await controls(page).scenario.selectOption(name);
    found.push(...(await cut(name)));
    await page.keyboard.press('x');
    found.push(...(await cut(`${name}, other rule`)));
  }
  expect(found).toEqual([]);
});

describe('twins', () => {
  test.each([768, 1180, 1440])('have verdict and picture together at %i pixels', async (width) => {
    const page = await open({ width });
    await press(page, 'x', 'd', 'End');
    for (const part of ['figure', 'twin']) {
      const title = await page.locator(`[data-part="${part}-title"]`).boundingBox();
      const picture = await page.locator(`[data-part="${part}"] svg`).boundingBox();
      expect(picture.y - bottomOf(title)).toBeLessThan(12);
    }
    const { y } = await controls(page).time.boundingBox();
    const picture = await page.locator('[data-part="twin"] svg').boundingBox();
    expect(y).toBeGreaterThan(bottomOf(picture) - 10);
  });

  test('keep hint and player in a window of 1440 by 900', async () => {
    const page = await open({ width: 1440, height: 900 });
    await press(page, 'x', 'd', 'End');
    expect(await page.locator('.try').isVisible()).toBe(true);
    for (const part of ['transport', 'zoom'])
      expect(bottomOf(await page.locator(`[data-part="${part}"]`).boundingBox())).toBeLessThan(900);
  });
});

test.each([999, 1234.56, 98765.43])('the flag has room for %d seconds', async (seconds) => {
  const [{ scenario }] = presets;
  const view = { time: 0, index: 0, end: 100_000, hash: '' };
  const page = await open({ hash: toLink({ document: scenario, ...view }) });
  await seek(page, seconds);
  const [words, flag, picture] = await Promise.all(
    ['.playhead-time', '.playhead-flag', 'svg'].map((one) =>
      page.locator(`[data-part="figure"] ${one}`).first().boundingBox(),
    ),
  );
  expect(words.x).toBeGreaterThan(flag.x + 2);
  expect(words.x + words.width).toBeLessThan(flag.x + flag.width - 2);
  expect(flag.x + flag.width).toBeLessThanOrEqual(picture.x + picture.width + 1);
});

test.each([360, 1440])(
  'work on a file of a long name takes one line at %i pixels',
  async (width) => {
    const page = await open({ width });
    const rest = page.locator('[data-part="figure"]');
    const before = await rest.boundingBox();
    const text = JSON.stringify(longScenario(1500));
    await give(page, `${'a long name '.repeat(9)}.json`, text);
    const working = page.locator('.working');
    await working.waitFor();
    const [box, stop] = await Promise.all([
      working.boundingBox(),
      page.getByRole('button', { name: 'Stop' }).boundingBox(),
    ]);
    expect(box.height).toBeLessThan(44);
    expect(stop.x + stop.width).toBeLessThanOrEqual(width);
    expect(await rest.boundingBox()).toEqual(before);
    expect(box.y).toBeGreaterThan(bottomOf(await page.locator('.bar').boundingBox()) - 1);
    await page.getByRole('button', { name: 'Stop' }).click();
  },
);

test.each([360, 768, 1440])('a fault has its fields in one line at %i pixels', async (width) => {
  const page = await open({ width });
  const { spin } = controls(page);
  const middles = await Promise.all(
    [
      spin('Pause start of client 1'),
      spin('Pause length of client 1'),
      page.getByRole('button', { name: 'Remove Pause of client 1' }),
    ].map(async (one) => {
      const { y, height } = await one.boundingBox();
      return Math.round(y + height / 2);
    }),
  );
  expect(new Set(middles).size).toBe(1);
});
