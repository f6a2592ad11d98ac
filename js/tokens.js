// Tokens are integers that a double counts one by one.

import { outOfRange, wrongType } from './errors.js';

const EXPECTED = 'an integer from 0 to 2^53 - 1';

export function isToken(value) {
  return Number.isSafeInteger(value) && value >= 0;
}

export function checkToken(token, argument = 'token') {
  if (typeof token !== 'number') throw wrongType('INVALID_TOKEN', argument, EXPECTED, token);
  if (!isToken(token)) throw outOfRange('INVALID_TOKEN', argument, EXPECTED, token);
}
