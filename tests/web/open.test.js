// Opening what someone gives: what is wrong is told with its line and its field.

import { readFileSync } from 'node:fs';
import { readFile } from '../../web/open.js';
import { lineOfPath } from '../../web/locate.js';
import { syntaxErrorAt } from '../../js/json.js';
import { runOf } from '../../web/run.js';
import { verdictWords } from '../../web/view/verdict.js';
import { judgedWords } from '../../web/view/judged.js';
import { stateRows } from '../../web/view/words.js';
import { drawFigure } from '../../web/view/figure.js';
import { lines, perfettoText } from '../../web/perfetto.js';
import { describe as describeEvent, HistoryChecker, presets, simulate } from 'fencelock/simulator';

const asFile = (events) => [...lines(events)].join('');

function read(text) {
  const reading = readFile(text, new HistoryChecker());
  const shares = [];
  let told = reading.next();
  for (; !told.done; told = reading.next()) shares.push(told.value.share);
  expect(shares.every((share, i) => share > (shares[i - 1] ?? 0) && share <= 1)).toBe(true);
  return told.value;
}

const history = (name) =>
  read(readFileSync(new URL(`../history/${name}.jsonl`, import.meta.url), 'utf8'));

const lesson = presets[0].scenario;
// Of no kind that we know: the page names them as they are.
const OTHER_KINDS = { gc: true, connection: true };

describe('histories', () => {
  const trace = simulate(lesson);

  test('a trace that was saved is read back', () => {
    const { events, violations, judged, startTime } = read(asFile(trace.events));
    expect(violations).toEqual([]);
    expect({ events: judged.events, startTime }).toEqual({
      events: trace.events.length,
      startTime: 0,
    });
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
    const { events } = read(asFile(foreign));
    const run = runOf({ events });
    expect(run.model.gaps).toEqual([expect.objectContaining({ client: 'A', from: 5.1 })]);
    for (const tall of [true, false]) drawFigure(run.model, { width: tall ? 330 : 900, tall });
    expect(run.instants.at(5).keys.K.token).toBe(7);
  });

  test('what another system means by a kind of ours is told, and not drawn', () => {
    const foreign = [
      { time: 0, node: 'nemesis', kind: 'partition', value: ['n1', 'n2'], until: 'healed' },
      { time: 1, node: 'n1', kind: 'send', message: 17, peer: 'n2' },
      { time: 1, node: 'n1', kind: 'drop' },
      { time: 2, node: 'n1', kind: 'pause', until: 'resumed' },
      { time: 3, node: 'n1', kind: 'clock-step', by: 'a lot' },
      { time: 4, node: 'locks', kind: 'acquire', peer: 'A', lock: 'L', outcome: 'granted' },
    ];
    const { events } = read(asFile(foreign));
    const run = runOf({ events });
    const { partitions, messages, steps, absences } = run.model;
    expect([partitions, messages, steps]).toEqual([[], [], []]);
    expect(absences).toMatchObject([{ from: 2, until: null }]);
    for (const tall of [true, false]) drawFigure(run.model, { width: tall ? 330 : 900, tall });
    expect(events.map((event) => describeEvent(event))).toEqual([
      'nemesis: partition.',
      'n1: send (n2).',
      'n1: drop.',
      expect.stringMatching(/^N1 is paused/),
      'n1: clock-step.',
      expect.stringMatching(/grants L to A\.$/),
    ]);
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
    [
      '{"time":-1,"node":"A","kind":"x"}\n{"time":1e303,"node":"A","kind":"x"}',
      /^line 2, field "time": expected a number of seconds of at most 1e15, got 1e\+303/,
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
    [
      '<svg>',
      'line 1: not JSON: it begins "<svg>". A scenario is a JSON object; a history is JSON lines, ' +
        'or a JSON list of events',
    ],
    ['\n%PDF-1.7\n', /^line 2: not JSON: it begins "%PDF-1.7"\. A scenario is/],
  ])('%j is refused with its place', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

describe('what was found in a history', () => {
  test('a token that fell is shown as our own runs show it', () => {
    const { scenario: unfenced } = presets.find(({ name }) => name === 'unfenced');
    const trace = simulate(unfenced);
    const without = trace.events.map(({ stale: _stale, ...event }) => event);
    const run = runOf(read(asFile(without)));
    const own = runOf(trace);
    expect(run.trace.violations).toEqual(
      trace.violations.map((violation) => ({ ...violation, line: violation.sequence + 1 })),
    );
    expect(verdictWords(run)).toEqual(verdictWords(own));
    expect(run.story).toEqual(own.story);
    expect(run.model.values.map(({ stale, over }) => [stale, over])).toEqual(
      own.model.values.map(({ stale, over }) => [stale, over]),
    );
    expect(run.instants.at(without.length).stale).toBe(1);
    expect([...run.findings.values()]).toMatchObject([{ brief: ['I2 broken.'] }]);
    expect(own.findings.size).toBe(0);
    expect(judgedWords(own)).toBe(null);
  });

  test('two holders: the verdict, the story and each event say so', () => {
    const run = runOf(history('redlock'));
    expect(verdictWords(run)).toEqual({
      tone: 'bad',
      title: 'Granted twice.',
      text: 'At 3.10 s invoices was granted to worker b while the lease of worker a was live. (I1)',
    });
    expect(run.story.map(({ index }) => index)).toEqual(expect.arrayContaining([3, 4]));
    expect(run.findings.get(4)).toEqual({
      brief: ['I4 broken.'],
      texts: ['I4 is broken: worker b and worker a trusted their leases on invoices at once.'],
    });
    expect(run.model.gaps).toEqual([
      expect.objectContaining({ client: 'worker a', from: 3.1, to: 4.5 }),
    ]);
    const { short, judged, notJudged } = judgedWords(run);
    expect(short).toBe(
      `2 violations in ${run.model.events.length} events. Times count from 1753142400 s. What was ` +
        'judged, and what not',
    );
    expect(judged.length).toBeGreaterThan(2);
    expect(notJudged.length).toBeGreaterThan(2);
  });

  test('what is broken goes before what was fenced', () => {
    const grant = { node: 'locks', kind: 'acquire', lock: 'L', outcome: 'granted', until: 9 };
    const write = { node: 'db', kind: 'write', key: 'K' };
    const events = [
      { ...grant, time: 0, peer: 'A', token: 1 },
      { ...grant, time: 1, peer: 'B', token: 2 },
      { ...write, time: 2, peer: 'B', token: 2, outcome: 'accepted' },
      { ...write, time: 3, peer: 'A', token: 1, outcome: 'rejected', highest: 2 },
    ];
    expect(verdictWords(runOf(read(asFile(events)))).title).toBe('Granted twice.');
  });

  test('a clean one is not called more than it is', () => {
    const run = runOf(history('etcd'));
    expect(run.verdict.kind).toBe('fenced');
    expect(judgedWords(run).short).toBe(
      `No violation in ${run.model.events.length} events. Times count from 1753142400 s. What was ` +
        'judged, and what not',
    );
    // A late release is not one of the lease that is live.
    expect(run.model.leases.map(({ token, to }) => [token, to])).toEqual([
      [5120, 20.7],
      [5177, 30.1],
      [5203, run.model.endTime],
    ]);
    expect(run.instants.at(15).locks['/locks/job']).toMatchObject({ client: 'b', token: 5177 });
    expect(judgedWords(runOf(read('{"time":0,"node":"A","kind":"x"}'))).short).toMatch(
      'Nothing could be judged',
    );
  });

  test('times begin at 0, and one service and one storage have the lanes of our own', () => {
    const { events, startTime } = history('etcd');
    expect(startTime).toBe(1753142400);
    expect(events[0]).toMatchObject({ time: 0.1, node: 'lock service' });
    expect(events[1]).toMatchObject({ node: 'a', until: 15 });
    expect(events[3]).toMatchObject({ node: 'storage', peer: 'a' });
    const grant = { kind: 'acquire', peer: 'A', lock: 'L', outcome: 'granted' };
    const both = [
      { time: 0, node: 'redis', ...grant },
      { time: 1, node: 'redis', kind: 'crash' },
    ];
    expect(read(asFile(both)).events.map(({ node }) => node)).toEqual(
      Array(2).fill('lock service'),
    );
    const cut = { time: 1, node: 'A', kind: 'partition', peer: 'redis' };
    expect(read(asFile([both[0], cut])).events[1].peer).toBe('lock service');
    const two = [both[0], { time: 1, node: 'redis 2', ...grant }];
    expect(read(asFile(two)).events.map(({ node }) => node)).toEqual(['redis', 'redis 2']);
    expect(read(asFile([{ time: -5, node: 'x', kind: 'y' }])).events[0].time).toBe(0);
  });

  test.each(['redlock', 'etcd', 'zookeeper', 'late-release', 'stale-write', 'token-reused'])(
    'nothing undefined is told of %s',
    (name) => {
      const run = runOf(history(name));
      for (const tall of [true, false]) {
        const { texts } = drawFigure(run.model, { width: tall ? 330 : 900, tall });
        expect(JSON.stringify(texts)).not.toMatch(/undefined|null · |NaN/);
      }
      for (let index = 0; index <= run.model.events.length; index += 1) {
        const time = run.model.events[index]?.time ?? run.model.endTime;
        const rows = stateRows(run.model, run.instants.at(index), time);
        expect(rows.map(({ says }) => says).join()).not.toMatch(/undefined|NaN/);
      }
      for (const event of run.model.events) {
        if (event.kind in OTHER_KINDS) continue;
        expect(describeEvent(event, run.trace)).not.toMatch(/undefined|NaN|\[object/);
      }
    },
  );
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
  const { traceEvents } = JSON.parse([...perfettoText(model)].join(''));
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
