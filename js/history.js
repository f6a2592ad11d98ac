// Histories: lists of events, of our simulator or of some other lock service, as JSON lines. What an
// event must be is checked here; what the events say of locks and tokens is judged in the core.

import { FencelockError, shown } from './errors.js';
import { syntaxErrorAt } from './json.js';

/** An error that says where: `line 12, field "time": expected a finite number, got "soon"`. */
export class HistoryError extends FencelockError {
  /**
   * @param {{ line?: number, index?: number } | null} place of the event, or of the text
   * @param {string | null} field
   */
  constructor(place, field, what) {
    const { line, index } = place ?? {};
    const event = line === undefined && index !== undefined ? `event ${index + 1}` : undefined;
    const where = [line !== undefined ? `line ${line}` : event, field && `field "${field}"`];
    const told = where.filter(Boolean).join(', ');
    super('INVALID_HISTORY', told === '' ? what : `${told}: ${what}`);
    if (line !== undefined) this.line = line;
    if (index !== undefined) this.index = index;
    if (field !== null) this.field = field;
  }
}

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
// Beyond this a double tells no tenth of a second from the next, and widths of time may overflow.
const MOST_SECONDS = 1e15;
const isToken = (value) => Number.isSafeInteger(value) && value >= 0;
const isText = (value) => typeof value === 'string';
const orNull = (check) => (value) => value === null || check(value);

// What each field of an event has to be; any other field is let be.
const FIELDS = {
  time: [isNumber, 'a finite number of seconds'],
  node: [isText, 'the name of a node'],
  kind: [isText, 'what happened, as a word'],
  sequence: [isNumber, 'a number'],
  peer: [orNull(isText), 'the name of a node'],
  lock: [orNull(isText), 'the name of a lock'],
  key: [orNull(isText), 'the name of a key'],
  token: [orNull(isToken), 'an integer from 0 to 2^53 - 1'],
  highest: [orNull(isToken), 'an integer from 0 to 2^53 - 1'],
  until: [orNull(isNumber), 'a number of seconds or null'],
  message: [orNull(isText), 'the name of a message'],
  outcome: [orNull(isText), 'a word'],
  reason: [orNull(isText), 'text'],
};
const NEEDED = ['time', 'node', 'kind'];
const NEEDED_BY = new Map(
  Object.entries({
    acquire: ['peer', 'lock', 'outcome'],
    renew: ['peer', 'lock', 'outcome'],
    release: ['peer', 'lock', 'outcome'],
    expire: ['lock'],
    write: ['peer', 'key', 'outcome'],
    fence: ['peer', 'key', 'token', 'outcome'],
    send: ['peer', 'message'],
    deliver: ['peer', 'message'],
    drop: ['message'],
    partition: ['peer'],
    heal: ['peer'],
  }),
);
const CHECKS = Object.entries(FIELDS).map(([name, [isGood, expected]]) => ({
  name,
  isGood,
  expected,
}));

/** Checks one event of a history; `before` is the time of the one ahead of it. */
export function checkEvent(event, place, before) {
  if (event === null || typeof event !== 'object' || Array.isArray(event)) {
    throw new HistoryError(place, null, `expected an event as an object, got ${shown(event)}`);
  }
  for (const name of NEEDED) {
    if (event[name] === undefined) throw new HistoryError(place, name, 'is missing');
  }
  for (const { name, isGood, expected } of CHECKS) {
    const value = event[name];
    if (value !== undefined && !isGood(value)) {
      throw new HistoryError(place, name, `expected ${expected}, got ${shown(value)}`);
    }
  }
  if (Math.abs(event.time) > MOST_SECONDS) {
    const expected = 'a number of seconds of at most 1e15';
    throw new HistoryError(place, 'time', `expected ${expected}, got ${shown(event.time)}`);
  }
  for (const name of NEEDED_BY.get(event.kind) ?? []) {
    if (event[name] === undefined || event[name] === null) {
      const needs = `is missing; an event of the kind "${event.kind}" needs it`;
      throw new HistoryError(place, name, needs);
    }
  }
  if (event.kind === 'trust' && !isText(event.lock) && !isToken(event.token)) {
    throw new HistoryError(place, 'lock', 'is missing; trust needs it, or a token');
  }
  if (event.time < before) {
    throw new HistoryError(place, 'time', `${event.time} is before ${before}, the event ahead`);
  }
  return event;
}

/** Parses a text that begins at `line` of its file. */
export function parseJson(text, line) {
  try {
    return JSON.parse(text);
  } catch {
    const at = syntaxErrorAt(text);
    const found = at < text.length ? shown(text.slice(at, at + 12)) : 'the end';
    const lines = text.slice(0, at).split('\n').length - 1;
    throw new HistoryError({ line: line + lines }, null, `not JSON: it goes wrong at ${found}`);
  }
}

const READABLE = 'A scenario is a JSON object; a history is JSON lines, or a JSON list of events';

function isEvent(text) {
  try {
    const value = JSON.parse(text);
    return value === null || typeof value !== 'object' || 'kind' in value || 'time' in value;
  } catch {
    return false;
  }
}

/**
 * Takes a history out of a text that comes in parts: JSON lines, or one document that is a list of
 * events or has one as its `events`. Both give each event with its place. Any other document is left
 * as `document`, for whoever expected one.
 */
export class HistoryReader {
  constructor() {
    this.line = 0;
    this.parts = []; // of a line that has not ended, or of the document
    this.isDocument = undefined; // not known before the first line
    this.document = undefined;
  }

  /** @returns {Generator<{ event: unknown, place: { line?: number, index?: number } }>} */
  *push(text) {
    let from = 0;
    for (let end; (end = text.indexOf('\n', from)) >= 0; from = end + 1) {
      this.parts.push(text.slice(from, end));
      yield* this.endLine('\n');
    }
    if (from < text.length) this.parts.push(text.slice(from));
  }

  *endLine(ending) {
    this.line += 1;
    if (this.isDocument) {
      if (ending !== '') this.parts.push(ending);
      return;
    }
    const text = this.parts.join('');
    const line = text.replace(this.line === 1 ? /^\ufeff/ : '', '').trim();
    this.parts = [];
    if (line === '') return;
    if (this.isDocument === undefined && !isEvent(line)) {
      this.isDocument = true;
      this.begins = this.line;
      this.parts = [text.replace(/^\ufeff/, ''), ending];
      return;
    }
    this.isDocument = false;
    yield { event: parseJson(line, this.line), place: { line: this.line } };
  }

  *end() {
    yield* this.endLine('');
    if (this.isDocument === undefined) throw new HistoryError(null, null, 'The file is empty.');
    if (!this.isDocument) return;
    const text = this.parts.join('');
    if (!/^\s*[{[]/.test(text)) {
      const found = shown(text.trim().slice(0, 12));
      throw new HistoryError(
        { line: this.begins },
        null,
        `not JSON: it begins ${found}. ${READABLE}`,
      );
    }
    const value = parseJson(text, this.begins);
    const list = Array.isArray(value) ? value : value.events;
    if (!Array.isArray(list)) {
      this.document = value;
      return;
    }
    for (const [index, event] of list.entries()) yield { event, place: { index } };
  }
}
