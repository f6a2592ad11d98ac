// A lease that is held: it renews itself (R15), knows until when it may be trusted (R14), and is lost
// once and for good. What to do, and when, the core decides; here are the clock, the timer, the
// messages and the signal.

import { promised } from './answers.js';
import { isSystemClock } from './clocks.js';
import { FencelockError, outOfMemory, wrongType } from './errors.js';
import { startTimer } from './timers.js';
import { loadCore, trapped } from './wasm.js';

const RESULT_OUT_OF_MEMORY = 2;
const STATE_HELD = 0;
const ACTION_RENEW = 1;
const ACTION_STOP = 2;
const ANSWER_RENEWED = 0;
const ANSWER_REFUSED = 1;
const ANSWER_FAILED = 2;
const LOST_BY_STATE = { 2: 'expired', 3: 'refused' };

const TEXTS = {
  expired: 'no renewal was answered in time',
  refused: 'the lock service says that it is not live',
  'held too long': 'it was held for maxHoldSeconds',
  failed: 'the clock or the core failed',
};

// Two clocks are not read at the same instant, and the wall clock counts milliseconds.
const SLEEP_SECONDS_MIN = 0.05;

export function readClock(clock) {
  const now = clock.now();
  if (typeof now === 'number' && now - now === 0) return now;
  throw wrongType('INVALID_TIME', 'clock.now()', 'a finite number of seconds', now);
}

/**
 * How far the wall clock is ahead of the machine's monotonic one, which stands still while the
 * machine sleeps. A clock of the user's own is taken at its word.
 */
export function wallOffset(clock, now) {
  return isSystemClock(clock) ? Date.now() / 1000 - now : 0;
}

// Whether the machine slept while the wall clock came from one offset to another.
function hasSlept(before, after, { maxClockSkewSeconds }) {
  return after - before > Math.max(maxClockSkewSeconds, SLEEP_SECONDS_MIN);
}

export function lost(reason, cause) {
  const error = new FencelockError('LEASE_LOST', `the lease was lost: ${TEXTS[reason]}`, { cause });
  error.reason = reason;
  return error;
}

// What the user's function throws is the user's to find, and must not stop a renewal.
export function tell(listener, value) {
  try {
    listener?.(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

export class Lease {
  #core = loadCore();
  #pointer; // of the core's state machine; 0 when the lease is lost or released
  #grant; // { locks, name, clientId, token }
  #options;
  #controller = new AbortController();
  #holdUntil;
  #safeUntil;
  #offset; // of the wall clock, at the time from which the lease is trusted
  #offsets = new Map(); // of the wall clock, by renewals under way
  #stopTimer = () => {};
  #forward; // passes an abort of the user's own signal on
  #failure; // of the latest renewal
  #lost = null;
  #released;

  /**
   * Throws when memory runs out; gives null when the reply came too late to be trusted (R14), or
   * over a sleep of the machine, so that nobody can tell how late.
   */
  static start(grant, options, sent, offset) {
    const now = readClock(options.clock);
    if (hasSlept(offset, wallOffset(options.clock, now), options)) return null;
    const core = loadCore();
    const { leaseSeconds, maxClockSkewSeconds, minRenewLeadSeconds, rateError } = options;
    let pointer;
    try {
      pointer = core.newLeaseHolder(
        leaseSeconds,
        maxClockSkewSeconds,
        minRenewLeadSeconds,
        rateError,
        sent,
        now,
      );
    } catch (error) {
      throw trapped(error);
    }
    if (pointer !== 0) return new Lease(pointer, grant, options, now, offset);
    if (core.results[0] === RESULT_OUT_OF_MEMORY) throw outOfMemory();
    return null;
  }

  constructor(pointer, grant, options, now, offset) {
    this.#pointer = pointer;
    this.#grant = grant;
    this.#options = options;
    this.#offset = offset;
    this.#holdUntil = now + options.maxHoldSeconds;
    this.#safeUntil = this.#core.leaseSafeUntil(pointer);
    const { signal } = options;
    this.#forward = () => this.#controller.abort(signal.reason);
    signal?.addEventListener('abort', this.#forward, { once: true });
    if (signal?.aborted) this.#forward(); // by the clock, a moment ago
    this.#step();
  }

  get token() {
    return this.#grant.token;
  }

  // Timers may be late, in a hidden tab by a minute: so the clock is asked, not they (F26).
  get trusted() {
    if (this.#pointer !== 0 && this.#trusts()) return true;
    this.#step();
    return this.#pointer !== 0 && this.#trusts();
  }

  get signal() {
    if (this.#pointer !== 0 && !this.#trusts()) this.#step();
    return this.#controller.signal;
  }

  get safeUntil() {
    return this.#safeUntil;
  }

  get lost() {
    if (this.#pointer !== 0 && !this.#trusts()) this.#step();
    return this.#lost;
  }

  release() {
    if (this.#released === undefined) {
      let settle;
      this.#released = new Promise((resolve) => (settle = resolve));
      settle(this.#release()); // which may come here again, by way of the clock
    }
    return this.#released;
  }

  async #release() {
    const { locks, name, clientId, token } = this.#grant;
    const left = this.#stop();
    // After a loss by the clock or by the service there is nothing left to release.
    if (this.#lost?.reason === 'expired' || this.#lost?.reason === 'refused') return false;
    const answer = locks.release(name, clientId, token);
    const promise = promised(answer);
    if (promise === undefined) return answer === true;
    return new Promise((resolve, reject) => {
      // By then the lease is over, whether or not the service heard of the release.
      const stop = startTimer(left, () => resolve(false));
      promise.then(
        (value) => {
          stop();
          resolve(value === true);
        },
        (error) => {
          stop();
          reject(error);
        },
      );
    });
  }

  // Ends the hold, or notes that it was lost before. Gives for how long the lease may last.
  #stop() {
    try {
      const now = readClock(this.#options.clock);
      if (now >= this.#safeUntil) this.#step();
      if (this.#pointer !== 0) {
        this.#core.leaseRelease(this.#pointer);
        this.#end();
      }
      return this.#safeUntil - now;
    } catch (error) {
      this.#fail(error);
      return this.#options.leaseSeconds;
    }
  }

  #trusts() {
    try {
      const now = this.#now();
      if (this.#pointer === 0 || now >= this.#holdUntil) return false;
      return this.#core.leaseTrusts(this.#pointer, now) === 1;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  // The clock is the user's code, which may release this lease: look at #pointer again afterwards.
  #now() {
    const now = readClock(this.#options.clock);
    const offset = wallOffset(this.#options.clock, now);
    if (hasSlept(this.#offset, offset, this.#options)) {
      this.#offset = offset;
      if (this.#pointer !== 0) this.#core.leaseDoubt(this.#pointer, now);
    }
    return now;
  }

  #step() {
    if (this.#pointer === 0) return;
    let action;
    let attempt;
    try {
      const now = this.#now();
      if (this.#pointer === 0) return;
      if (now >= this.#holdUntil) {
        this.#lose('held too long');
        return;
      }
      const random = Math.floor(Math.random() * 2 ** 32);
      action = this.#core.leaseStep(this.#pointer, now, random);
      if (action === ACTION_STOP) {
        this.#lose(LOST_BY_STATE[this.#core.leaseState(this.#pointer)], this.#failure);
        return;
      }
      const wakeAt = Math.min(this.#core.results[1], this.#holdUntil);
      attempt = this.#core.results[0];
      this.#stopTimer();
      this.#stopTimer = startTimer(wakeAt - now, () => this.#step());
      if (action === ACTION_RENEW) this.#offsets.set(attempt, wallOffset(this.#options.clock, now));
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (action === ACTION_RENEW) this.#renew(attempt);
  }

  #renew(attempt) {
    const { locks, name, clientId, token } = this.#grant;
    const answered = (value) => {
      if (value === true) this.#answer(attempt, ANSWER_RENEWED);
      else if (value === false) this.#answer(attempt, ANSWER_REFUSED);
      else failed(wrongType('INVALID_ANSWER', 'the answer of renew()', 'a boolean', value));
    };
    const failed = (error) => this.#answer(attempt, ANSWER_FAILED, error);
    let answer;
    let promise;
    try {
      answer = locks.renew(name, clientId, token);
      promise = promised(answer);
    } catch (error) {
      failed(error);
      return;
    }
    if (promise === undefined) answered(answer);
    else promise.then(answered, failed);
  }

  // Replies may come late, twice and out of order (R16); after the end they are not even looked at.
  #answer(attempt, answer, error) {
    if (this.#pointer === 0) return;
    let held;
    try {
      const now = this.#now();
      if (this.#pointer === 0) return;
      this.#core.leaseAnswer(this.#pointer, now, attempt, answer);
      this.#safeUntil = this.#core.leaseSafeUntil(this.#pointer);
      held = this.#core.leaseState(this.#pointer) === STATE_HELD;
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    if (held && answer === ANSWER_RENEWED) this.#noteRenewal(attempt);
    if (answer === ANSWER_FAILED) {
      this.#failure = error;
      tell(this.#options.onRenewalFailed, error);
    }
    this.#step();
  }

  #noteRenewal(attempt) {
    this.#failure = undefined;
    this.#offset = this.#offsets.get(attempt) ?? this.#offset;
    for (const earlier of this.#offsets.keys()) {
      if (earlier <= attempt) this.#offsets.delete(earlier);
    }
    tell(this.#options.onRenewed, this);
  }

  // Without a clock or a core nobody can say that the lease is good.
  #fail(error) {
    if (this.#pointer === 0) return; // the clock ended the hold before it failed
    this.#lose('failed', error instanceof WebAssembly.RuntimeError ? trapped(error) : error);
  }

  #lose(reason, cause) {
    this.#lost = lost(reason, cause);
    this.#end();
    this.#controller.abort(this.#lost);
    tell(this.#options.onLost, this.#lost);
  }

  #end() {
    this.#stopTimer();
    this.#options.signal?.removeEventListener('abort', this.#forward);
    this.#core.freeLeaseHolder(this.#pointer);
    this.#pointer = 0;
    this.#offsets.clear();
  }
}

// Node 18 and older browsers have no Symbol.asyncDispose; this is what compilers use there.
Lease.prototype[Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')] = async function () {
  await this.release();
};
