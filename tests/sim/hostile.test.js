// Scenarios at and beyond the edge of what anyone would ask for: none stops the core, none goes on
// for ever, and none is said to break what it does not.

import { describe as sentence, simulate, suiteScenario } from 'fencelock/simulator';

const TICK = 2 ** -19;

const clients = (count, plan = {}) =>
  Array.from({ length: count }, (_, i) => ({ id: `client ${i + 1}`, ...plan }));

const KEEPER = { renew: true, fence: true, cycles: 20 };

/** Every fault that can happen to a node, all at one instant. */
const allAt = (node, at, end) => [
  { kind: 'pause', node, from: at, to: end },
  { kind: 'suspend', node, from: at, to: end },
  { kind: 'crash', node, at, restart: end },
  { kind: 'clock-step', node, at, by: -1 },
  { kind: 'clock-step', node, at, by: 1 },
];

const NODES = ['client 1', 'client 2', 'lock service', 'storage'];
const ALL_AT_ONCE = [
  ...NODES.flatMap((node) => allAt(node, 1, 3)),
  { kind: 'partition', between: ['client 1', 'lock service'], from: 1, to: 3 },
  { kind: 'partition', between: ['storage', 'client 1'], from: 1, to: 3, oneWay: true },
];
const OVERLAPPING = [
  { kind: 'pause', node: 'client 1', from: 1, to: 6 },
  { kind: 'pause', node: 'client 1', from: 2, to: 4 },
  { kind: 'suspend', node: 'client 1', from: 3, to: 8 },
  { kind: 'suspend', node: 'client 1', from: 5, to: 9 },
  { kind: 'crash', node: 'client 1', at: 7, restart: 10 },
  { kind: 'crash', node: 'client 1', at: 9.5, restart: 9.7 },
  { kind: 'pause', node: 'client 1', from: 9.6, to: 12 },
  { kind: 'partition', between: ['client 1', 'lock service'], from: 1, to: 20 },
  { kind: 'partition', between: ['lock service', 'client 1'], from: 2, to: 19, oneWay: true },
];
const TWICE = { kind: 'delay', message: 'client 1 -> storage #1', by: 8 };

const CALM = { latency: [0, 0] };
const SHORT = { maxClockSkew: 0, minRenewLead: 0 };

const scenarios = {
  'no client': { clients: [], faults: allAt('storage', 0, 5) },
  '30 clients': { clients: clients(30, KEEPER) },
  'every fault at once': { clients: clients(3, KEEPER), lease: 3, faults: ALL_AT_ONCE },
  'every fault at once, the other way round': {
    clients: clients(3, KEEPER),
    lease: 3,
    faults: [...ALL_AT_ONCE].reverse(),
  },
  'every fault twice': { clients: clients(3), faults: [...ALL_AT_ONCE, ...ALL_AT_ONCE] },
  'faults of one node that overlap': { clients: clients(3, KEEPER), faults: OVERLAPPING },
  'an end at 0': { clients: clients(3, KEEPER), until: 0 },
  'no latency': { clients: clients(3, { ...KEEPER, work: 0 }), network: CALM },
  'no latency, no time': {
    clients: clients(3, { work: 0, cycles: 1000 }),
    network: CALM,
    until: 0,
  },
  'a latency of up to an hour': {
    clients: clients(3, KEEPER),
    network: { latency: [0, 4095], timeout: 1000 },
    until: 100_000,
  },
  'answers that always come too late': {
    clients: clients(3, KEEPER),
    network: { latency: [6, 6] },
    until: 300,
  },
  'the last tokens': { clients: clients(3, KEEPER), firstToken: 2 ** 53 - 3, until: 100 },
  'the last token, then a restart': {
    clients: clients(3, KEEPER),
    firstToken: 2 ** 53 - 1,
    until: 100,
    faults: [{ kind: 'crash', node: 'lock service', at: 20, restart: 21 }],
  },
  'a lease of one tick': {
    clients: clients(3, { ...KEEPER, work: 0, retry: TICK }),
    lease: TICK,
    holder: SHORT,
    network: CALM,
    until: 0.05,
  },
  'clocks below 0': {
    clients: clients(3, { ...KEEPER, clock: { offset: -8e6 } }),
    origin: -7e8,
  },
  'clocks of all speeds': {
    clients: [0.01, 1, 100].map((rate, i) => ({ id: `${i}`, cycles: 5, clock: { rate } })),
    service: { clock: { rate: 100 } },
    storage: { clock: { rate: 0.01 } },
    until: 1000,
  },
  'a fast clock and a short partition, with a lease that leaves no room for both': {
    clients: [{ id: 'client 1', renew: true, work: 20, clock: { rate: 1.5 } }],
    lease: 3,
    network: CALM,
    faults: [{ kind: 'partition', between: ['client 1', 'lock service'], from: 1, to: 3 }],
  },
  'a service that restarts, and whose clock then goes on and back': {
    clients: clients(2, KEEPER),
    faults: [
      { kind: 'crash', node: 'lock service', at: 0, restart: 0 },
      { kind: 'clock-step', node: 'lock service', at: 0, by: 400_000 },
      { kind: 'clock-step', node: 'lock service', at: 0, by: -600_000 },
    ],
  },
  'a clock that goes back at the instant after trust ended': {
    clients: [{ id: 'client 1', renew: true, work: 100 }],
    network: CALM,
    faults: [
      { kind: 'partition', between: ['client 1', 'lock service'], from: 0.1, to: 30 },
      { kind: 'clock-step', node: 'client 1', at: 9.7501, by: -5 },
    ],
  },
  'the longest times': {
    clients: clients(2, { work: 8e6, start: 8388608 }),
    lease: 8388608,
    until: 8388608,
  },
  'no write': { clients: clients(3, { ...KEEPER, writes: 0 }) },
  '1000 writes': { clients: clients(2, { writes: 1000, renew: true }), until: 200 },
  '1000 cycles': { clients: clients(2, { cycles: 1000, work: 0.01, renew: true }), until: 200 },
  'one message, delayed twice': { clients: clients(2), faults: [TWICE, TWICE] },
  'a message that is never sent': {
    clients: clients(2),
    faults: [{ ...TWICE, message: 'client 1 -> storage #999999999' }],
  },
  'names that look like messages': {
    clients: ['a', 'a -> storage', ' -> ', '#1', '\ud800', '__proto__', 'x'.repeat(1e5)].map(
      (id) => ({ id, ...KEEPER }),
    ),
    faults: [{ ...TWICE, message: 'a -> storage -> storage #1' }],
  },
  'a network that loses everything': { clients: clients(2, KEEPER), network: { loss: 1 } },
  'a network that sends everything twice': {
    clients: clients(2, KEEPER),
    network: { duplicate: 1, latency: [0, 3] },
  },
};

describe('a scenario at the edge', () => {
  test.each(Object.entries(scenarios))('%s', (_, scenario) => {
    const { events, violations } = simulate({ version: 1, ...scenario }, { limit: 100_000 });
    expect(violations).toEqual([]);
    for (const event of events.slice(0, 5000)) {
      expect(sentence(event)).not.toMatch(/undefined|null|NaN|\[object/);
    }
  });

  test('a million events are enough, whatever is asked for', () => {
    const endless = { clients: clients(2, { work: 0, cycles: 1e6 }), network: CALM, until: 1e6 };
    const { events, truncated } = simulate({ version: 1, ...endless }, { limit: 5e6 });
    expect(events.length).toBeGreaterThanOrEqual(1e6);
    expect(events.length).toBeLessThan(1.001e6);
    expect(truncated).toBe(true);
  }, 120_000);
});

test('every event of the suites has a sentence', () => {
  for (const suite of ['chaos', 'drift']) {
    for (let seed = 1; seed <= 60; seed++) {
      for (const fencing of ['at-least', 'above', 'off']) {
        for (const event of simulate(suiteScenario(suite, seed, { fencing })).events) {
          const said = sentence(event);
          if (/^[A-Z][^\n]*\.$/.test(said) && !/undefined|null|NaN|\[object/.test(said)) continue;
          throw new Error(`${suite} ${seed}: ${JSON.stringify(event)} gives “${said}”`);
        }
      }
    }
  }
}, 120_000);
