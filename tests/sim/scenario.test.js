// Scenario documents: what is filled in, and what is refused with which words.

import { readFileSync } from 'node:fs';
import { FAULTS, FENCING } from '../../js/scenario.js';
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
      /^network\.latency\[1\]: expected .* from 2 .*, got 1$/,
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
      /^clients\[1\]\.clock\.rate: expected a number above 0, got "fast"$/,
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

test('the lists of faults and of fencing rules are the core’s own', () => {
  const module = new WebAssembly.Module(readFileSync('build/simulator.wasm'));
  const env = { emscripten_notify_memory_growth() {} };
  const { exports: core } = new WebAssembly.Instance(module, { env });
  core._initialize();
  const bytes = new Uint8Array(core.memory.buffer);
  const table = (number) => {
    const texts = [];
    for (let at; (at = core.simulatorText(number, texts.length)) !== 0;) {
      texts.push(String.fromCharCode(...bytes.subarray(at, bytes.indexOf(0, at))));
    }
    return texts;
  };
  expect(table(4)).toEqual(FAULTS);
  expect(table(5)).toEqual(FENCING);
});
