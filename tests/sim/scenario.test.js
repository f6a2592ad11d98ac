// Scenario documents: what is filled in, and what is refused with which words.

import { completeScenario, presets, simulate, suiteScenario } from 'fencelock/simulator';

const bad = (change) => ({ version: 1, clients: [{}, {}], ...change });

const fault = (change) => bad({ faults: [change] });

describe('a scenario', () => {
  test('gets every default', () => {
    expect(completeScenario({ version: 1, clients: [{ id: 'a' }] })).toEqual({
      version: 1,
      lease: 10,
      firstToken: 1,
      fencing: 'at-least',
      until: 30,
      seed: 1,
      origin: 0,
      holder: { maxClockSkew: 0.25, minRenewLead: 2, rateError: 0 },
      service: { clock: { offset: 0, rate: 1 } },
      storage: { clock: { offset: 0, rate: 1 } },
      network: { latency: [0.01, 0.05], loss: 0, duplicate: 0, timeout: 0.5, calmFrom: null },
      clients: [
        {
          id: 'a',
          start: 0,
          work: 1,
          writes: 1,
          renew: false,
          fence: false,
          cycles: 1,
          rest: 0,
          retry: 0.5,
          lock: 'the lock',
          key: 'the file',
          clock: { offset: 0, rate: 1 },
        },
      ],
      faults: [],
    });
  });

  test('stays as it is when it is complete', () => {
    for (const { scenario } of presets) {
      const complete = completeScenario(scenario);
      expect(completeScenario(complete)).toEqual(complete);
    }
  });

  test.each([
    [null, /^scenario: expected an object, got null$/],
    [{ clients: [] }, /^version: expected 1, got nothing$/],
    [{ version: 2, clients: [] }, /^version: expected 1, got 2$/],
    [{ version: 1 }, /^clients: expected a list, got nothing$/],
    [bad({ lease: 0 }), /^lease: expected a number of seconds above 0, at most 8388608, got 0$/],
    [bad({ lease: NaN }), /^lease: expected .*, got NaN$/],
    [
      bad({ lease: 1e-7 }),
      /^lease: expected a number of seconds from 0.000001 to 8388608, got 1e-7$/,
    ],
    [bad({ lease: 9e9 }), /^lease: expected a number of seconds from 0.000001 to 8388608, got 9/],
    [bad({ until: 9e9 }), /^until: expected a number of seconds from 0 to 8388608, got 9/],
    [bad({ origin: -9e9 }), /^origin: expected a number of seconds from -\d+.* to \d+.*, got -9/],
    [bad({ network: { latency: [0, 5000] } }), /latency\[1\]: .* from 0 to 4095, got 5000$/],
    [
      bad({ network: { calmFrom: 'noon' } }),
      /^network.calmFrom: .* from 0 to 8388608, got "noon"$/,
    ],
    [bad({ clients: Array(2) }), /^clients\[0\]: expected an object, got nothing$/],
    [
      bad({ clients: [{ id: '' }] }),
      /^clients\[0\].id: expected a text that is not empty, got ""$/,
    ],
    [bad({ clients: [{ id: 7 }] }), /^clients\[0\].id: expected a text, got 7$/],
    [
      JSON.parse('{ "version": 1, "clients": [{ "__proto__": { "renew": true } }] }'),
      /^clients\[0\].__proto__: expected no such field/,
    ],
    [bad({ fencing: 'on' }), /^fencing: expected one of "at-least", "above", "off", got "on"$/],
    [bad({ firstToken: 1.5 }), /^firstToken: expected a whole number .*, got 1.5$/],
    [bad({ until: -1 }), /^until: expected a number of seconds from 0 to 8388608, got -1$/],
    [bad({ speed: 1 }), /^speed: expected no such field \(there are version, .*\), got 1$/],
    [bad({ holder: 5 }), /^holder: expected an object, got 5$/],
    [
      bad({ network: { latency: 1 } }),
      /^network\.latency: expected a list \[least, most\], got 1$/,
    ],
    [
      bad({ network: { latency: [2, 1] } }),
      /^network\.latency\[1\]: expected .* from 2 to 4095, got 1$/,
    ],
    [bad({ network: { loss: 2 } }), /^network\.loss: expected a number from 0 to 1, got 2$/],
    [
      bad({ clients: [{}, { id: 'client 1' }] }),
      /^clients\[1\]\.id: expected a name .*, got "client 1"$/,
    ],
    [
      bad({ clients: [{ id: 'storage' }] }),
      /^clients\[0\]\.id: expected a name .*, got "storage"$/,
    ],
    [
      bad({ clients: [{}, { clock: { rate: 'fast' } }] }),
      /^clients\[1\]\.clock\.rate: expected a number from 0.01 to 100, got "fast"$/,
    ],
    [bad({ clients: [{ renew: 1 }] }), /^clients\[0\]\.renew: expected true or false, got 1$/],
    [
      bad({ clients: [{ cycles: 0 }] }),
      /^clients\[0\]\.cycles: expected a whole number from 1 .*, got 0$/,
    ],
    [bad({ clients: Array(31).fill({}) }), /^clients.length: expected at most 30, got 31$/],
    [fault({ kind: 'fire' }), /^faults\[0\]\.kind: expected one of "pause", .*, got "fire"$/],
    [
      fault({ kind: 'pause', node: 'client 9', from: 0, to: 1 }),
      /^faults\[0\]\.node: expected a node \(lock service, storage, client 1, client 2\), got "client 9"$/,
    ],
    [
      fault({ kind: 'pause', node: 'client 1', from: 2, to: 1 }),
      /^faults\[0\]\.to: expected a number of seconds from 2 to 8388608, got 1$/,
    ],
    [
      fault({ kind: 'pause', node: 'client 1', from: 2 }),
      /^faults\[0\]\.to: expected .*, got nothing$/,
    ],
    [
      fault({ kind: 'crash', node: 'client 1', at: 2, restart: 1 }),
      /^faults\[0\]\.restart: expected .*from 2 to 8388608, got 1$/,
    ],
    [
      fault({ kind: 'partition', between: ['client 1'], from: 0, to: 1 }),
      /^faults\[0\]\.between: expected a list of two nodes, got an array$/,
    ],
    [
      fault({ kind: 'partition', between: ['client 1', 'client 1'], from: 0, to: 1 }),
      /^faults\[0\]\.between\[1\]: expected another node/,
    ],
    [
      fault({ kind: 'delay', message: 'client 1 -> client 2 #1', by: 1 }),
      /^faults\[0\]\.message: expected a message between a client and a server/,
    ],
    [
      fault({ kind: 'delay', message: 'client 1 -> storage #0', by: 1 }),
      /^faults\[0\]\.message: expected/,
    ],
    [
      fault({ kind: 'drop', message: 'client 1 -> storage #1', by: 1 }),
      /^faults\[0\]\.by: expected no such field/,
    ],
  ])('%j is refused', (document, words) => {
    expect.assertions(2);
    try {
      simulate(document);
    } catch (error) {
      expect(error.code).toBe('INVALID_SCENARIO');
      expect(error.message).toMatch(words);
    }
  });

  test('options of the holder that contradict each other are refused', () => {
    const document = { version: 1, lease: 2, clients: [{ renew: true }] };
    expect(() => simulate(document)).toThrow(
      'holder: lease * (1 - rateError) must be above maxClockSkew + minRenewLead, got lease 2, ',
    );
    expect(() => simulate({ ...document, clients: [{}] })).not.toThrow();
  });

  test('so are those that do so in the ticks of the core alone', () => {
    const document = { version: 1, lease: 2.2500005, clients: [{ renew: true }] };
    expect(() => simulate(document)).toThrow(
      /^holder: lease .* must be above .*, got lease 2.2500005, .*, and times count in ticks of/,
    );
  });

  test('reads each field once', () => {
    const reads = new Map();
    const watch = (value, path) =>
      new Proxy(value, {
        get(target, name) {
          const at = `${path}.${String(name)}`;
          if (typeof name === 'string' && name !== 'length') {
            reads.set(at, (reads.get(at) ?? 0) + 1);
          }
          const inner = target[name];
          return typeof inner === 'object' && inner !== null ? watch(inner, at) : inner;
        },
      });
    const document = {
      ...suiteScenario('chaos', 1),
      faults: [
        { kind: 'crash', node: 'storage', at: 1, restart: 2 },
        { kind: 'partition', between: ['client 1', 'storage'], from: 1, to: 2, oneWay: true },
        { kind: 'delay', message: 'client 1 -> storage #1', by: 2 },
        { kind: 'clock-step', node: 'storage', at: 1, by: 2 },
      ],
    };
    expect(completeScenario(watch(document, ''))).toEqual(completeScenario(document));
    expect([...reads].filter(([, count]) => count > 1)).toEqual([]);
    expect(reads.size).toBeGreaterThan(60);
  });

  test('takes what the core’s tables have, and no more', () => {
    const kinds = [
      { kind: 'pause', node: 'storage', from: 1, to: 2 },
      { kind: 'suspend', node: 'storage', from: 1, to: 2 },
      { kind: 'crash', node: 'storage', at: 1, restart: null },
      { kind: 'partition', between: ['client 1', 'storage'], from: 1, to: 2 },
      { kind: 'clock-step', node: 'storage', at: 1, by: 1 },
      { kind: 'delay', message: 'client 1 -> storage #1', by: 1 },
      { kind: 'drop', message: 'client 1 -> storage #1' },
      { kind: 'duplicate', message: 'client 1 -> storage #1', by: 1 },
    ];
    for (const one of kinds) expect(() => simulate(fault(one))).not.toThrow();
    const words = kinds.map(({ kind }) => JSON.stringify(kind)).join(', ');
    expect(() => simulate(fault({ kind: 'fire' }))).toThrow(`expected one of ${words}, got`);
  });

  test('has names of any kind', () => {
    const id = ' -> storage #1 ';
    const { events } = simulate({
      version: 1,
      clients: [{ id, lock: '', key: '\ud800' }].map((client) => ({ ...client, lock: '#' })),
      faults: [{ kind: 'delay', message: `${id} -> lock service #1`, by: 3 }],
    });
    expect(events.find(({ kind }) => kind === 'acquire')).toMatchObject({ peer: id, lock: '#' });
    expect(events.find(({ kind }) => kind === 'acquire').time).toBeGreaterThan(0.5);
    expect(events.find(({ kind }) => kind === 'write').key).toBe('\ud800');
  });
});

describe('a scenario of a suite', () => {
  test.each(['chaos', 'drift'])('%s: is the same document each time, and complete', (suite) => {
    for (let seed = 1; seed <= 200; seed++) {
      const scenario = suiteScenario(suite, seed);
      expect(suiteScenario(suite, seed)).toEqual(scenario);
      expect(completeScenario(JSON.parse(JSON.stringify(scenario)))).toEqual(scenario);
    }
  });

  test('differs by seed, and takes its fencing', () => {
    expect(suiteScenario('chaos', 1)).not.toEqual(suiteScenario('chaos', 2));
    const { fencing, ...rest } = suiteScenario('chaos', 1, { fencing: 'off' });
    expect(fencing).toBe('off');
    expect({ ...rest, fencing: 'at-least' }).toEqual(suiteScenario('chaos', 1));
  });

  test('is asked for in good words', () => {
    expect(() => suiteScenario('order', 1)).toThrow(/suite: expected chaos or drift, got "order"/);
    expect(() => suiteScenario('chaos', 1.5)).toThrow(/seed: expected a whole number/);
  });
});
