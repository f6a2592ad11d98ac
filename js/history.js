// Histories: lists of events, of our simulator or of some other lock service, as JSON lines. What an
// event must be is checked here; what the events say of locks and tokens is judged in the core.

import { FencelockError, shown } from './errors.js';
import { syntaxErrorAt } from './json.js';
import { AT_CLIENT, AT_SERVICE, AT_STORAGE } from './kinds.js';

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

// What a field of an event has to be. Of a kind by which nothing is judged the others are let be, and
// so is any field that is not here.
const OF_ALL = {
  time: [isNumber, 'a finite number of seconds'],
  node: [isText, 'the name of a node'],
  kind: [isText, 'what happened, as a word'],
};
const OF_JUDGED = {
  peer: [orNull(isText), 'the name of a node'],
  lock: [orNull(isText), 'the name of a lock'],
  key: [orNull(isText), 'the name of a key'],
  token: [orNull(isToken), 'an integer from 0 to 2^53 - 1'],
  highest: [orNull(isToken), 'an integer from 0 to 2^53 - 1'],
  until: [orNull(isNumber), 'a number of seconds or null'],
  outcome: [orNull(isText), 'a word'],
  reason: [orNull(isText), 'text'],
};
const checksOf = (fields) =>
  Object.entries(fields).map(([name, [isGood, expected]]) => ({ name, isGood, expected }));
const CHECKS_OF_ALL = checksOf(OF_ALL);
const CHECKS_OF_JUDGED = checksOf(OF_JUDGED);

const NEEDED_BY = new Map(
  Object.entries({
    acquire: ['peer', 'lock', 'outcome'],
    renew: ['peer', 'lock', 'outcome'],
    release: ['peer', 'lock', 'outcome'],
    expire: ['lock'],
    write: ['peer', 'key', 'outcome'],
    fence: ['peer', 'key', 'token', 'outcome'],
  }),
);
const isJudged = (kind) => AT_SERVICE.has(kind) || AT_STORAGE.has(kind) || AT_CLIENT.has(kind);

function checkFields(event, checks, place) {
  for (const { name, isGood, expected } of checks) {
    const value = event[name];
    if (value !== undefined && !isGood(value)) {
      throw new HistoryError(place, name, `expected ${expected}, got ${shown(value)}`);
    }
  }
}

/** Checks one event of a history; `before` is the time of the one ahead of it. */
export function checkEvent(event, place, before) {
  if (event === null || typeof event !== 'object' || Array.isArray(event)) {
    throw new HistoryError(place, null, `expected an event as an object, got ${shown(event)}`);
  }
  for (const { name } of CHECKS_OF_ALL) {
    if (event[name] === undefined) throw new HistoryError(place, name, 'is missing');
  }
  checkFields(event, CHECKS_OF_ALL, place);
  if (isJudged(event.kind)) checkFields(event, CHECKS_OF_JUDGED, place);
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

// What JSON may begin with.
const BEGINS = /^[[{"\-\dtfn]/;

/** What the first line of a text is: `event` of JSON lines, or of a document `all` or a `part`. */
function kindOfLine(line) {
  try {
    const value = JSON.parse(line);
    const isEvent =
      value === null || typeof value !== 'object' || 'kind' in value || 'time' in value;
    return isEvent ? 'event' : 'all';
  } catch {
    return 'part';
  }
}

/**
 * Takes a history out of a text that comes in parts: JSON lines, or one document that is a list of
 * events or has one as its `events`. Both give each event with its place. Any other document is left
 * as `document`, for whoever expected one.
 */
export class HistoryReader {
  document = undefined;
  #line = 0;
  #parts = []; // of a line that has not ended, or of the document
  #beginsWell = false; // with what JSON may begin with
  #isDocument; // not known before the first line
  #isWhole = false; // the document, with that line
  #begins = 0; // the document, at this line
  #events = [];
  #error;

  /**
   * @param {string} text
   * @returns {{ event: unknown, place: { line?: number, index?: number } }[]} the events that end in it
   */
  push(text) {
    if (this.#error !== undefined) throw this.#error;
    try {
      this.#take(text);
    } catch (error) {
      // The events before it come first, as there may be something wrong with them, too.
      if (this.#events.length === 0) throw error;
      this.#error = error;
    }
    return this.#taken();
  }

  #take(text) {
    let from = 0;
    for (let end; (end = text.indexOf('\n', from)) >= 0; from = end + 1) {
      this.#parts.push(text.slice(from, end));
      this.#endLine('\n');
    }
    if (from === text.length) return;
    this.#parts.push(text.slice(from));
    if (!this.#beginsWell) this.#checkBeginning(this.#parts.join(''));
  }

  /** @returns the last events */
  end() {
    if (this.#error !== undefined) throw this.#error;
    this.#endLine('');
    if (this.#isDocument === undefined) throw new HistoryError(null, null, 'The file is empty.');
    if (this.#isDocument) this.#readDocument(this.#parts.join(''));
    return this.#taken();
  }

  #taken() {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  // What is no JSON need not be read to its end.
  #checkBeginning(text) {
    const begins = text.replace(/^\ufeff/, '').trimStart();
    this.#beginsWell = BEGINS.test(begins);
    if (begins === '' || this.#beginsWell) return;
    const found = shown(begins.slice(0, 12));
    const line = this.#line + 1;
    throw new HistoryError({ line }, null, `not JSON: it begins ${found}. ${READABLE}`);
  }

  #endLine(ending) {
    if (this.#isDocument) {
      this.#endLineOfDocument(ending);
      return;
    }
    const text = this.#parts.join('').replace(this.#line === 0 ? /^\ufeff/ : '', '');
    const line = text.trim();
    this.#parts = [];
    if (!this.#beginsWell) this.#checkBeginning(line);
    this.#line += 1;
    if (line === '') return;
    const kind = this.#isDocument === undefined ? kindOfLine(line) : 'event';
    this.#isDocument = kind !== 'event';
    if (kind === 'event') {
      const place = { line: this.#line };
      this.#events.push({ event: parseJson(line, this.#line), place });
      return;
    }
    if (!/^[[{]/.test(line)) parseJson(line, this.#line);
    this.#isWhole = kind === 'all';
    this.#begins = this.#line;
    this.#parts = [text, ending];
  }

  #endLineOfDocument(ending) {
    this.#line += 1;
    if (this.#isWhole && this.#parts.slice(2).join('').trim() !== '') {
      const what = 'expected an event, with its time and kind, as more lines follow';
      throw new HistoryError({ line: this.#begins }, null, what);
    }
    if (ending !== '') this.#parts.push(ending);
  }

  #readDocument(text) {
    const value = parseJson(text, this.#begins);
    const list = Array.isArray(value) ? value : value.events;
    if (!Array.isArray(list)) {
      this.document = value;
      return;
    }
    if (list.length === 0) throw new HistoryError(null, null, 'The history is empty.');
    for (const [index, event] of list.entries()) this.#events.push({ event, place: { index } });
  }
}
