// Opening what someone gives: what is wrong is told with its line and its field.

import { readFile } from '../../web/open.js';
import { lineOfPath } from '../../web/view/locate.js';
import { syntaxErrorAt } from '../../js/json.js';
import { runOf } from '../../web/run.js';
import { drawFigure } from '../../web/view/figure.js';
import { toLines, toPerfetto } from '../../web/view/perfetto.js';
import { HistoryChecker, presets, simulate } from 'fencelock/simulator';

function read(text) {
  const events = [];
  const reading = readFile(text, new HistoryChecker(), 100);
  let told = reading.next();
  for (; !told.done; told = reading.next()) events.push(...(told.value.events ?? []));
  return { ...told.value, events };
}

const lesson = presets[0].scenario;

describe('histories', () => {
  const trace = simulate(lesson);

  test('a trace that was saved is read back', () => {
    const { events, found } = read(toLines(trace.events));
    expect(found).toMatchObject({ violations: [], judged: { events: trace.events.length } });
    expect(events).toEqual(trace.events);
    const whole = read(JSON.stringify({ events: trace.events }));
    expect(whole.events).toEqual(trace.events);
  });

  test('one of some other lock, with less in each event, is drawn', () => {
    const foreign = [
      {
        time: 0.1,
        node: 'lock service',
        kind: 'acquire',
        peer: 'A',
        lock: 'L',
        token: 7,
        outcome: 'granted',
        until: 5.1,
      },
      { time: 0.2, node: 'A', kind: 'trust', token: 7 },
      { time: 3, node: 'A', kind: 'thinking', mood: 'good' },
      { time: 5.1, node: 'lock service', kind: 'expire', lock: 'L' },
      {
        time: 6,
        node: 'storage',
        kind: 'write',
        peer: 'A',
        key: 'K',
        token: 7,
        outcome: 'accepted',
      },
    ];
    const { events } = read(toLines(foreign));
    const run = runOf({ events });
    expect(run.model.gaps).toEqual([expect.objectContaining({ client: 'A', from: 5.1 })]);
    for (const tall of [true, false]) drawFigure(run.model, { width: tall ? 330 : 900, tall });
    expect(run.instants.at(5).keys.K.token).toBe(7);
  });

  test.each([
    ['{"time":0,"node":"A","kind":"start"}\n{"time":', /^line 2: not JSON/],
    [
      '{"time":0,"node":"A","kind":"start"}\n[]',
      /^line 2: expected an event as an object, got an array/,
    ],
    [
      '{"time":0,"node":"A","kind":"x"}\n\n{"time":"soon","node":"A","kind":"x"}',
      /^line 3, field "time": expected a finite number of seconds, got "soon"/,
    ],
    ['{"time":0,"kind":"x"}', /^line 1, field "node": is missing/],
    [
      '{"time":0,"node":"A","kind":"trust","token":1.5}',
      /^line 1, field "token": expected an integer/,
    ],
    [
      '{"time":0,"node":"s","kind":"write","peer":"A","key":"K","token":1}',
      /^line 1, field "outcome": is missing; an event of the kind "write" needs it/,
    ],
    [
      '{"time":1,"node":"A","kind":"x"}\n{"time":0.5,"node":"A","kind":"x"}',
      /^line 2, field "time": 0.5 is before 1/,
    ],
    ['[{"time":1,"node":"A","kind":"x"},{"time":1,"node":4,"kind":"x"}]', /^event 2, field "node"/],
    ['', /empty/],
    ['42', /^line 1: expected an event as an object, got 42/],
    ['<html>', /^(line 1: )?not JSON/],
  ])('%j is refused with its place', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

describe('scenarios', () => {
  test('one is told from a history', () => {
    expect(read(JSON.stringify(lesson, null, 2)).scenario).toEqual(lesson);
    expect(read(JSON.stringify(lesson)).scenario).toEqual(lesson);
  });

  test('a broken one names the line', () => {
    expect(() => read('{\n  "version": 1,\n  "lease": 10,,\n}')).toThrow(/^line 3: not JSON/);
  });

  test.each([
    ['{"a": 1,}', 8],
    ['[1, 2', 5],
    ['{"a" 1}', 5],
    ['[01]', 1],
    ['"a\nb"', 0],
    ['[1] x', 4],
    ['{"a": [true, nul]}', 13],
    ['', 0],
    ['[1,]', 3],
  ])('%j stops being JSON at %i', (text, at) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(syntaxErrorAt(text)).toBe(at);
  });

  test('a text that is JSON stops being so at its end', () => {
    for (const value of [lesson, [], {}, [[], {}], 'a"b\\', -1.5e-7, null, { a: { b: [] } }]) {
      for (const indent of [0, 2]) {
        const text = JSON.stringify(value, null, indent);
        expect(syntaxErrorAt(text)).toBe(text.length);
      }
    }
  });

  test('the line of a path is found', () => {
    const text = JSON.stringify(
      { version: 1, clients: [{ id: 'a' }, { id: 'b, "c": [', clock: { rate: 'x' } }], faults: [] },
      null,
      2,
    );
    const lines = text.split('\n');
    const lineWith = (what) => lines.findIndex((line) => line.includes(what)) + 1;
    expect(lineOfPath(text, 'clients[1].clock.rate')).toBe(lineWith('"rate"'));
    expect(lineOfPath(text, 'faults')).toBe(lineWith('"faults"'));
    expect(lineOfPath(text, 'version')).toBe(2);
    expect(lineOfPath(text, 'clients[1].clock.offset')).toBe(lineWith('"clock"'));
    expect(lineOfPath(text, 'nothing')).toBe(1);
  });
});

test('the trace for Perfetto has a thread a node and pairs its arrows', () => {
  const { model } = runOf(simulate(lesson));
  const { traceEvents } = toPerfetto(model);
  const names = traceEvents.filter((event) => event.name === 'thread_name');
  expect(names.map((event) => event.args.name)).toEqual(model.nodes.map((node) => node.name));
  const starts = traceEvents.filter((event) => event.ph === 's').map((event) => event.id);
  const ends = traceEvents.filter((event) => event.ph === 'f').map((event) => event.id);
  expect(starts).toEqual(ends);
  for (const event of traceEvents.filter((one) => one.ph === 'X')) {
    expect(event.dur).toBeGreaterThanOrEqual(0);
    expect(Number.isInteger(event.ts)).toBe(true);
  }
});
