// The simulator: a scenario in, a trace out. Everything is decided in the core.

import { camelCased, checkOptionNames, FencelockError, outOfMemory, whole } from './errors.js';
import {
  completeScenario,
  namesOf,
  packScenario,
  secondsOf,
  TICKS,
  ticksOf,
  unpackScenario,
} from './scenario.js';
import { loadCore, textAt, trapped } from './simulator-wasm.js';
import { coreTables, optionNumber } from './tables.js';
import { readViolations } from './violations.js';

export { FencelockError } from './errors.js';
export { completeScenario } from './scenario.js';
export { describe } from './describe.js';
export { presets } from './presets.js';
export { checkHistory, HistoryChecker } from './check.js';
export { HistoryReader } from './history.js';
export { whatWasJudged } from './judged.js';
export { causes, explainFailure, linkOf, story } from './failure.js';
export { shrink, withoutDefaults } from './shrink.js';
export { fromLink, toLink } from './link.js';
export { init } from './simulator-wasm.js';

const OUT_OF_MEMORY = -2;
const EVENTS_MAX = 1_000_000;
const SEEDS_A_STEP = 250; // between two reports of progress

// The fields of simulationReport (c/wasm/simulator_exports.c).
const REPORT = { count: 0, low: 1, high: 2, violations: 3, kept: 4, eventsAt: 5, violationsAt: 6 };
const SUITE_REPORT = { seeds: 7, failingSeeds: 8, firstFailingSeed: 9, judgedByI5: 10, tally: 11 };

// An event of the core (c/sim/trace.h): five doubles, three words, then bytes.
const EVENT_SIZE = 64;
const WORDS_AT = 10;
const BYTES_AT = 52;
const NONE = 255;
const COPY = 1;
const REPLY = 2;
const STALE = 4;
const ONE_WAY = 8;

/** Calls the core, and gives its report. */
function call(body) {
  const core = loadCore();
  let result;
  try {
    if (!core.newSimulator()) throw outOfMemory();
    result = body(core);
  } catch (error) {
    throw error instanceof WebAssembly.RuntimeError ? trapped(error) : error;
  }
  if (result === OUT_OF_MEMORY) throw outOfMemory();
  const fields = SUITE_REPORT.tally + 2 * coreTables().tally.length;
  return { result, report: new Float64Array(core.memory.buffer, core.simulationReport(), fields) };
}

function hashOf(report) {
  const hex = (word) => word.toString(16).padStart(8, '0');
  return hex(report[REPORT.high]) + hex(report[REPORT.low]);
}

/**
 * Runs a scenario.
 * @param {object} document the scenario; what it leaves out has defaults
 * @param {{ limit?: number }} [options] so many events, a million at most, cut the run short; then
 *   the trace is `truncated`
 */
export function simulate(document, options = {}) {
  checkOptionNames(options, ['limit']);
  const { limit = EVENTS_MAX } = options;
  const { scenario, reader, report } = run(document, limit);
  const events = reader.events(report[REPORT.eventsAt], report[REPORT.count]);
  return {
    scenario,
    events,
    violations: reader.violations(report[REPORT.violationsAt], report[REPORT.kept]),
    hash: hashOf(report),
    endTime: events.length === 0 ? 0 : events[events.length - 1].time,
    truncated: events.length >= Math.min(limit, EVENTS_MAX),
  };
}

/** Runs a scenario for what it breaks alone: as simulate(), without the events. */
export function judge(document) {
  const { scenario, reader, report } = run(document, EVENTS_MAX);
  const violations = reader.violations(report[REPORT.violationsAt], report[REPORT.kept]);
  return { scenario, violations, hash: hashOf(report) };
}

function run(document, limit) {
  whole(limit, 'limit', 1);
  const scenario = completeScenario(document);
  const numbers = packScenario(scenario);
  const { result, report } = call((core) => {
    const at = core.packedScenario();
    new Float64Array(core.memory.buffer, at, numbers.length).set(numbers);
    return core.simulate(numbers.length, Math.min(limit, EVENTS_MAX));
  });
  if (result !== 0) throw refused(scenario);
  return { scenario, report, reader: new TraceReader(scenario, loadCore().memory.buffer) };
}

// All that the core refuses in a complete scenario is lease options that contradict each other.
function refused({ lease, holder }) {
  const { maxClockSkew, minRenewLead, rateError } = holder;
  const core = loadCore();
  const values = `lease ${lease}, maxClockSkew ${maxClockSkew}, minRenewLead ${minRenewLead}, rateError ${rateError}`;
  // A scenario's names are the core's without their unit.
  const relation = textAt(core.leaseOptionsText(core.scenarioFault())).replaceAll('_seconds', '');
  let message = `holder: ${camelCased(relation)}, got ${values}`;
  if (core.leaseOptionsFault(lease, maxClockSkew, minRenewLead, rateError) === 0) {
    message += `, and times count in ticks of 1/${TICKS} s`;
  }
  return new FencelockError('INVALID_SCENARIO', message);
}

/** Reads what lies in the core's memory, in the words of the scenario. */
class TraceReader {
  constructor(scenario, buffer) {
    this.buffer = buffer;
    this.texts = coreTables();
    this.names = namesOf(scenario);
    this.origin = ticksOf(scenario.origin);
  }

  events(address, count) {
    const doubles = new Float64Array(this.buffer, address, (count * EVENT_SIZE) / 8);
    const words = new Uint32Array(this.buffer, address, (count * EVENT_SIZE) / 4);
    const bytes = new Uint8Array(this.buffer, address, count * EVENT_SIZE);
    return Array.from({ length: count }, (_, i) => this.event(i, doubles, words, bytes));
  }

  event(sequence, doubles, words, bytes) {
    const d = (sequence * EVENT_SIZE) / 8;
    const w = (sequence * EVENT_SIZE) / 4 + WORDS_AT;
    const b = sequence * EVENT_SIZE + BYTES_AT;
    const { nodes, locks, keys } = this.names;
    const kind = this.texts.events[bytes[b]];
    const flags = bytes[b + 9];
    const event = {
      time: secondsOf(doubles[d]),
      sequence,
      node: nodes[bytes[b + 1]],
      kind,
      localTime: secondsOf(doubles[d + 2] + this.origin),
    };
    if (bytes[b + 2] !== NONE) event.peer = nodes[bytes[b + 2]];
    if (bytes[b + 4] !== NONE) event.lock = locks[bytes[b + 4]];
    if (bytes[b + 5] !== NONE) event.key = keys[bytes[b + 5]];
    if (bytes[b + 6] !== 0) event.operation = this.texts.operations[bytes[b + 6]];
    if (words[w] !== 0) event.message = this.message(event, words[w], flags);
    if (flags & REPLY) event.reply = true;
    if (flags & COPY) event.copy = 1;
    if (flags & STALE) event.stale = true;
    if (flags & ONE_WAY) event.oneWay = true;
    if (doubles[d + 3] >= 0) event.token = doubles[d + 3];
    if (doubles[d + 4] >= 0) event.highest = doubles[d + 4];
    if (bytes[b + 3] !== NONE) event.holder = nodes[bytes[b + 3]];
    this.addUntil(event, doubles[d + 1]);
    this.addValues(event, words[w + 1], words[w + 2]);
    if (bytes[b + 7] !== 0) event.outcome = this.texts.outcomes[bytes[b + 7]];
    if (bytes[b + 8] !== 0) event.reason = this.reason(event, this.texts.reasons[bytes[b + 8]]);
    return event;
  }

  message({ kind, node, peer }, number) {
    const [from, to] = kind === 'send' ? [node, peer] : [peer, node];
    return `${from} -> ${to} #${number}`;
  }

  addUntil(event, ticks) {
    if (event.kind === 'clock-step') event.by = secondsOf(ticks);
    else if (ticks >= 0) event.until = secondsOf(ticks);
    else if (['send', 'trust', 'crash'].includes(event.kind)) event.until = null;
  }

  addValues(event, value, previous) {
    const reads = event.operation === 'read' && (event.kind === 'read' || event.reply);
    if (value !== 0 || reads) event.value = this.value(value);
    if (event.kind === 'write') event.previous = this.value(previous);
  }

  // A value tells whose write it is, and which of that client's.
  value(word) {
    if (word === 0) return null;
    return `write ${word & 0xffffff} of ${this.names.nodes[word >>> 24]}`;
  }

  reason({ holder, token, highest }, reason) {
    if (reason === 'held') return `held by ${holder}`;
    if (reason === 'stale') return `stale: ${token} < ${highest}`;
    if (reason === 'token already used') return `token ${token} already used`;
    return reason;
  }

  violations(address, count) {
    return readViolations(this.buffer, address, count, this.names, secondsOf);
  }
}

const suiteNumbers = (suite, fencing) => [
  optionNumber('suite', suite, 'suites'),
  optionNumber('fencing', fencing),
];

/**
 * The scenario that a suite draws from a seed.
 * @param {'chaos' | 'drift'} suite
 * @param {number} seed
 * @param {{ fencing?: 'at-least' | 'above' | 'off' }} [options]
 */
export function suiteScenario(suite, seed, options = {}) {
  checkOptionNames(options, ['fencing']);
  const { fencing = 'at-least' } = options;
  const chosen = [...suiteNumbers(suite, fencing), whole(seed, 'seed', 0)];
  const { result } = call((core) => core.drawScenario(...chosen));
  const core = loadCore();
  return unpackScenario(new Float64Array(core.memory.buffer, core.packedScenario(), result));
}

/**
 * Runs many seeds of a suite, and keeps no trace. `onProgress` gets the result so far every few
 * hundred seeds; where it gives false, the run ends there.
 * @param {'chaos' | 'drift'} suite
 * @param {{ fencing?: 'at-least' | 'above' | 'off', seed?: number, seeds?: number,
 *   onProgress?: (soFar: object) => boolean | void }} [options]
 */
export function runSuite(suite, options = {}) {
  checkOptionNames(options, ['fencing', 'seed', 'seeds', 'onProgress']);
  const { fencing = 'at-least', seed = 1, seeds = 1000, onProgress } = options;
  const chosen = suiteNumbers(suite, fencing);
  whole(seed, 'seed', 0);
  whole(seeds, 'seeds', 1);
  whole(seed + seeds - 1, 'the last seed', 0);
  for (let done = 0; ;) {
    const step = Math.min(SEEDS_A_STEP, seeds - done);
    const { report } = call((core) => core.runSuite(...chosen, seed + done, step, done > 0));
    const result = suiteResult({ suite, fencing, seed }, report);
    done += step;
    if (onProgress?.(result) === false || done === seeds) return result;
  }
}

function suiteResult(chosen, report) {
  const faults = coreTables().tally.map((kind, i) => ({
    kind,
    injected: report[SUITE_REPORT.tally + 2 * i],
    tookEffect: report[SUITE_REPORT.tally + 2 * i + 1],
  }));
  const failingSeeds = report[SUITE_REPORT.failingSeeds];
  return {
    ...chosen,
    seeds: report[SUITE_REPORT.seeds],
    events: report[REPORT.count],
    violations: report[REPORT.violations],
    failingSeeds,
    firstFailingSeed: failingSeeds > 0 ? report[SUITE_REPORT.firstFailingSeed] : null,
    judgedByI5: report[SUITE_REPORT.judgedByI5],
    traceHash: hashOf(report),
    faults,
  };
}
