// Clocks: where a lock service gets the time, in seconds.

import { outOfRange, wrongType } from './errors.js';

// On the machine's clock, also on that of the package's other copy (ESM and CommonJS have one each).
const SYSTEM = Symbol.for('fencelock.systemClock');

/** The machine's monotonic clock. Setting the wall clock does not move it. */
export const systemClock = Object.freeze({ now: () => performance.now() / 1000, [SYSTEM]: true });

export function isSystemClock(clock) {
  return clock[SYSTEM] === true;
}

/** Refuses what is no clock, and the two clocks that everyone has at hand but that count otherwise. */
export function checkClock(clock, argument) {
  const expected = 'an object with a now() function that gives seconds';
  if (typeof clock?.now !== 'function') {
    throw wrongType('INVALID_CLOCK', argument, expected, clock);
  }
  if (clock.now === Date.now || clock.now === globalThis.performance?.now) {
    const message = `${argument}: expected ${expected}, got one that gives milliseconds (use systemClock)`;
    throw Object.assign(new TypeError(message), { code: 'INVALID_CLOCK' });
  }
}

function checkSeconds(argument, seconds) {
  if (typeof seconds !== 'number') throw wrongType('INVALID_TIME', argument, 'a number', seconds);
  if (!Number.isFinite(seconds)) {
    throw outOfRange('INVALID_TIME', argument, 'a finite number', seconds);
  }
}

/** A clock for tests, which moves only when told to. */
export class FakeClock {
  #now;

  constructor(start = 0) {
    checkSeconds('start', start);
    this.#now = start;
  }

  now() {
    return this.#now;
  }

  /** Moves forward by so many seconds. */
  advance(seconds) {
    checkSeconds('seconds', seconds);
    if (seconds < 0) {
      throw outOfRange('INVALID_TIME', 'seconds', 'at least 0 (set() can go back)', seconds);
    }
    checkSeconds('the time after advancing', this.#now + seconds);
    this.#now += seconds;
  }

  /** Goes to a time, which may be an earlier one. */
  set(seconds) {
    checkSeconds('seconds', seconds);
    this.#now = seconds;
  }
}
