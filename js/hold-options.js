// The options of hold() and withLock(): their defaults, and what must hold between them (R17).

import { systemClock } from './clocks.js';
import { camelCased, outOfRange, shown, wrongType } from './errors.js';
import { loadCore, textAt } from './wasm.js';

const CODE = 'INVALID_OPTIONS';
const FUNCTIONS = ['onRenewed', 'onRenewalFailed', 'onLost', 'onReleaseFailed'];

function checkNumber(argument, value, least) {
  if (typeof value !== 'number') throw wrongType(CODE, argument, 'a number of seconds', value);
  if (!(value >= least)) throw outOfRange(CODE, argument, `at least ${least}`, value);
}

/** The options with their defaults, checked. */
export function readOptions(locks, options) {
  if (typeof options !== 'object' || options === null) {
    throw wrongType(CODE, 'options', 'an object', options);
  }
  const {
    leaseSeconds = locks.leaseSeconds,
    maxClockSkewSeconds = 0.25,
    minRenewLeadSeconds = 2,
    rateError = 0,
    waitSeconds = Infinity,
    retrySeconds = 0.1,
    maxRetrySeconds = 1,
    maxHoldSeconds = Infinity,
    graceSeconds = 1,
    clock = systemClock,
    signal,
  } = options;

  if (leaseSeconds > locks.leaseSeconds) {
    const expected = `at most what the lock service grants, ${locks.leaseSeconds}`;
    throw outOfRange(CODE, 'options.leaseSeconds', expected, leaseSeconds);
  }
  checkLease({ leaseSeconds, maxClockSkewSeconds, minRenewLeadSeconds, rateError });
  checkNumber('options.waitSeconds', waitSeconds, 0);
  checkNumber('options.retrySeconds', retrySeconds, 0.001);
  checkNumber('options.maxRetrySeconds', maxRetrySeconds, retrySeconds);
  checkNumber('options.maxHoldSeconds', maxHoldSeconds, 0);
  checkNumber('options.graceSeconds', graceSeconds, 0);
  if (typeof clock?.now !== 'function') {
    const expected = 'an object with a now() function that gives seconds';
    throw wrongType('INVALID_CLOCK', 'options.clock', expected, clock);
  }
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
    throw wrongType(CODE, 'options.signal', 'an AbortSignal', signal);
  }
  for (const name of FUNCTIONS) {
    const value = options[name];
    if (value !== undefined && typeof value !== 'function') {
      throw wrongType(CODE, `options.${name}`, 'a function', value);
    }
  }
  const { onRenewed, onRenewalFailed, onLost, onReleaseFailed } = options;
  return {
    leaseSeconds,
    maxClockSkewSeconds,
    minRenewLeadSeconds,
    rateError,
    waitSeconds,
    retrySeconds,
    maxRetrySeconds,
    maxHoldSeconds,
    graceSeconds,
    clock,
    signal,
    onRenewed,
    onRenewalFailed,
    onLost,
    onReleaseFailed,
  };
}

function checkLease(numbers) {
  for (const [name, value] of Object.entries(numbers)) {
    if (typeof value !== 'number') throw wrongType(CODE, `options.${name}`, 'a number', value);
  }
  const core = loadCore();
  const fault = core.leaseOptionsFault(...Object.values(numbers));
  if (fault === 0) return;
  const values = Object.entries(numbers).map(([name, value]) => `${name} is ${shown(value)}`);
  const relation = camelCased(textAt(core.leaseOptionsText(fault)));
  const error = new RangeError(`${relation}, but ${values.join(', ')}`);
  throw Object.assign(error, { code: CODE });
}
