// Runs the table of actions at one width, each action in each of its ways.

import { readFile } from 'node:fs/promises';
import { ACTIONS } from './actions.js';
import { controls, setUpBrowser, WIDTHS } from './browser.js';
import { named, soon } from './hands.js';

const VARIANTS = [
  { disk: false, scheme: 'light', reduced: false },
  { disk: true, scheme: 'dark', reduced: false },
  { disk: false, scheme: 'dark', reduced: true },
  { disk: true, scheme: 'light', reduced: true },
];

/**
 * All cases at a width: `{ name, way, options, at, first, act, gives }`. Served or from disk, light
 * or dark, with less motion or not: the place of the way in its row and the place of the width among
 * the widths, added, say which of the four variants a case has. As there are three widths, an action
 * meets at least three variants that follow one another, and so each of these six conditions.
 */
export function casesAt(width) {
  return Object.entries(ACTIONS).flatMap(([name, { by, ...rest }]) =>
    Object.entries(by).map(([way, act], place) => ({
      name,
      way,
      act,
      options: {
        width,
        touch: way.startsWith('touch'),
        ...VARIANTS[(place + WIDTHS.indexOf(width)) % VARIANTS.length],
      },
      ...rest,
    })),
  );
}

/** What is read off the page, so that what must have come of an action can be said in a line. */
function reader(page, downloads) {
  const { time, events, scenario, state } = controls(page);
  const checked = (name) => named('checkbox', name)(page).isChecked();
  const enabled = (name) => named('button', name)(page).isEnabled();
  return {
    page,
    enabled,
    checked,
    time: async () => Number(await time.inputValue()),
    end: async () => Number(await time.getAttribute('max')),
    count: async () => Number(/^\d+/.exec(await page.locator('.count').innerText())[0]),
    current: () =>
      events.locator('[aria-current]').evaluateAll((all) => all.map((one) => +one.dataset.index)),
    firstListed: async () => Number(await events.locator('li').first().getAttribute('data-index')),
    events: () => events.innerText(),
    state: () => state.innerText(),
    scenario: () => scenario.locator('option:checked').textContent(),
    verdict: () => page.locator('[data-part="verdict"]').innerText(),
    picture: () => page.locator('[data-part="figure"] svg').textContent(),
    field: async (name) => Number(await named('spinbutton', name)(page).inputValue()),
    ghosts: () => page.locator('[data-part="figure"] .ghosts > *').count(),
    twins: () => page.locator('[data-part="twin"] svg').count(),
    rulers: () => page.locator('[data-part="figure"] .ruler').count(),
    faults: () => page.getByRole('button', { name: /^Remove / }).count(),
    clipboard: () => page.evaluate(() => navigator.clipboard.readText()),
    saved: () =>
      Promise.all(
        downloads.map(async (download) => ({
          name: download.suggestedFilename(),
          text: await readFile(await download.path(), 'utf8'),
        })),
      ),
    /** How many seconds the picture shows, by its axis. */
    span: () =>
      page.locator('[data-part="figure"] .axis').evaluate((axis) => {
        const [a, b] = axis.querySelectorAll('.tick');
        const place = (one) => {
          const { x, y } = one.querySelector('line').getBoundingClientRect();
          return x + y;
        };
        const { width, height } = axis.querySelector('.domain').getBoundingClientRect();
        const long = Math.max(width, height);
        return (long * (b.__data__ - a.__data__)) / Math.abs(place(b) - place(a));
      }),
  };
}

/** What the focus is on: its name, and whether something else lies over it. */
const focus = (page) =>
  page.evaluate(() => {
    const one = document.activeElement;
    if (one === document.body) return null;
    const { left, top, width, height } = one.getBoundingClientRect();
    const above = document.elementFromPoint(left + width / 2, top + height / 2);
    const isSeen = one.contains(above) || Boolean(one.closest('label')?.contains(above));
    window.reached.add(one);
    return { name: one.ariaLabel ?? one.textContent.trim(), isSeen };
  });

/** The controls that Tab has not led to, by name. */
const unreached = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('button, input, select')]
      .filter((one) => !one.disabled && one.checkVisibility() && !one.closest('.events ol'))
      .filter((one) => !window.reached.has(one))
      .map((one) => one.ariaLabel ?? one.textContent.trim()),
  );

export function testActions(width) {
  const { open, reopen } = setUpBrowser();

  test.each(casesAt(width))('$name: $way', async (one) => {
    const page = await reopen({ ...one.options, hash: one.at ?? '' });
    const downloads = [];
    const note = (download) => downloads.push(download);
    page.on('download', note);
    await one.first?.(page);
    await one.act(page);
    await soon(() => one.gives(reader(page, downloads)));
    page.off('download', note);
  });

  test('Tab leads to every control, and each is seen when it has the focus', async () => {
    const page = await open({ width });
    await page.evaluate(() => {
      window.reached = new Set();
    });
    const hidden = [];
    for (;;) {
      await page.keyboard.press('Tab');
      const stop = await focus(page);
      if (!stop) break;
      if (!stop.isSeen) hidden.push(stop.name);
    }
    expect(await unreached(page)).toEqual([]);
    expect(hidden).toEqual([]);
  });
}
