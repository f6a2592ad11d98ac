// Shrinking: from a scenario that breaks an invariant to the simplest one we find that still does.
// Each pass proposes simpler documents and keeps those that still break the same invariant. Chance
// stays where it was meanwhile: what the network does to a message depends on the message's name
// and the seed alone, so taking one fault away does not reshuffle the rest.

import { completeScenario } from './scenario.js';
import { judge, simulate } from './simulator.js';

const RUNS_MAX = 4000;

// A large simplification is tried with other seeds too: the story may well be there, only later.
const OTHER_SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

// What a time is rounded to, the roundest first, as long as the scenario still fails.
const STEPS = [1, 0.5, 0.1, 0.01];

const clone = (value) => JSON.parse(JSON.stringify(value));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/**
 * The document without the fields that have their defaults: what a reader needs to see. What is
 * left out is decided by what `completeScenario` fills in, so there is no second list of defaults.
 */
export function withoutDefaults(document) {
  const complete = completeScenario(document);
  const shown = clone(complete);
  const prune = (parent) => {
    for (const name of Object.keys(parent)) {
      const value = parent[name];
      if (typeof value === 'object' && value !== null) prune(value);
      delete parent[name];
      if (!means(shown, complete)) parent[name] = value;
    }
  };
  for (const name of ['clients', 'faults']) shown[name].forEach(prune);
  for (const name of Object.keys(shown)) {
    if (name === 'version' || name === 'clients') continue;
    const value = shown[name];
    if (typeof value === 'object' && !Array.isArray(value)) prune(value);
    delete shown[name];
    if (!means(shown, complete)) shown[name] = value;
  }
  return shown;
}

function means(document, complete) {
  try {
    return same(completeScenario(document), complete);
  } catch {
    return false;
  }
}

/** The smallest scenario so far, and the runs that finding it took. */
class Search {
  runs = 0;

  constructor(document, invariant, onProgress) {
    this.best = document;
    this.invariant = invariant;
    this.onProgress = onProgress;
  }

  /** Whether the change of the best scenario still fails; then it is the best from now on. */
  try(change, seeds = []) {
    const proposal = { ...this.best, ...change };
    if (same(proposal, this.best)) return false;
    return [this.best.seed, ...seeds].some((seed) => this.#fails({ ...proposal, seed }));
  }

  tryAnySeed(change) {
    return this.try(change, OTHER_SEEDS);
  }

  #fails(proposal) {
    if (this.runs >= RUNS_MAX) return false;
    this.runs += 1;
    let judged;
    try {
      judged = judge(proposal);
    } catch (error) {
      if (error.code === 'INVALID_SCENARIO') return false; // a rounded end precedes its start
      throw error;
    }
    if (judged.violations[0]?.invariant !== this.invariant) return false;
    this.best = judged.scenario;
    const { clients, faults } = this.best;
    this.onProgress?.({ runs: this.runs, clients: clients.length, faults: faults.length });
    return true;
  }
}

// The passes, the boldest first ---------------------------------------------------------------------

function concerns(fault, id) {
  return [fault.node, ...(fault.between ?? [])].includes(id) || fault.message?.includes(`${id} `);
}

function dropClients(search) {
  for (const { id } of search.best.clients) {
    const clients = search.best.clients.filter((client) => client.id !== id);
    const faults = search.best.faults.filter((fault) => !concerns(fault, id));
    if (clients.length > 0) search.tryAnySeed({ clients, faults });
  }
}

/** Leaves out runs of faults: all, halves, quarters, down to single ones. */
function dropFaults(search) {
  for (let size = search.best.faults.length; size >= 1; size = size >> 1) {
    for (let at = 0; at < search.best.faults.length;) {
      const { faults } = search.best;
      const fewer = [...faults.slice(0, at), ...faults.slice(at + size)];
      if (!search.tryAnySeed({ faults: fewer })) at += size;
    }
  }
}

function calmNetwork(search) {
  const change = (part) => search.tryAnySeed({ network: { ...search.best.network, ...part } });
  change({ loss: 0, duplicate: 0, calmFrom: null });
  change({ loss: 0 });
  change({ duplicate: 0 });
  spellOut(search);
  change({ calmFrom: null });
  const { latency } = search.best.network;
  change({ latency: [0.02, 0.02] }) || change({ latency: [latency[0], latency[0]] });
}

/** Turns what the network does by chance into faults, which can be left out one by one. */
function spellOut(search) {
  const { network } = search.best;
  if (network.loss === 0 && network.duplicate === 0) return;
  const faults = [...search.best.faults];
  for (const event of simulate(search.best).events) {
    if (event.kind === 'drop' && event.reason === 'lost' && !event.copy) {
      faults.push({ kind: 'drop', message: event.message });
    }
    if (event.kind === 'deliver' && event.copy) {
      faults.push({ kind: 'duplicate', message: event.message, by: 0 });
    }
  }
  const silent = { ...network, loss: 0, duplicate: 0 };
  if (search.try({ network: silent, faults })) dropFaults(search);
}

const PLAIN_CLOCK = { offset: 0, rate: 1 };
const PLAIN_CLIENT = [
  { cycles: 1, rest: 0 },
  { renew: false },
  { writes: 1 },
  { fence: false },
  { start: 0 },
  { clock: PLAIN_CLOCK },
  { lock: 'the lock' },
  { key: 'the file' },
];

function simplifyClients(search) {
  for (const plain of PLAIN_CLIENT) {
    const all = search.best.clients.map((client) => ({ ...client, ...plain }));
    if (search.tryAnySeed({ clients: all })) continue;
    for (let i = 0; i < search.best.clients.length; i += 1) {
      const clients = [...search.best.clients];
      clients[i] = { ...clients[i], ...plain };
      search.tryAnySeed({ clients });
    }
  }
  search.try({ service: { clock: PLAIN_CLOCK } });
  search.try({ storage: { clock: PLAIN_CLOCK } });
}

function shortenRun(search) {
  const { time } = judge(search.best).violations[0];
  for (const until of [Math.ceil(time), Math.ceil(time) + 1]) {
    if (until < search.best.until && search.try({ until })) return;
  }
}

const TIMES = ['from', 'to', 'at', 'restart', 'by', 'start', 'work', 'rest', 'retry'];

function rounded(entry, names, step) {
  const changed = { ...entry };
  for (const name of names) {
    if (typeof entry[name] !== 'number') continue;
    changed[name] = Math.round(Math.round(entry[name] / step) * step * 1e6) / 1e6;
  }
  return changed;
}

function roundTimes(search) {
  for (const step of STEPS) {
    const all = (list) => list.map((entry) => rounded(entry, TIMES, step));
    const { clients, faults } = search.best;
    if (search.try({ clients: all(clients), faults: all(faults) })) return;
    for (const list of ['clients', 'faults']) {
      for (let i = 0; i < search.best[list].length; i += 1) {
        for (const name of TIMES) {
          const entries = [...search.best[list]];
          entries[i] = rounded(entries[i], [name], step);
          search.try({ [list]: entries });
        }
      }
    }
  }
}

const PASSES = [dropFaults, dropClients, calmNetwork, simplifyClients, shortenRun, roundTimes];

/**
 * Shrinks a scenario that breaks an invariant. Gives the smallest document found, its trace, and
 * how many runs it took; null when the scenario breaks none. `onProgress` is told of each success.
 */
export function shrink(document, { onProgress } = {}) {
  const { scenario, violations } = judge(document);
  if (violations.length === 0) return null;
  const search = new Search(scenario, violations[0].invariant, onProgress);
  // A success may open the way for earlier passes: go round until a whole round finds nothing.
  for (let before; before !== search.best && search.runs < RUNS_MAX;) {
    before = search.best;
    for (const pass of PASSES) pass(search);
  }
  return {
    scenario: withoutDefaults(search.best),
    trace: simulate(search.best),
    runs: search.runs,
  };
}
