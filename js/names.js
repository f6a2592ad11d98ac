// How a string crosses into the core: as WTF-8, which is UTF-8 with a form for lone surrogates too,
// so that different strings always give different bytes. Up to 15 bytes travel in four words, the
// length in the highest byte; more are put in the core's scratch buffer, and the words say where.

import { outOfMemory, wrongType } from './errors.js';
import { trapped } from './wasm.js';

const SHORT_MAX = 15;
const LONG = 0xff000000 | 0;
const CHUNK = 8192; // units for one String.fromCharCode call, far below every engine's limit

/** The words of the string packed last. */
export const words = new Int32Array(4);

const encoder = new TextEncoder();

export function checkName(name, argument) {
  if (typeof name !== 'string') throw wrongType('INVALID_NAME', argument, 'a string', name);
}

/** Puts a string into `words`. They hold until the next call of this function. */
export function pack(core, string) {
  const length = string.length;
  if (length > SHORT_MAX) return packLong(core, string);
  let word = 0;
  let index = 0;
  words[1] = 0;
  words[2] = 0;
  words[3] = 0;
  for (; index < length; index += 1) {
    const unit = string.charCodeAt(index);
    if (unit > 127) return packLong(core, string);
    word |= unit << ((index & 3) << 3);
    if ((index & 3) === 3) {
      words[index >> 2] = word;
      word = 0;
    }
  }
  words[index >> 2] = word;
  words[3] |= length << 24;
}

function packLong(core, string) {
  const room = string.length * 3; // a unit becomes three bytes at most
  let address;
  try {
    address = core.scratch(room) >>> 0;
  } catch (error) {
    throw trapped(error);
  }
  if (address === 0) throw outOfMemory();
  const bytes = core.bytes.subarray(address, address + room);
  words[0] = address;
  words[1] = isWellFormed(string)
    ? encoder.encodeInto(string, bytes).written
    : encodeIllFormed(string, bytes);
  words[2] = 0;
  words[3] = LONG;
}

function isWellFormed(string) {
  return string.isWellFormed?.() ?? !/\p{Surrogate}/u.test(string);
}

// TextEncoder would turn each lone surrogate into U+FFFD, and so make one name of two.
function encodeIllFormed(string, bytes) {
  let written = 0;
  for (let index = 0; index < string.length; index += 1) {
    const point = string.codePointAt(index);
    if (point < 0x80) {
      bytes[written++] = point;
      continue;
    }
    if (point < 0x800) {
      bytes[written++] = 0xc0 | (point >> 6);
    } else {
      if (point < 0x10000) {
        bytes[written++] = 0xe0 | (point >> 12);
      } else {
        bytes[written++] = 0xf0 | (point >> 18);
        bytes[written++] = 0x80 | ((point >> 12) & 63);
        index += 1;
      }
      bytes[written++] = 0x80 | ((point >> 6) & 63);
    }
    bytes[written++] = 0x80 | (point & 63);
  }
  return written;
}

/** The string that WTF-8 bytes stand for. */
export function unpack(bytes) {
  let string = '';
  const units = [];
  for (let index = 0; index < bytes.length;) {
    const lead = bytes[index];
    const extra = lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    let point = extra === 0 ? lead : lead & (0x3f >> extra);
    for (let step = 1; step <= extra; step += 1) point = (point << 6) | (bytes[index + step] & 63);
    index += extra + 1;
    if (point < 0x10000) units.push(point);
    else units.push(0xd7c0 + (point >> 10), 0xdc00 | (point & 0x3ff));
    if (units.length >= CHUNK) string += String.fromCharCode(...units.splice(0));
  }
  return string + String.fromCharCode(...units);
}

/** Four random words, so that nobody can choose names that collide in the core's tables. */
export function hashKey() {
  const key = new Int32Array(4);
  if (globalThis.crypto?.getRandomValues) return crypto.getRandomValues(key);
  return key.map(() => Math.random() * 2 ** 32); // Node 18 without its flag
}
