// Opening what someone gives: a scenario, or a history, which may be of some other lock and is checked
// before it is shown. Whatever is wrong is told with its line and its field.

import { HistoryReader } from '../js/history.js';
import { AT_SERVICE, AT_STORAGE } from '../js/kinds.js';
import { SERVICE, STORAGE } from './view/model.js';

const PART = 65536; // characters read at a time
// A picture begins at 0. A history that begins later than this many times its length is moved there.
const FAR = 10;

/** An error in a scenario that says where: `line 12, field "lease": expected ...`. */
export class FileError extends Error {
  constructor(line, field, what) {
    super(`line ${line}, field "${field}": ${what}`);
    this.name = 'FileError';
    this.line = line;
    this.field = field;
  }
}

/**
 * Reads a text part by part: yields the share that is read, and returns { scenario }, or for a history
 * its trace, with what the check found as `violations`, `violationCount` and `judged`.
 * @param {HistoryChecker} checker a new one
 */
export function* readFile(text, checker) {
  const reader = new HistoryReader();
  const events = [];
  const take = (read) => {
    for (const { event, place } of read) {
      checker.add(event, place);
      events.push(event);
    }
  };
  try {
    for (let from = 0; from < text.length; from += PART) {
      take(reader.push(text.slice(from, from + PART)));
      yield { share: Math.min(1, (from + PART) / text.length) };
    }
    take(reader.end());
    if (reader.document !== undefined) return { scenario: reader.document };
    const { violations, violationCount, judged } = checker.finish();
    return prepared({ events, violations, violationCount, judged });
  } finally {
    checker.dispose();
  }
}

/** A history as the page shows a trace of its own. */
function prepared(history) {
  markStale(history);
  nameServers(history.events);
  return { ...history, startTime: moveToStart(history) };
}

/** A write whose token fell is marked, as the simulator marks its own. */
function markStale({ events, violations }) {
  for (const { invariant, sequence, token, other } of violations) {
    const event = events[sequence];
    if (invariant !== 'I2' || event.kind !== 'write' || !(token < other)) continue;
    if (event.outcome === 'accepted') Object.assign(event, { stale: true, highest: other });
  }
}

/** Whose event of that kind is, where it is a server's. */
function serverOf(kind) {
  if (AT_SERVICE.has(kind)) return SERVICE;
  return AT_STORAGE.has(kind) ? STORAGE : undefined;
}

/** Where there is one service and one storage, they get the names, and so the lanes, of our own. */
function nameServers(events) {
  const found = { [SERVICE]: new Set(), [STORAGE]: new Set() };
  for (const { kind, node } of events) found[serverOf(kind)]?.add(node);
  const names = new Map();
  for (const own of [STORAGE, SERVICE]) {
    const [name] = found[own];
    if (found[own].size === 1) names.set(name, own);
  }
  for (const event of events) {
    const own = serverOf(event.kind) ?? names.get(event.node);
    if (own !== undefined && found[own].size === 1) event.node = own;
    if (names.has(event.peer)) event.peer = names.get(event.peer);
  }
}

/** Lets a history begin at 0 that begins far from it, in 1970 say; gives by how much it was moved. */
function moveToStart({ events, violations }) {
  const first = events[0]?.time ?? 0;
  const length = (events.at(-1)?.time ?? 0) - first;
  if (first >= 0 && first <= Math.max(60, FAR * length)) return 0;
  const start = Math.floor(first);
  const moved = (time) => Math.round((time - start) * 1e6) / 1e6;
  for (const event of events) {
    event.time = moved(event.time);
    if (typeof event.until === 'number') event.until = moved(event.until);
  }
  for (const violation of violations) violation.time = moved(violation.time);
  return start;
}
