// Every action of the page, each in all of its ways, and what must have come of it in whichever way.

import { expect } from '@jest/globals';
import { fromLink } from 'fencelock/simulator';
import { controls } from './browser.js';
import {
  button,
  checkBox,
  choice,
  dragged,
  heldAndDragged,
  keys,
  magnified,
  named,
  opened,
  press,
  scrubbed,
  slid,
  tabTo,
  times,
  together,
  typed,
} from './hands.js';

const LENGTH = 'Pause length of client 1';
const START = 'Pause start of client 1';
const DELAY = 'Delay of client 1 -> storage #1';
const CLIENTS = ['one', 'two'].map((id) => ({ id, start: 0, work: 1 }));
const RANDOM = '#suite=chaos&seed=3';
const MESSAGE = 9; // of the preset delayed-duplicate: the message to the storage is sent

const event = (number) => (page) =>
  controls(page)
    .events.locator('li')
    .nth(number - 1);
const step = (number) => (page) => page.locator('.story button').nth(number - 1);
const grid = named('grid', 'Map of pauses');
const dialog = (page) => page.getByRole('dialog');
const list = (number) => ({
  ...press(event(number)),
  keyboard: keys(...times(number, 'ArrowRight')).shortcut,
});

/** The cell so many rows below the one of the pause as it is. */
function cellOfMap(rows) {
  const current = (page) => grid(page).locator('[aria-current]');
  const cell = async (page) => {
    const [row, column] = (await current(page).getAttribute('data-cell')).split(' ').map(Number);
    return grid(page).locator(`[data-cell="${row + rows} ${column}"]`);
  };
  return {
    mouse: async (page) => (await cell(page)).click(),
    touch: async (page) => (await cell(page)).tap(),
    keyboard: async (page) => {
      await tabTo(page, current(page));
      await keys(...times(rows, 'ArrowDown'), 'Enter').shortcut(page);
    },
  };
}

const toggled = (name, shortcut) => ({ ...checkBox(name), ...keys(shortcut) });

/** A way that stands for all: what comes before an action is not what the action is about. */
const before = (ways) => ways.keyboard ?? ways.shortcut;

const isEdited = async (see) => {
  expect(await see.enabled('Undo')).toBe(true);
  expect(await see.ghosts()).toBeGreaterThan(0);
};

const isNear = (value, expected, within) =>
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(within);

/** A save leads to a file of that name, with that in it. */
const saves = (which, name, content) => ({
  by: button(which),
  gives: async (see) => {
    const [file] = await see.saved();
    expect(file.name).toBe(name);
    expect(file.text).toMatch(content);
  },
});

// Each action: `by` which ways it can be done, and what it `gives`, whatever the way. `at` is the
// address at which it begins, and `first` what is done before, if the lesson's beginning is not it.

const IN_TIME = {
  'scrub along the picture': {
    by: { ...scrubbed(12), ...keys(...times(12, 'Shift+ArrowRight')) },
    gives: async (see) => {
      isNear(await see.time(), 12, 0.6);
      expect(await see.state()).toMatch(/held by client 2/);
      expect(await see.current()).toHaveLength(1);
    },
  },
  'scrub with the slider': {
    by: { ...slid(0.75), ...keys(...times(15, 'Shift+ArrowRight')) },
    gives: async (see) => {
      isNear(await see.time(), (await see.end()) * 0.75, 1);
      expect(await see.current()).toHaveLength(1);
    },
  },
  'go to the end': {
    by: { ...slid(1), ...keys('End') },
    gives: async (see) => expect(await see.time()).toBe(await see.end()),
  },
  'go to the beginning': {
    first: before(keys('End')),
    by: { ...slid(0), ...keys('Home') },
    gives: async (see) => {
      expect(await see.time()).toBe(0);
      expect(await see.current()).toEqual([]);
    },
  },
  'a second on': {
    first: before(keys('Shift+ArrowRight')),
    by: keys('Shift+ArrowRight'),
    gives: async (see) => expect(await see.time()).toBe(2),
  },
  'a second back': {
    first: before(keys(...times(3, 'Shift+ArrowRight'))),
    by: keys('Shift+ArrowLeft'),
    gives: async (see) => expect(await see.time()).toBe(2),
  },
  'the next event': {
    by: {
      ...together(button('Next event'), button('Next event')),
      ...keys('ArrowRight', 'ArrowRight'),
    },
    gives: async (see) => expect(await see.current()).toEqual([1]),
  },
  'the previous event': {
    first: before(keys('ArrowRight', 'ArrowRight')),
    by: { ...button('Previous event'), ...keys('ArrowLeft') },
    gives: async (see) => expect(await see.current()).toEqual([0]),
  },
  'an event of the list': {
    by: list(5),
    gives: async (see) => expect(await see.current()).toEqual([4]),
  },
  'a numbered step of the story': {
    by: press(step(2)),
    gives: async (see) => {
      const index = Number(await step(2)(see.page).getAttribute('data-index'));
      expect(await see.current()).toEqual([index]);
    },
  },
  'later events of a long list': {
    at: RANDOM,
    by: button('Later'),
    gives: async (see) => expect(await see.firstListed()).toBe(200),
  },
  'earlier events of a long list': {
    at: RANDOM,
    first: before(button('Later')),
    by: button('Earlier'),
    gives: async (see) => expect(await see.firstListed()).toBe(0),
  },
  play: {
    by: { ...button('Play'), ...keys('Space') },
    gives: async (see) => {
      expect(await controls(see.page).pause.count()).toBe(1);
      expect(await see.count()).toBeGreaterThan(0);
    },
  },
  pause: {
    first: before(keys('Space')),
    by: { ...button('Pause'), ...keys('Space') },
    gives: async (see) => {
      expect(await controls(see.page).play.count()).toBe(1);
      const stopped = await see.time();
      await see.page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      expect(await see.time()).toBe(stopped);
    },
  },
  'choose the speed': {
    by: choice('Speed', '10×'),
    gives: async (see) =>
      expect(await named('combobox', 'Speed')(see.page).inputValue()).toBe('10'),
  },
  'zoom in': {
    by: { ...button('Zoom in'), ...keys('+'), ...magnified },
    gives: async (see) => {
      expect(await see.span()).toBeLessThan(15);
      expect(await see.enabled('Whole run')).toBe(true);
      expect(await see.time()).toBe(0);
    },
  },
  'zoom out': {
    first: before(keys('+', '+', '+')),
    by: { ...button('Zoom out'), ...keys('-') },
    gives: async (see) => {
      expect(await see.span()).toBeGreaterThan(4);
      expect(await see.enabled('Whole run')).toBe(true);
    },
  },
  'the whole run': {
    first: before(keys('+', '+', '+')),
    by: { ...button('Whole run'), ...keys('0') },
    gives: async (see) => {
      expect(await see.span()).toBeGreaterThan(19);
      expect(await see.enabled('Whole run')).toBe(false);
    },
  },
};

const EDITS = {
  'the end of a pause': {
    by: dragged('end 0', -7, typed(LENGTH, 8)),
    gives: async (see) => {
      isNear(await see.field(LENGTH), 8, 0.5);
      expect(await see.field(START)).toBe(1);
      expect(await see.picture()).not.toContain('33 < 34');
      await isEdited(see);
    },
  },
  'the start of a pause': {
    by: dragged('start 0', 3, together(typed(START, 4), typed(LENGTH, 12))),
    gives: async (see) => {
      isNear(await see.field(START), 4, 0.5);
      expect((await see.field(START)) + (await see.field(LENGTH))).toBeCloseTo(16, 5);
      await isEdited(see);
    },
  },
  'a whole pause': {
    by: heldAndDragged('move 0', 3, typed(START, 4)),
    gives: async (see) => {
      isNear(await see.field(START), 4, 0.5);
      expect(await see.field(LENGTH)).toBeCloseTo(15, 5);
      await isEdited(see);
    },
  },
  'the delivery of a message': {
    at: '#preset=delayed-duplicate',
    by: heldAndDragged(
      'delivery client 1 -> storage #1 0',
      1.5,
      together(list(MESSAGE), typed(DELAY, 1.5)),
    ),
    gives: async (see) => {
      isNear(await see.field(`${DELAY}, by seconds`), 1.5, 0.3);
      await isEdited(see);
    },
  },
  'the end of the lease': {
    by: heldAndDragged('lease the lock 33', 8, typed('Lease seconds', 18)),
    gives: async (see) => {
      isNear(await see.field('Lease seconds'), 18, 0.5);
      expect(await see.picture()).not.toContain('33 < 34');
      await isEdited(see);
    },
  },
  'the skew of a clock': {
    by: typed('Clock offset of client 1', -0.25),
    gives: async (see) => {
      expect(await see.rulers()).toBeGreaterThan(3);
      expect(await see.enabled('Undo')).toBe(true);
    },
  },
  latency: {
    by: typed('to, the longest latency', 1),
    gives: isEdited,
  },
  'a client that renews': {
    by: checkBox('Renews, client 2'),
    gives: async (see) => {
      expect(await see.checked('Renews, client 2')).toBe(true);
      expect(await see.enabled('Undo')).toBe(true);
    },
  },
  fencing: {
    by: toggled('Fencing', 'x'),
    gives: async (see) => {
      expect(await see.checked('Fencing')).toBe(false);
      expect(await see.verdict()).toMatch(/Not fenced/i);
      await isEdited(see);
    },
  },
  'add a fault': {
    first: before(keys('Shift+ArrowRight')),
    by: together(choice('Fault to add at the playhead', 'Crash client 2'), button('Add fault')),
    gives: async (see) => {
      expect(await see.faults()).toBe(2);
      expect(await see.field('Crash start of client 2')).toBe(1);
      expect(await see.field('Crash length of client 2')).toBe(2);
    },
  },
  'remove a fault': {
    by: button('Remove Pause of client 1'),
    gives: async (see) => {
      expect(await see.faults()).toBe(0);
      expect(await see.verdict()).not.toMatch(/Fenced/i);
      await isEdited(see);
    },
  },
  undo: {
    first: before(keys('x')),
    by: { ...button('Undo'), ...keys('Control+z') },
    gives: async (see) => {
      expect(await see.checked('Fencing')).toBe(true);
      expect(await see.enabled('Undo')).toBe(false);
      expect(await see.enabled('Redo')).toBe(true);
    },
  },
  redo: {
    first: before(keys('x', 'Control+z')),
    by: {
      ...button('Redo'),
      ...keys('Control+Shift+z'),
      'other shortcut': keys('Control+y').shortcut,
    },
    gives: async (see) => {
      expect(await see.checked('Fencing')).toBe(false);
      expect(await see.enabled('Redo')).toBe(false);
      await isEdited(see);
    },
  },
  'hide the run before': {
    first: before(keys('x')),
    by: { ...button('Hide it'), ...keys('Escape') },
    gives: async (see) => {
      expect(await see.ghosts()).toBe(0);
      expect(await see.checked('Fencing')).toBe(false);
      expect(await see.enabled('Undo')).toBe(true);
    },
  },
};

const RUNS = {
  'a preset': {
    by: choice('Scenario', 'A late release'),
    gives: async (see) => {
      expect(await see.scenario()).toBe('A late release');
      expect(await see.field('Delay of client 1 -> lock service #2, by seconds')).toBe(6);
    },
  },
  twin: {
    by: toggled('Twin', 'd'),
    gives: async (see) => {
      expect(await see.twins()).toBe(1);
      expect(await see.page.locator('.difference').count()).toBe(2);
    },
  },
  'the twin put away': {
    first: before(keys('d')),
    by: toggled('Twin', 'd'),
    gives: async (see) => expect(await see.twins()).toBe(0),
  },
  'the next seed': {
    at: RANDOM,
    by: button('Next seed'),
    gives: async (see) => expect(await see.field('Seed')).toBe(4),
  },
  'the previous seed': {
    at: RANDOM,
    by: button('Previous seed'),
    gives: async (see) => expect(await see.field('Seed')).toBe(2),
  },
  'a seed that is typed': {
    by: typed('Seed', 7),
    gives: async (see) => {
      expect(await see.field('Seed')).toBe(7);
      expect(await see.scenario()).toMatch(/^Random/);
    },
  },
  'the map': {
    by: button('Map of pauses'),
    gives: async (see) => {
      expect(await see.page.locator('.map progress').count()).toBe(0);
      expect(await grid(see.page).locator('.cell.kept').count()).toBeGreaterThan(10);
      expect(await grid(see.page).locator('.cell.waiting').count()).toBe(0);
    },
  },
  'a cell of the map': {
    first: async (page) => {
      await before(button('Map of pauses'))(page);
      await page.locator('.map progress').waitFor({ state: 'detached' });
    },
    by: cellOfMap(4),
    gives: async (see) => {
      const name = await grid(see.page).locator('[aria-current]').getAttribute('aria-label');
      const [, from, length] = /from ([\d.]+) s for ([\d.]+) s/.exec(name);
      expect(await see.field(START)).toBe(Number(from));
      expect(await see.field(LENGTH)).toBe(Number(length));
      expect(Number(length)).toBeLessThan(15);
      await isEdited(see);
    },
  },
  'copy the link': {
    first: before(keys('x', 'End')),
    by: button('Copy link'),
    gives: async (see) => {
      const link = fromLink(new URL(await see.clipboard()).hash);
      expect(link.document.fencing).toBe('off');
      expect(link.time).toBe(await see.end());
      expect(await see.page.locator('.copied').innerText()).toBe('Link copied.');
    },
  },
  'save the picture': saves('Save picture as SVG', 'fencelock.svg', /^<svg[^]*33 &lt; 34/),
  'save the scenario': saves('Save scenario as JSON', 'scenario.json', /"to": 16/),
  'save the trace': saves('Save trace as JSON lines', 'trace.jsonl', /^\{.*"start".*\}\n/),
  'save for Perfetto': saves('Save trace for Perfetto', 'perfetto.json', /"traceEvents"/),
  'open a file': {
    by: opened('mine.json', { version: 1, clients: CLIENTS }),
    gives: async (see) => {
      expect(await see.scenario()).toBe('mine.json');
      expect(await see.events()).toContain('Two');
    },
  },
  'the list of keys': {
    by: { ...button('Keys'), ...keys('?') },
    gives: async (see) => {
      expect(await dialog(see.page).isVisible()).toBe(true);
      expect(await dialog(see.page).locator('kbd').count()).toBeGreaterThan(8);
    },
  },
  'the list of keys closed': {
    first: before(keys('?')),
    by: { ...button('Close'), keyboard: keys('Enter').shortcut, ...keys('Escape') },
    gives: async (see) => expect(await dialog(see.page).count()).toBe(0),
  },
};

export const ACTIONS = { ...IN_TIME, ...EDITS, ...RUNS };
