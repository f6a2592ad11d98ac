// Opening what someone gives: a scenario, or a history, which may be of some other lock and is checked
// as it is read. Whatever is wrong is told with its line and its field.

import { HistoryReader } from '../js/history.js';

const PART = 65536; // characters read at a time

/** An error in a scenario that says where: `line 12, field "lease": expected ...`. */
export class FileError extends Error {
  constructor(line, field, what) {
    super(`line ${line}, field "${field}": ${what}`);
    this.name = 'FileError';
    this.line = line;
    this.field = field;
  }
}

function* eventsOf(text, reader) {
  for (let from = 0; from < text.length; from += PART) {
    const share = Math.min(1, (from + PART) / text.length);
    for (const read of reader.push(text.slice(from, from + PART))) yield { ...read, share };
  }
  for (const read of reader.end()) yield { ...read, share: 1 };
}

/**
 * Reads a file piece by piece: yields { events, share } as it goes, for a history; returns
 * { scenario }, or { found } with what the check of the history gives.
 * @param {HistoryChecker} checker a new one
 */
export function* readFile(text, checker, piece) {
  const reader = new HistoryReader();
  let events = [];
  try {
    for (const { event, place, share } of eventsOf(text, reader)) {
      checker.add(event, place);
      if (events.push(event) < piece) continue;
      yield { events, share };
      events = [];
    }
    if (reader.document !== undefined) return { scenario: reader.document };
    yield { events, share: 1 };
    return { found: checker.finish() };
  } finally {
    checker.dispose();
  }
}
