// Checks a history in the core (c/sim/history.h says by what): packs its events, and tells what was
// found and what there was to judge by.

import { checkOptionNames, disposed, outOfMemory, outOfRange, whole } from './errors.js';
import { checkEvent } from './history.js';
import { AT_CLIENT, AT_SERVICE, AT_STORAGE, isUnknown, OF_NODES } from './kinds.js';
import { Grants } from './placing.js';
import { firstWhere } from './search.js';
import { loadCore, trapped } from './simulator-wasm.js';
import { coreTables, optionNumber } from './tables.js';
import { readViolations } from './violations.js';

const BATCH = 256;
const KEPT_MAX = 64; // violations that the core keeps at once

// An event as the core takes it (c/sim/history.h): four doubles, nine words, four bytes, a word, one unused.
const DOUBLES = 10; // in all
const WORD = {
  node: 8,
  peer: 9,
  lock: 10,
  key: 11,
  lease: 12,
  stored: 13,
  holder: 14,
  value: 15,
  previous: 16,
  bytes: 17,
  sequence: 18,
};
const NOBODY = 0xffffffff;
const STALE = 4;
const TOLD = { until: 16, value: 32, previous: 64, highest: 128 };

// The fields of fl_judged (c/sim/invariants.h).
const JUDGED = [
  'grants',
  'ends',
  'tokens',
  'decisions',
  'writes',
  'fences',
  'rejections',
  'values',
  'updates',
  'trusts',
];

const isNone = (value) => value === undefined || value === null;

/** Numbers for names, in the order of their first use. */
class Numbers {
  constructor() {
    this.byName = new Map();
    this.names = [];
  }

  of(name) {
    let number = this.byName.get(name);
    if (number === undefined) {
      number = this.names.push(name) - 1;
      this.byName.set(name, number);
    }
    return number;
  }
}

/** Numbers for pairs of a node and a name. */
class PairNumbers {
  constructor() {
    this.byNode = new Map();
    this.size = 0;
  }

  of(node, name) {
    let names = this.byNode.get(node);
    if (names === undefined) this.byNode.set(node, (names = new Map()));
    let number = names.get(name);
    if (number === undefined) {
      number = this.size++;
      names.set(name, number);
    }
    return number;
  }
}

const ordered = (_, value) =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** A value as a number that equal ones share; 0 for null, undefined for what is not told. */
function hashOfValue(value) {
  if (value === null) return 0;
  let text;
  try {
    text = JSON.stringify(value, ordered);
  } catch {
    return undefined;
  }
  if (text === undefined) return undefined;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0 || 1;
}

/** Which line of its file an event stood on: remembers only where blank lines lie between. */
class Lines {
  constructor() {
    this.from = [];
    this.ahead = [];
  }

  add(index, line) {
    const ahead = line - index;
    if (this.ahead.at(-1) === ahead) return;
    this.from.push(index);
    this.ahead.push(ahead);
  }

  of(index) {
    const next = firstWhere(this.from.length, (i) => this.from[i] > index);
    return next === 0 ? undefined : index + this.ahead[next - 1];
  }
}

// A checker that is forgotten gives its memory back.
const forgotten = new FinalizationRegistry((handle) => loadCore().freeHistory(handle));

function within(value, argument, low, high) {
  if (typeof value === 'number' && value >= low && value <= high) return value;
  throw outOfRange('INVALID_OPTIONS', argument, `a number from ${low} to ${high}`, value);
}

const ruleNumber = (fencing) =>
  fencing === undefined ? coreTables().fencing.length : optionNumber('fencing', fencing);

/** Checks a history event by event; keeps names, but no event. */
export class HistoryChecker {
  #handle;
  #limit;
  #fencing;
  #texts = coreTables();
  #codes = new Map(this.#texts.events.map((kind, code) => [kind, code]));
  #reasons = new Map(this.#texts.reasons.map((reason, code) => [reason, code]));
  #nodes = new Numbers();
  #locks = new Numbers();
  #keys = new Numbers();
  #leases = new PairNumbers();
  #stored = new PairNumbers();
  #grants = new Grants();
  #lines = new Lines();
  #before = -Infinity;
  #packed = new ArrayBuffer(BATCH * DOUBLES * 8);
  #doubles = new Float64Array(this.#packed);
  #words = new Uint32Array(this.#packed);
  #bytes = new Uint8Array(this.#packed);
  #count = 0; // packed, and not yet seen by the core
  #told = { events: 0, notJudged: 0, unknownOutcomes: 0, blindTrusts: 0, looseTrusts: 0 };
  #found = [];
  #foundCount = 0;

  /**
   * @param {{ fencing?: 'at-least' | 'above' | 'off', tolerance?: number, limit?: number }} [options]
   *   the rule of the storage, where it is known; how exact times are, in seconds; how many
   *   violations are kept
   */
  constructor(options = {}) {
    checkOptionNames(options, ['fencing', 'tolerance', 'limit']);
    const { fencing, tolerance = 0.001, limit = 1000 } = options;
    within(tolerance, 'tolerance', 0, 1e9);
    this.#limit = whole(limit, 'limit', 0);
    const rule = ruleNumber(fencing);
    this.#fencing = fencing;
    this.#handle = this.#call((core) => core.newHistory(tolerance, rule));
    if (this.#handle === 0) throw outOfMemory();
    forgotten.register(this, this.#handle, this);
  }

  #call(body) {
    const core = loadCore();
    try {
      return body(core);
    } catch (error) {
      throw trapped(error);
    }
  }

  /**
   * Takes the next event. One that can't be read is an error with the code INVALID_HISTORY, and
   * changes nothing.
   * @param {object} event
   * @param {{ line?: number, index?: number }} [place] where it stood
   */
  add(event, place = { index: this.#told.events }) {
    this.#checkInUse();
    checkEvent(event, place, this.#before);
    this.#before = event.time;
    if (place.line !== undefined) this.#lines.add(this.#told.events, place.line);
    if (this.#pack(event)) {
      this.#count += 1;
      if (this.#count === BATCH) this.#flush();
    } else {
      this.#told.notJudged += 1;
    }
    this.#told.events += 1;
  }

  #checkInUse() {
    if (this.#handle === 0) throw disposed('history checker');
  }

  /** Packs an event that there is something to judge by; gives false for any other. */
  #pack(event) {
    const { kind } = event;
    if (AT_SERVICE.has(kind)) return this.#packAtService(event);
    if (AT_STORAGE.has(kind)) return this.#packAtStorage(event);
    if (AT_CLIENT.has(kind)) return this.#packAtClient(event);
    if (!OF_NODES.has(kind)) return false;
    this.#write(event);
    return true;
  }

  #packAtService(event) {
    const { kind, node, lock, holder, outcome } = event;
    this.#grants.see(event);
    const at = this.#write(event);
    if (kind === 'acquire' && outcome === 'refused' && typeof holder === 'string') {
      this.#words[at + WORD.holder] = this.#nodes.of(holder);
    }
    this.#words[at + WORD.lock] = this.#locks.of(lock);
    this.#words[at + WORD.lease] = this.#leases.of(node, lock);
    return true;
  }

  #packAtStorage(event) {
    const { node, key, value, previous, highest, stale } = event;
    if (typeof key !== 'string') return false;
    const at = this.#write(event);
    this.#words[at + WORD.key] = this.#keys.of(key);
    this.#words[at + WORD.stored] = this.#stored.of(node, key);
    let flags = 0;
    if (highest !== undefined) flags |= TOLD.highest;
    if (stale === true) flags |= STALE;
    if (this.#writeValue(at + WORD.value, value)) flags |= TOLD.value;
    if (this.#writeValue(at + WORD.previous, previous)) flags |= TOLD.previous;
    this.#bytes[4 * (at + WORD.bytes) + 3] |= flags;
    return true;
  }

  #writeValue(at, value) {
    const hash = value === undefined ? undefined : hashOfValue(value);
    if (hash === undefined) return false;
    this.#words[at] = hash;
    return true;
  }

  #packAtClient(event) {
    const { kind, node, token, until } = event;
    if (kind === 'trust' && until === null) {
      this.#told.blindTrusts += 1;
      return false;
    }
    const lock = event.lock ?? this.#grants.lockOf(node, token);
    if (lock === undefined) {
      if (kind === 'trust') this.#told.looseTrusts += 1;
      return false;
    }
    const at = this.#write(event);
    this.#words[at + WORD.lock] = this.#locks.of(lock);
    return true;
  }

  /** Writes what all kinds have; gives the place of the event's words. */
  #write(event) {
    const { kind, node, peer, time, until, token, highest } = event;
    const d = this.#count * DOUBLES;
    this.#doubles[d] = time;
    this.#doubles[d + 1] = until ?? 0;
    this.#doubles[d + 2] = token ?? -1;
    this.#doubles[d + 3] = highest ?? -1;
    const words = this.#words;
    const bytes = this.#bytes;
    const at = 2 * d;
    words.fill(NOBODY, at + WORD.node, at + WORD.value);
    words.fill(0, at + WORD.value, at + WORD.bytes);
    words[at + WORD.node] = this.#nodes.of(node);
    if (typeof peer === 'string') words[at + WORD.peer] = this.#nodes.of(peer);
    words[at + WORD.sequence] = this.#told.events;
    const b = 4 * (at + WORD.bytes);
    bytes[b] = this.#codes.get(kind);
    bytes[b + 1] = this.#outcome(event);
    bytes[b + 2] = this.#reason(event);
    bytes[b + 3] = typeof until === 'number' ? TOLD.until : 0;
    return at;
  }

  #outcome(event) {
    if (isUnknown(event)) {
      this.#told.unknownOutcomes += 1;
      return 0;
    }
    return isNone(event.outcome) ? 0 : Math.max(0, this.#texts.outcomes.indexOf(event.outcome));
  }

  /** What was told of why, as the word of our own that it stands for. */
  #reason({ kind, reason, holder }) {
    const text = reason ?? '';
    const isHeld = /^held\b/.test(text) || typeof holder === 'string';
    if (kind === 'acquire' && isHeld) return this.#reasons.get('held');
    if (text === '') return 0;
    if (/^stale\b/.test(text)) return this.#reasons.get('stale');
    if (/already used$/.test(text)) return this.#reasons.get('token already used');
    const isOwn = text === 'not the live lease';
    return this.#reasons.get(isOwn ? text : 'lost'); // which stands for any other
  }

  #flush() {
    for (let from = 0; from < this.#count;) {
      from = this.#call((core) => {
        const at = core.historyBatch();
        new Uint8Array(core.memory.buffer, at, this.#packed.byteLength).set(this.#bytes);
        return core.observeHistory(this.#handle, from, this.#count);
      });
      if (from < 0) throw outOfMemory();
      this.#take();
    }
    this.#count = 0;
  }

  /** Takes over what the core has found. */
  #take() {
    const core = loadCore();
    const count = this.#call(() => core.historyFound(this.#handle));
    const room = this.#limit - this.#found.length;
    this.#foundCount += count;
    if (count === 0 || room <= 0) return;
    const names = {
      nodes: this.#nodes.names,
      locks: this.#locks.names,
      keys: this.#keys.names,
    };
    const kept = Math.min(count, KEPT_MAX, room);
    const at = core.historyViolations(this.#handle);
    const found = readViolations(core.memory.buffer, at, kept, names, (time) => time);
    for (const violation of found) {
      const line = this.#lines.of(violation.sequence);
      this.#found.push(line === undefined ? violation : { ...violation, line });
    }
  }

  /** After the last event: what was found, and what there was to judge by. */
  finish() {
    this.#checkInUse();
    this.#flush();
    for (let more = 1; more !== 0;) {
      more = this.#call((core) => core.endHistory(this.#handle));
      this.#take();
    }
    const core = loadCore();
    const at = this.#call(() => core.historyJudged(this.#handle));
    const words = new Uint32Array(core.memory.buffer, at, JUDGED.length);
    const counts = Object.fromEntries(JUDGED.map((name, i) => [name, words[i]]));
    const names = { locks: this.#locks.names.length, keys: this.#keys.names.length };
    const fencing = this.#fencing ?? null;
    this.dispose();
    return {
      violations: this.#found.sort((a, b) => a.sequence - b.sequence),
      violationCount: this.#foundCount,
      judged: { ...this.#told, ...names, ...counts, fencing },
    };
  }

  /** Gives the memory back of a history that will not be finished. */
  dispose() {
    if (this.#handle === 0) return;
    forgotten.unregister(this);
    this.#call((core) => core.freeHistory(this.#handle));
    this.#handle = 0;
  }
}

// Node 18 and older browsers have no Symbol.dispose; this is what compilers use there.
HistoryChecker.prototype[Symbol.dispose ?? Symbol.for('Symbol.dispose')] =
  HistoryChecker.prototype.dispose;

/**
 * Checks a history: events in the order of time. Gives what was found, and what there was to judge
 * by; that nothing was found says no more than that.
 * @param {Iterable<object>} events
 */
export function checkHistory(events, options = {}) {
  const checker = new HistoryChecker(options);
  try {
    for (const event of events) checker.add(event);
    return checker.finish();
  } finally {
    checker.dispose();
  }
}
