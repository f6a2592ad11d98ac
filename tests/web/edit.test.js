// Edits of a document, undo and redo, and the address: all without a browser.

import * as edits from '../../web/edits.js';
import { snap } from '../../web/view/handles.js';
import { describe as tell } from '../../js/describe.js';
import * as history from '../../web/history.js';
import { fromLink, toLink } from 'fencelock/simulator';

const document = {
  version: 1,
  lease: 10,
  clients: [{ id: 'client 1' }, { id: 'client 2' }],
  faults: [
    { kind: 'pause', node: 'client 1', from: 1, to: 16 },
    { kind: 'crash', node: 'client 2', at: 4, restart: 6 },
  ],
};

describe('edits', () => {
  test('none changes the document it is given', () => {
    const before = JSON.stringify(document);
    edits.withEnd(document, 0, 9);
    edits.withClock(document, 1, { rate: 0.95 });
    edits.withDelay(document, 'client 1 -> storage #1', 3);
    edits.withoutFault(document, 1);
    expect(JSON.stringify(document)).toBe(before);
  });

  test('an end stays after its beginning, a beginning before its end', () => {
    expect(edits.withEnd(document, 0, 0.2).faults[0]).toMatchObject({ from: 1, to: 1.01 });
    expect(edits.withStart(document, 0, 40).faults[0]).toMatchObject({ from: 15.99, to: 16 });
    expect(edits.withStart(document, 0, -3).faults[0]).toMatchObject({ from: 0, to: 16 });
  });

  test('moving keeps the length, of a crash too', () => {
    expect(edits.withMoved(document, 0, 2.5).faults[0]).toMatchObject({ from: 2.5, to: 17.5 });
    expect(edits.withMoved(document, 1, 1).faults[1]).toMatchObject({ at: 1, restart: 3 });
    expect(edits.withLength(document, 1, 5).faults[1]).toMatchObject({ at: 4, restart: 9 });
  });

  test('a delay is made, changed, and taken away', () => {
    const message = 'client 1 -> storage #1';
    const once = edits.withDelay(document, message, 8);
    expect(once.faults[2]).toEqual({ kind: 'delay', message, by: 8 });
    const twice = edits.withDelay(once, message, 3);
    expect(twice.faults).toHaveLength(3);
    expect(edits.delayOf(twice, message)).toBe(3);
    expect(edits.withDelay(twice, message, 0)).toEqual(document);
  });
});

test('what is told of trust has two decimals at most', () => {
  const event = { kind: 'trust', node: 'client 1', lock: 'the lock', token: 33, until: 7.6289341 };
  expect(tell(event)).toContain('until 7.63 s');
  expect(tell({ ...event, until: 10.5 })).toContain('until 10.5 s');
});

test('a dragged time is a hundredth at the finest', () => {
  expect(snap({ perSecond: 5000 }, 7.63289)).toBe(7.63);
  expect(edits.withLease(document, 17.985924).lease).toBe(17.99);
  expect(edits.withDelay(document, 'm', 1.23456).faults.at(-1).by).toBe(1.23);
});

describe('history', () => {
  test('undo and redo walk the documents; a drag is one step', () => {
    let now = history.createHistory('a');
    now = history.edited(now, 'b');
    now = history.amended(now, 'b2');
    now = history.edited(now, 'c');
    now = history.undone(now);
    expect(now.present).toBe('b2');
    now = history.undone(now);
    expect(now.present).toBe('a');
    expect(history.undone(now)).toBe(now);
    now = history.redone(history.redone(now));
    expect(now.present).toBe('c');
    expect(history.redone(now)).toBe(now);
    expect(history.edited(history.undone(now), 'd').future).toEqual([]);
  });
});

describe('the address', () => {
  const shown = { document, time: 16.05, index: 91, hash: '0123456789abcdef' };

  test('gives back what it was made from', () => {
    const strange = { ...document, clients: [{ id: 'клиент 🔒 "1" & co' }] };
    for (const one of [shown, { ...shown, document: strange, twin: true, preset: 'lesson' }]) {
      const read = fromLink(toLink(one));
      expect(read.document).toEqual(one.document);
      expect(read).toMatchObject({ time: 16.05, index: 91, hash: shown.hash });
      expect(read.twin).toBe(Boolean(one.twin));
      expect(read.preset).toBe(one.preset);
    }
  });

  test('nothing in it is nothing; something broken is an error', () => {
    expect(fromLink('')).toBeNull();
    expect(fromLink('#')).toBeNull();
    expect(() => fromLink('#scenario=%%%')).toThrow('broken');
    expect(() => fromLink('#scenario=e30x')).toThrow('broken');
  });
});
