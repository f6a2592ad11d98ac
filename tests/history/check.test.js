// Histories that were given: real faults are found, each where it happened; what other systems do for
// good reasons is not reported; and our own runs are judged as the simulator judged them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkHistory,
  describe as describeEvent,
  HistoryChecker,
  HistoryReader,
  presets,
  simulate,
  suiteScenario,
  whatWasJudged,
} from 'fencelock/simulator';

const RULES = ['at-least', 'above', 'off'];

function check(name, options) {
  const text = readFileSync(join(import.meta.dirname, `${name}.jsonl`), 'utf8');
  const reader = new HistoryReader();
  const checker = new HistoryChecker(options);
  for (const { event, place } of reader.push(text)) checker.add(event, place);
  for (const { event, place } of reader.end()) checker.add(event, place);
  return checker.finish();
}

const at = (time, node, kind, more) => ({ time, node, kind, ...more });
const granted = (time, peer, token, until) =>
  at(time, 'locks', 'acquire', { peer, lock: 'L', token, outcome: 'granted', until });

describe('faults of other systems', () => {
  test('Redlock, when a clock jumps: two clients hold, and trust', () => {
    const { violations } = check('redlock');
    expect(violations).toEqual([
      {
        invariant: 'I1',
        time: 1753142403.1,
        sequence: 3,
        line: 5,
        node: 'worker b',
        peer: 'worker a',
        lock: 'invoices',
        text: 'invoices was granted to worker b while the lease of worker a was live',
      },
      expect.objectContaining({
        invariant: 'I4',
        line: 6,
        node: 'worker b',
        peer: 'worker a',
        time: 1753142403.103,
      }),
    ]);
  });

  test('a late release frees the lock of another', () => {
    const { violations } = check('late-release');
    expect(violations.map(({ invariant, line }) => [invariant, line])).toEqual([
      ['R5', 3],
      ['I1', 4],
    ]);
    expect(violations[0]).toMatchObject({ node: 'A', peer: 'B', other: 2 });
  });

  test('tokens begin again after a restart', () => {
    const { violations } = check('token-reused');
    expect(
      violations.map(({ invariant, line, token, other }) => [invariant, line, token, other]),
    ).toEqual([
      ['I1', 4, 1, 41],
      ['I1', 5, 2, 41],
    ]);
    expect(violations[0].text).toBe(
      'B was granted leader with token 1, although 41 had been granted before',
    );
  });

  test('a storage takes an older token', () => {
    const { violations } = check('stale-write');
    expect(violations).toEqual([
      {
        invariant: 'I2',
        time: 17.1,
        sequence: 3,
        line: 4,
        node: 'A',
        key: 'shard 7/log',
        token: 1033,
        other: 1034,
        text: 'shard 7/log accepted token 1033 of A after token 1034',
      },
    ]);
  });
});

describe('what is no fault', () => {
  test.each(['etcd', 'zookeeper'])('of %s', (name) => {
    const { violations, violationCount, judged } = check(name);
    expect({ violations, violationCount }).toEqual({ violations: [], violationCount: 0 });
    expect(judged.tokens).toBeGreaterThan(1);
    expect(judged.trusts).toBeGreaterThan(2);
  });

  test('of a value whose fields come in another order, or that can’t be compared', () => {
    const circle = {};
    circle.circle = circle;
    const write = (value, previous) =>
      at(1, 'db', 'write', {
        peer: 'A',
        key: 'K',
        token: 1,
        outcome: 'accepted',
        value,
        previous,
      });
    const check = (...events) => checkHistory(events, { tolerance: 0 }).violations;
    const writes = [
      write({ a: 1, b: 2 }),
      write(1n, { b: 2, a: 1 }),
      write(circle, 7),
      write(3, 8),
    ];
    expect(check(...writes)).toEqual([]);
    expect(check(write({ a: 1 }), write(2, { a: 2 }))).toMatchObject([
      { invariant: 'I2', sequence: 1 },
    ]);
  });
});

describe('what of other systems is let be', () => {
  test('kinds and fields that are not ours', () => {
    const events = [
      at(0, 'nemesis', 'partition', { value: ['n1', 'n2'], peer: ['n1'] }),
      at(0, 'n1', 'drop'),
      at(0, 'n1', 'gc', { message: 17, sequence: 'a1', until: 'soon', token: -1, lock: {} }),
      at(1, 'n1', 'clock-step', { until: 'soon' }),
      { ...granted(1, 'A', 7, 2), message: 17, sequence: 'a1' },
    ];
    const { judged, violations } = checkHistory(events);
    expect(violations).toEqual([]);
    expect(judged).toMatchObject({ events: 5, notJudged: 3, grants: 1 });
    for (const event of events) expect(describeEvent(event)).toMatch(/^\S.*\.$/);
  });

  test('an event of any kind has a sentence', () => {
    const { events } = simulate(suiteScenario('chaos', 3));
    for (const event of events) {
      for (const field of ['peer', 'operation', 'reason', 'outcome', 'by', 'value', 'message']) {
        const less = { ...event, [field]: undefined };
        const needed = ['peer', 'outcome'].includes(field) && 'lock' in event;
        if (!needed) expect(describeEvent(less)).toMatch(/^\S.*\.$/);
      }
    }
    expect(describeEvent(at(0, '', 'crash'))).toBe(': crash.');
    expect(describeEvent(at(0, 'A', 'toString', { peer: 'B' }))).toBe('A: toString (B).');
    expect(describeEvent(at(0, 'db', 'read', { key: 'K', value: 1n }))).toBe(
      'Db reads: K holds “1”.',
    );
  });

  test('a refusal for a reason of its own; but not for ours', () => {
    const refused = (reason) =>
      at(2, 'locks', 'renew', { peer: 'A', lock: 'L', token: 7, outcome: 'refused', reason });
    const found = (reason) => checkHistory([granted(1, 'A', 7, 9), refused(reason)]).violations;
    expect(found('not leader')).toEqual([]);
    for (const reason of [undefined, null, '', 'not the live lease']) {
      expect(found(reason)).toMatchObject([{ invariant: 'R4' }]);
    }
  });

  test('a holder that a refusal names, though its grant is not told', () => {
    const refused = (holder) =>
      at(12, 'locks', 'acquire', { peer: 'C', lock: 'L', outcome: 'refused', holder });
    const found = (holder) => checkHistory([granted(1, 'A', 7, 9), refused(holder)]).violations;
    expect(found('B')).toEqual([]);
    expect(found('A')).toMatchObject([{ invariant: 'R1', node: 'C' }]);
  });
});

describe('trust that does not name its lock', () => {
  const on = (event, lock) => ({ ...event, lock });
  const given = (time, peer, lock) =>
    at(time, 'locks', 'release', { peer, lock, outcome: 'ok', token: 7 });
  const trust = (time, node, token) => at(time, node, 'trust', { token, until: time + 9 });
  const loose = (...events) => checkHistory(events).judged.looseTrusts;

  test('is of the only lock that fits', () => {
    const both = [on(granted(1, 'A', 7, 9), 'L1'), on(granted(1, 'A', 7, 9), 'L2')];
    expect(loose(...both, trust(2, 'A', 7))).toBe(1);
    expect(loose(...both, given(1.5, 'A', 'L2'), trust(2, 'A', 7))).toBe(0);
    expect(loose(...both, given(1.5, 'A', 'L2'), trust(2, 'A', 8))).toBe(1);
    expect(loose(both[0], at(1.5, 'A', 'distrust'), trust(2, 'A', 7))).toBe(0);
    const expired = at(1.5, 'locks', 'expire', { peer: 'A', lock: 'L2' });
    expect(loose(...both, expired, trust(2, 'A', 7))).toBe(0);
    const { violations } = checkHistory([
      ...both,
      given(1.5, 'A', 'L2'),
      trust(2, 'A', 7),
      on(granted(3, 'B', 8, 20), 'L2'),
      trust(4, 'B', 8),
    ]);
    expect(violations).toEqual([]);
  });

  test('is not placed among very many', () => {
    const grants = Array.from({ length: 17 }, (_, i) => on(granted(1, 'A', i, 9), `L${i}`));
    expect(loose(...grants.slice(0, 16), trust(2, 'A', 3))).toBe(0);
    expect(loose(...grants, trust(2, 'A', 3))).toBe(1);
  });
});

describe('events that stand in the other order, within a millisecond', () => {
  const release = (time, peer, token) =>
    at(time, 'locks', 'release', { peer, lock: 'L', token, outcome: 'ok' });
  const write = (time, peer, token) =>
    at(time, 'db', 'write', { peer, key: 'K', token, outcome: 'accepted' });
  const events = [
    granted(1, 'A', 7, 11),
    granted(5, 'B', 8, 15),
    release(5, 'A', 7),
    write(5.5, 'B', 8),
    write(5.5004, 'A', 7),
  ];

  test('are no fault, unless times are said to be exact', () => {
    expect(checkHistory(events).violations).toEqual([]);
    const { violations } = checkHistory(events, { tolerance: 0 });
    expect(violations.map(({ invariant, sequence }) => [invariant, sequence])).toEqual([
      ['I1', 1],
      ['R5', 2],
      ['I2', 4],
    ]);
  });

  test('are one when the storage names the newer token itself', () => {
    const told = [...events.slice(0, 4), { ...events[4], highest: 8 }];
    expect(checkHistory(told).violations).toMatchObject([{ invariant: 'I2', sequence: 4 }]);
  });
});

describe('our own runs', () => {
  // As the simulator judges them, save by what only a scenario promises.
  const told = ({ invariant, sequence, time, text }) => `${invariant} ${sequence} ${time} ${text}`;

  function compare(document) {
    const { events, violations, scenario } = simulate(document);
    const lines = events.map((event) => JSON.parse(JSON.stringify(event)));
    const found = checkHistory(lines, { fencing: scenario.fencing }).violations;
    expect(found.map(told).sort()).toEqual(violations.map(told).sort());
    return found;
  }

  test.each(presets.map(({ name, scenario }) => [name, scenario]))('preset %s', (_, scenario) => {
    for (const fencing of RULES) compare({ ...scenario, fencing });
  });

  test.each([
    ['chaos', 'at-least', 200],
    ['chaos', 'above', 200],
    ['chaos', 'off', 200],
    ['drift', 'at-least', 50],
  ])('%s, %s, %i seeds', (suite, fencing, seeds) => {
    const found = [];
    for (let seed = 1; seed <= seeds; seed += 1) {
      found.push(...compare(suiteScenario(suite, seed, { fencing })));
    }
    const invariants = new Set(found.map(({ invariant }) => invariant));
    if (suite === 'chaos' && fencing === 'off')
      expect([...invariants].sort()).toEqual(['I2', 'I3']);
    else expect(found).toEqual([]);
  });

  test('two that trust at once, as their clocks come apart', () => {
    const document = {
      version: 1,
      until: 40,
      clients: [
        { renew: true, work: 20, clock: { rate: 0.5 } },
        { renew: true, work: 20, start: 1 },
      ],
      faults: [{ kind: 'partition', between: ['client 1', 'lock service'], from: 1, to: 30 }],
    };
    const { events, violations } = simulate(document);
    const found = checkHistory(events).violations;
    // The simulator tells of it again whenever trust is renewed.
    const [first] = violations;
    expect(first).toMatchObject({ invariant: 'I4', node: 'client 1', peer: 'client 2' });
    expect(found).toMatchObject([{ invariant: 'I4', time: first.time, lock: first.lock }]);
  });
});

describe('reading', () => {
  const good = [granted(1, 'A', 7, 2), granted(3, 'B', 8, 4)];

  test.each([
    [
      [good[0], { ...good[1], time: 'soon' }],
      1,
      'time',
      'event 2, field "time": expected a finite number of seconds, got "soon"',
    ],
    ...[1.1e15, -1.1e15].map((time) => [
      [
        { ...good[0], time: Math.min(time, 1) },
        { ...good[1], time },
      ],
      time < 0 ? 0 : 1,
      'time',
      `field "time": expected a number of seconds of at most 1e15, got ${time}`,
    ]),
    [[good[1], good[0]], 1, 'time', 'event 2, field "time": 1 is before 3, the event ahead'],
    [
      [good[0], { ...good[1], token: -1 }],
      1,
      'token',
      'event 2, field "token": expected an integer',
    ],
    [[{ time: 1, node: 'x' }], 0, 'kind', 'event 1, field "kind": is missing'],
    [[at(1, 'x', 'renew', { lock: 'L', outcome: 'ok' })], 0, 'peer', 'needs it'],
    [[good[0], null], 1, undefined, 'event 2: expected an event as an object, got null'],
  ])(
    'an event that can’t be read is an error that says where: %#',
    (events, index, field, text) => {
      let error;
      try {
        checkHistory(events);
      } catch (caught) {
        error = caught;
      }
      expect(error).toMatchObject({
        code: 'INVALID_HISTORY',
        index,
        message: expect.stringContaining(text),
      });
      expect(error.field).toBe(field);
    },
  );

  test('options', () => {
    for (const options of [
      { fencing: 'maybe' },
      { tolerance: -1 },
      { tolerance: NaN },
      { limit: '3' },
      { limit: 0.5 },
      { limit: -1 },
      { limitt: 3 },
    ]) {
      expect(() => checkHistory(good, options)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTIONS' }),
      );
    }
    expect(
      checkHistory([granted(1, 'A', 7, 2), granted(1.9, 'B', 8, 3)], { tolerance: 0.2 }).violations,
    ).toEqual([]);
  });

  test('more violations are counted than kept', () => {
    const events = Array.from({ length: 5000 }, (_, i) =>
      granted(i, `client ${i}`, 5000 - i, i + 9),
    );
    const { violations, violationCount } = checkHistory(events, { limit: 700 });
    expect(violations).toHaveLength(700);
    expect(violations.at(-1).sequence).toBe(350);
    expect(violationCount).toBe(2 * 4999);
    expect(checkHistory(events).violations).toHaveLength(1000);
  });

  test('lists, documents and lines are read, in parts of any size', () => {
    const lines = `\ufeff\n${good.map((event) => JSON.stringify(event)).join('\r\n\n')}`;
    for (const text of [lines, JSON.stringify(good), JSON.stringify({ events: good }, null, 1)]) {
      for (const size of [1, 7, 10_000]) {
        const reader = new HistoryReader();
        const read = [];
        for (let from = 0; from < text.length; from += size) {
          read.push(...reader.push(text.slice(from, from + size)));
        }
        read.push(...reader.end());
        expect(read.map(({ event }) => event)).toEqual(good);
        expect(read.map(({ place }) => place)).toEqual(
          text === lines ? [{ line: 2 }, { line: 4 }] : [{ index: 0 }, { index: 1 }],
        );
      }
    }
  });

  test('what is no history is told as soon as it is known', () => {
    for (const text of [
      '# comment\n',
      'Once upon a time',
      '<html>',
      '{"version":1}\n{"time":1}\n',
    ]) {
      expect(() => new HistoryReader().push(text)).toThrow(
        expect.objectContaining({ code: 'INVALID_HISTORY', line: 1 }),
      );
    }
    for (const text of ['[]', '{"events": []}', '\n']) {
      const reader = new HistoryReader();
      expect(reader.push(text)).toEqual([]);
      expect(() => reader.end()).toThrow(/ is empty\.$/);
    }
  });

  test('what comes before a broken line is read first', () => {
    const reader = new HistoryReader();
    const [line] = good.map((event) => JSON.stringify(event));
    expect(reader.push(`${line}\n{"time"\n${line}\n`)).toHaveLength(1);
    const isBroken = expect.objectContaining({ line: 2 });
    expect(() => reader.push(line)).toThrow(isBroken);
    expect(() => reader.end()).toThrow(isBroken);
  });

  test('all that are counted are kept, where there is room', () => {
    const events = [];
    for (let i = 0; i < 3000; i += 1) {
      const time = i / 2000;
      events.push(at(time, `client ${i % 20}`, 'trust', { lock: 'L', token: i % 3, until: 99 }));
      events.push(granted(time, `client ${i % 7}`, i % 5, 99));
    }
    const { violations, violationCount } = checkHistory(events, { limit: 1e6 });
    expect(violations).toHaveLength(violationCount);
    expect(violationCount).toBeGreaterThan(3000);
  });

  test('two at a time do not meddle with each other', () => {
    const one = new HistoryChecker();
    const other = new HistoryChecker();
    for (let i = 0; i < 1000; i += 1) {
      one.add(granted(i, `client ${i}`, i, i + 0.5));
      other.add(granted(i, `client ${i}`, i, i + 1.5));
    }
    expect(one.finish().violationCount).toBe(0);
    expect(other.finish().violationCount).toBe(999);
  });

  test('one that has finished takes no more', () => {
    const checker = new HistoryChecker();
    expect(Object.keys(checker)).toEqual([]);
    checker.finish();
    checker[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
    checker.dispose();
    const isDisposed = expect.objectContaining({ code: 'DISPOSED' });
    expect(() => checker.add(good[0])).toThrow(isDisposed);
    expect(() => checker.finish()).toThrow(isDisposed);
  });

  test('a million events in little memory', () => {
    function* events() {
      for (let i = 0; i < 1_000_000; i += 1) {
        yield granted(i, `client ${i % 7}`, i, i + (i === 777_777 ? 2 : 0.5));
      }
    }
    const before = process.memoryUsage().arrayBuffers;
    const { violations, judged } = checkHistory(events());
    expect(violations).toMatchObject([{ invariant: 'I1', sequence: 777_778 }]);
    expect(judged).toMatchObject({ events: 1_000_000, grants: 1_000_000, locks: 1 });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1e6);
  });
});

test('the README’s example is read', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const lines = readme.split('\n').filter((line) => line.startsWith('{"time"'));
  const { judged } = checkHistory(lines.map((line) => JSON.parse(line)));
  expect(judged).toMatchObject({ events: 3, grants: 1, ends: 1, trusts: 0, rejections: 1 });
  expect(judged.notJudged).toBe(0);
});

describe('what was judged', () => {
  test('is told, and what was not', () => {
    const { judged, notJudged } = whatWasJudged(check('stale-write'));
    expect(judged).toEqual([
      'I1: tokens rise, by 1 grant after another of the same lock.',
      'I2: accepted tokens never fall, by 3 writes.',
    ]);
    expect(notJudged).toEqual(
      expect.arrayContaining([
        'I1, one live lease a lock: no grant tells until when it lasts (‘until’).',
        'I4, no two clients trust at once: no two are told to trust one lock.',
      ]),
    );
  });

  test('of nothing, nothing', () => {
    for (const options of [{}, { fencing: 'above' }]) {
      const { judged, notJudged } = whatWasJudged(checkHistory([], options));
      expect(judged).toEqual([]);
      expect(notJudged.length).toBeGreaterThan(4);
    }
  });

  test('of trust, where two clients trust one lock', () => {
    const trust = (node, lock) => at(1, node, 'trust', { lock, until: 1 });
    const trusts = (...events) => checkHistory(events).judged.trusts;
    expect(trusts(trust('A', 'L'), trust('A', 'L'), trust('B', 'M'))).toBe(0);
    expect(trusts(trust('A', 'L'), trust('B', 'L'), trust('A', 'L'))).toBe(3);
  });

  test('an outcome that tells nothing is counted, and so is trust that can’t be placed', () => {
    const result = checkHistory([
      granted(1, 'A', 7, 2),
      at(1, 'locks', 'release', { peer: 'A', lock: 'L', outcome: 'timeout' }),
      at(1, 'A', 'trust', { token: 6 }),
      at(1, 'A', 'trust', { token: 7, until: null }),
    ]);
    expect(result.judged).toMatchObject({ unknownOutcomes: 1, looseTrusts: 1, blindTrusts: 1 });
    expect(whatWasJudged(result).notJudged.join('\n')).toMatch(/1 event with an outcome/);
  });
});
