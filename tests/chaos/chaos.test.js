// Three clients, one lock, a lease of 3 seconds: each takes the lock, works or stalls, writes with
// its token, releases; one may crash in the middle of it and restart. Whatever happens, the storage
// never accepts a token older than one it has accepted.

import { explainFailure, simulate, suiteScenario } from 'fencelock/simulator';
import { pathToFileURL } from 'node:url';

const PAGE = pathToFileURL('dist/fencelock.html').href;
const SEEDS = Number(process.env.FENCELOCK_CHAOS_SEEDS ?? 1000);
const seeds = Array.from({ length: SEEDS }, (_, index) => index + 1);

/** Runs a seed of the suite, with one fencing rule. */
function run(seed, fencing) {
  return simulate({ ...suiteScenario('chaos', seed), fencing });
}

const acceptedWrites = ({ events }) =>
  events.filter(({ kind, outcome }) => kind === 'write' && outcome === 'accepted');

/** The accepted writes whose token is older than one accepted before them, for the same key. */
function staleWrites(trace) {
  const highest = new Map();
  return acceptedWrites(trace).filter(({ key, token }) => {
    const stale = token < (highest.get(key) ?? 0);
    highest.set(key, Math.max(token, highest.get(key) ?? 0));
    return stale;
  });
}

test('the scenario is what it says', () => {
  for (const seed of seeds.slice(0, 20)) {
    const { lease, clients } = run(seed, 'at-least').scenario;
    expect(lease).toBe(3);
    expect(clients).toHaveLength(3);
    expect(new Set(clients.map(({ lock }) => lock)).size).toBe(1);
  }
});

describe.each(['at-least', 'above'])(`${SEEDS} seeds with the rule %s`, (fencing) => {
  const seen = { accepted: 0, rejected: 0, crashes: 0, expiries: 0 };

  test('the storage never accepts a token older than one it accepted', () => {
    for (const seed of seeds) {
      const trace = run(seed, fencing);
      expect({ seed, stale: staleWrites(trace) }).toEqual({ seed, stale: [] });
      if (trace.violations.length > 0)
        throw new Error(explainFailure('chaos', seed, { fencing, page: PAGE }).text);
      seen.accepted += acceptedWrites(trace).length;
      for (const { kind, outcome } of trace.events) {
        if (kind === 'write' && outcome === 'rejected') seen.rejected += 1;
        if (kind === 'crash') seen.crashes += 1;
        if (kind === 'expire') seen.expiries += 1;
      }
    }
  });

  test('these seeds do what they are for: leases end early, clients crash, writes come late', () => {
    expect(seen.accepted).toBeGreaterThan(SEEDS);
    expect(seen.rejected).toBeGreaterThan(0);
    expect(seen.crashes).toBeGreaterThan(0);
    expect(seen.expiries).toBeGreaterThan(0);
  });
});

test('without fencing some of these seeds corrupt the data', () => {
  const corrupting = seeds.filter((seed) => staleWrites(run(seed, 'off')).length > 0);
  expect(corrupting.length).toBeGreaterThan(0);
  for (const seed of corrupting) expect(staleWrites(run(seed, 'at-least'))).toEqual([]);
});

test('a seed gives the same trace each time, another seed another', () => {
  const hashes = seeds.slice(0, 50).map((seed) => run(seed, 'at-least').hash);
  expect(seeds.slice(0, 50).map((seed) => run(seed, 'at-least').hash)).toEqual(hashes);
  expect(new Set(hashes).size).toBe(hashes.length);
});
