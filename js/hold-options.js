// The options of hold() and withLock(): their defaults, and what must hold between them (R17).

import { checkClock, systemClock } from './clocks.js';
import { camelCased, checkOptionNames, outOfRange, shown, wrongType } from './errors.js';
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
  const { retrySeconds = 0.1 } = options;
  const read = {
    leaseSeconds: locks.leaseSeconds,
    maxClockSkewSeconds: 0.25,
    minRenewLeadSeconds: 2,
    rateError: 0,
    waitSeconds: Infinity,
    retrySeconds,
    maxRetrySeconds: Math.max(1, retrySeconds),
    maxHoldSeconds: Infinity,
    graceSeconds: 1,
    clock: locks.clock ?? systemClock,
    signal: undefined,
    onRenewed: undefined,
    onRenewalFailed: undefined,
    onLost: undefined,
    onReleaseFailed: undefined,
  };
  checkOptionNames(options, Object.keys(read));
  for (const [name, value] of Object.entries(options)) if (value !== undefined) read[name] = value;

  checkLease(read, locks);
  checkNumber('options.waitSeconds', read.waitSeconds, 0);
  checkNumber('options.retrySeconds', read.retrySeconds, 0.001);
  checkNumber('options.maxRetrySeconds', read.maxRetrySeconds, read.retrySeconds);
  checkNumber('options.maxHoldSeconds', read.maxHoldSeconds, 0);
  checkNumber('options.graceSeconds', read.graceSeconds, 0);
  checkClock(read.clock, 'options.clock');
  if (read.signal !== undefined && typeof read.signal?.throwIfAborted !== 'function') {
    throw wrongType(CODE, 'options.signal', 'an AbortSignal', read.signal);
  }
  for (const name of FUNCTIONS) {
    if (read[name] !== undefined && typeof read[name] !== 'function') {
      throw wrongType(CODE, `options.${name}`, 'a function', read[name]);
    }
  }
  return read;
}

// R17: the relations are the core's to judge.
function checkLease({ leaseSeconds, maxClockSkewSeconds, minRenewLeadSeconds, rateError }, locks) {
  if (leaseSeconds === undefined) {
    const expected = 'how long the leases last, which this lock service does not say';
    throw wrongType(CODE, 'options.leaseSeconds', expected, leaseSeconds);
  }
  if (leaseSeconds > locks.leaseSeconds) {
    const expected = `at most what the lock service grants, ${locks.leaseSeconds}`;
    throw outOfRange(CODE, 'options.leaseSeconds', expected, leaseSeconds);
  }
  const numbers = { leaseSeconds, maxClockSkewSeconds, minRenewLeadSeconds, rateError };
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
