// Opening what someone gives: a scenario, or a history, which may be of some other lock. Whatever is
// wrong is told with its line and its field.

import { syntaxErrorAt } from './view/locate.js';

/** An error that says where: `line 12, field "time": expected a number, got "soon"`. */
export class FileError extends Error {
  constructor(line, field, what) {
    const place = typeof line === 'number' ? `line ${line}` : line;
    const where = [place, field && `field "${field}"`].filter(Boolean).join(', ');
    super(where ? `${where}: ${what}` : what);
    this.name = 'FileError';
    this.line = line;
    this.field = field;
  }
}

const show = (value) => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
};

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
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
const NEEDED_BY = {
  acquire: ['peer', 'lock', 'outcome'],
  renew: ['peer', 'lock', 'outcome'],
  release: ['peer', 'lock', 'outcome'],
  expire: ['lock'],
  write: ['peer', 'key', 'token', 'outcome'],
  fence: ['peer', 'key', 'token', 'outcome'],
  trust: ['token'],
  send: ['peer', 'message'],
  deliver: ['peer', 'message'],
  drop: ['message'],
  partition: ['peer'],
  heal: ['peer'],
};
const CHECKS = Object.entries(FIELDS);

/** Checks one event of a history; `before` is the time of the one ahead of it. */
export function checkEvent(event, line, before) {
  if (event === null || typeof event !== 'object' || Array.isArray(event)) {
    throw new FileError(line, null, `expected an event as an object, got ${show(event)}`);
  }
  for (const name of NEEDED) {
    if (event[name] === undefined) throw new FileError(line, name, 'is missing');
  }
  for (const [name, [isGood, expected]] of CHECKS) {
    const value = event[name];
    if (value !== undefined && !isGood(value)) {
      throw new FileError(line, name, `expected ${expected}, got ${show(value)}`);
    }
  }
  for (const name of NEEDED_BY[event.kind] ?? []) {
    if (event[name] === undefined || event[name] === null) {
      const needs = `is missing; an event of the kind "${event.kind}" needs it`;
      throw new FileError(line, name, needs);
    }
  }
  if (event.time < before) {
    throw new FileError(line, 'time', `${event.time} is before ${before}, the line ahead of it`);
  }
  return event;
}

function parse(text, line) {
  try {
    return JSON.parse(text);
  } catch {
    const at = syntaxErrorAt(text);
    const place = line ?? text.slice(0, at).split('\n').length;
    const found = at < text.length ? show(text.slice(at, at + 12)) : 'the end';
    throw new FileError(place, null, `not JSON: it goes wrong at ${found}`);
  }
}

/** Whether a text is one document rather than a list of lines. */
function isDocument(text) {
  const first = text.slice(0, text.indexOf('\n') + 1 || undefined).trim();
  try {
    const value = JSON.parse(first);
    return value !== null && typeof value === 'object' && !('kind' in value) && !('time' in value);
  } catch {
    return true;
  }
}

/**
 * Reads a file piece by piece: yields { share } as it goes, and { events } for a history; returns
 * { scenario } or { history: true }.
 */
export function* readFile(text, piece = 2000) {
  if (text.trim() === '') throw new FileError(null, null, 'The file is empty.');
  if (isDocument(text)) {
    const value = parse(text);
    if (
      value &&
      typeof value === 'object' &&
      !Array.isArray(value) &&
      !Array.isArray(value.events)
    ) {
      return { scenario: value };
    }
    const list = Array.isArray(value) ? value : value?.events;
    if (!Array.isArray(list)) {
      throw new FileError(1, null, `expected a scenario or a history, got ${show(value)}`);
    }
    yield* checkList(list, piece);
    return { history: true };
  }
  let line = 0;
  let before = -Infinity;
  let from = 0;
  let events = [];
  while (from < text.length) {
    line += 1;
    const end = text.indexOf('\n', from);
    const one = text.slice(from, end < 0 ? text.length : end).trim();
    from = end < 0 ? text.length : end + 1;
    if (one === '') continue;
    const event = checkEvent(parse(one, line), line, before);
    before = event.time;
    events.push(event);
    if (events.length === piece) {
      yield { events, share: from / text.length };
      events = [];
    }
  }
  yield { events, share: 1 };
  return { history: true };
}

function* checkList(list, piece) {
  let before = -Infinity;
  for (let i = 0; i < list.length; i += piece) {
    const events = list.slice(i, i + piece);
    events.forEach((event, offset) => {
      checkEvent(event, `event ${i + offset + 1}`, before);
      before = event.time;
    });
    yield { events, share: Math.min(1, (i + piece) / list.length) };
  }
}
