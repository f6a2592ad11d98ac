// axe finds nothing in any state of the page, at any width, light and dark.

import { presets } from 'fencelock/simulator';
import { controls, faultsFoundByAxe, seek, setUpBrowser, WIDTHS } from './browser.js';
import { fill, give, handle, pathFrom, pull } from './hands.js';

const { open } = setUpBrowser();

const OUTCOMES = { acquire: 'granted', write: 'accepted' };
const HISTORY = [
  { time: 0.1, node: 'lock service', kind: 'acquire', peer: 'A', lock: 'L', token: 7 },
  { time: 0.2, node: 'A', kind: 'trust', token: 7 },
  { time: 5.1, node: 'lock service', kind: 'expire', lock: 'L' },
  { time: 6, node: 'storage', kind: 'write', peer: 'A', key: 'K', token: 7 },
].map((event) => JSON.stringify({ ...event, outcome: OUTCOMES[event.kind] }));

const openPreset = (name) => async (page) => {
  await page.evaluate(async (hash) => {
    location.hash = hash;
    await new Promise((done) => window.addEventListener('hashchange', done, { once: true }));
  }, `preset=${name}`);
  await page.keyboard.press('End');
};

const map = (page) => page.getByRole('button', { name: 'Map of pauses' });
const alert = (page) => page.getByRole('alert');

// Each state follows from the one before. A state may say how it is left, and what shows that it is
// there.
const STATES = {
  'at the beginning': { enter: () => undefined },
  ...Object.fromEntries(
    presets.map(({ name, title }) => [`at the end of “${title}”`, { enter: openPreset(name) }]),
  ),
  'the data corrupted': {
    enter: (page) => openPreset('unfenced')(page),
    shows: (page) => page.getByText('CORRUPTED DATA').first(),
  },
  'fencing that changes nothing': {
    enter: async (page) => {
      await openPreset('partition')(page);
      await page.keyboard.press('x');
    },
    shows: (page) => page.getByText('The same run').first(),
  },
  twins: {
    enter: async (page) => {
      await openPreset('lesson')(page);
      await page.keyboard.press('d');
    },
    shows: (page) => page.locator('[data-part="twin"] svg'),
    leave: (page) => page.keyboard.press('d'),
  },
  playing: {
    enter: async (page) => {
      await page.getByRole('combobox', { name: 'Speed' }).selectOption('0.5');
      await page.keyboard.press('Home');
      await page.keyboard.press('Space');
    },
    shows: (page) => controls(page).pause,
    leave: (page) => page.keyboard.press('Space'),
  },
  'a field refused': {
    enter: (page) => fill(page, 'Clock rate of client 1', '0'),
    shows: alert,
  },
  'a drag under way': {
    enter: async (page) => {
      await seek(page, 12);
      await pull(page, await pathFrom(page, handle('end 0'), -7));
    },
    shows: (page) => page.locator('.dragging .ghosts > *').first(),
    leave: (page) => page.mouse.up(),
  },
  'an edit with its ghost': {
    enter: (page) => fill(page, 'Pause length of client 1', '12'),
    shows: (page) => page.locator('.ghost-note'),
  },
  'a fault more': {
    enter: async (page) => {
      const which = page.getByRole('combobox', { name: 'Fault to add at the playhead' });
      await which.selectOption('Crash client 2');
      await page.getByRole('button', { name: 'Add fault' }).click();
    },
    shows: (page) => page.getByRole('button', { name: 'Remove Crash of client 2' }),
  },
  'zoomed in': {
    enter: (page) => page.getByRole('button', { name: 'Zoom in' }).click(),
    leave: (page) => page.keyboard.press('0'),
  },
  'the map': {
    enter: async (page) => {
      await map(page).click();
      await page.locator('.map progress').waitFor({ state: 'detached' });
    },
    shows: (page) => page.locator('.map .cell.rejected').first(),
    leave: (page) => map(page).click(),
  },
  'the link copied': {
    enter: (page) => controls(page).copyLink.click(),
    shows: (page) => page.locator('.copied', { hasText: 'Link copied.' }),
  },
  'forced colours': {
    enter: (page) => page.emulateMedia({ forcedColors: 'active' }),
    leave: (page) => page.emulateMedia({ forcedColors: 'none' }),
  },
  'on paper': {
    enter: (page) => page.emulateMedia({ media: 'print' }),
    leave: (page) => page.emulateMedia({ media: 'screen' }),
  },
  'a random run': {
    enter: (page) => controls(page).nextSeed.click(),
    shows: (page) => page.getByRole('button', { name: 'Later' }),
  },
  'the keys': {
    enter: (page) => page.keyboard.press('?'),
    shows: (page) => page.getByRole('dialog'),
    leave: (page) => page.keyboard.press('Escape'),
  },
  'a broken file': {
    enter: (page) => give(page, 'broken.json', '{\n "version": 1,\n "clients": [ }'),
    shows: alert,
  },
  'a history': {
    enter: (page) => give(page, 'history.jsonl', HISTORY.join('\n')),
    shows: (page) => page.getByText('A history has no schedule to edit.'),
  },
  // A worker that never answers is work that goes on for as long as is looked at it.
  'work under way': {
    enter: async (page) => {
      await page.evaluate(() => {
        window.Worker = class {
          postMessage() {}
          terminate() {}
        };
      });
      await give(page, 'long.json', '{}');
    },
    shows: (page) => page.getByRole('progressbar'),
  },
};

describe.each(WIDTHS)('at %i pixels', (width) => {
  test.each(['light', 'dark'])(
    'axe finds nothing in any state, %s',
    async (scheme) => {
      const page = await open({ width, scheme });
      const found = [];
      for (const [name, { enter, shows, leave }] of Object.entries(STATES)) {
        await enter(page);
        await shows?.(page).waitFor({ timeout: 5000 });
        found.push(...(await faultsFoundByAxe(page)).map((fault) => `${name}: ${fault}`));
        await leave?.(page);
      }
      expect(found).toEqual([]);
    },
    180_000,
  );
});
