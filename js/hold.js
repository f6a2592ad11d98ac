// Taking a lock and keeping it: hold() gives a lease that renews itself, withLock() holds one for as
// long as a piece of work takes.

import { promised } from './answers.js';
import { FencelockError, wrongType } from './errors.js';
import { readOptions } from './hold-options.js';
import { Lease, lost, readClock, tell, wallOffset } from './lease.js';
import { checkName } from './names.js';
import { sleep, startTimer } from './timers.js';
import { isToken } from './tokens.js';

const METHODS = ['acquire', 'renew', 'release'];
const NO_ANSWER = Symbol('no answer');

function checkLocks(locks) {
  if (METHODS.some((method) => typeof locks?.[method] !== 'function')) {
    throw wrongType('INVALID_LOCKS', 'locks', `an object with ${METHODS.join(', ')}`, locks);
  }
}

/** Releases a token that nobody will use. That it can't be is no harm: its lease ends. */
async function giveBack(locks, name, clientId, token) {
  if (!isToken(token)) return;
  try {
    await locks.release(name, clientId, token);
  } catch {
    // Nobody waits for this.
  }
}

/**
 * Asks for the lock: gives the token, null, or NO_ANSWER when a lease asked for now would be over
 * before the answer came. An answer that comes when nobody waits for it any more is given back.
 */
function ask(locks, name, clientId, { leaseSeconds, signal }) {
  const answer = locks.acquire(name, clientId);
  const promise = promised(answer);
  if (promise === undefined) return answer;
  return new Promise((resolve, reject) => {
    let waiting = true;
    const finish = (settle, value) => {
      waiting = false;
      stop();
      signal?.removeEventListener('abort', abort);
      settle(value);
    };
    const abort = () => finish(reject, signal.reason);
    const stop = startTimer(leaseSeconds, () => finish(resolve, NO_ANSWER));
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort(); // while the service was asked
    promise.then(
      (token) => (waiting ? finish(resolve, token) : giveBack(locks, name, clientId, token)),
      (error) => waiting && finish(reject, error),
    );
  });
}

/** Each wait for a held lock is twice the one before, up to a longest, and half of it by chance. */
function retryGap(tries, { retrySeconds, maxRetrySeconds }) {
  return Math.min(retrySeconds * 2 ** tries, maxRetrySeconds) * (0.5 + Math.random() / 2);
}

/** Checks what hold() and withLock() are given, and gives the options with their defaults. */
function readArguments(locks, name, clientId, options) {
  checkLocks(locks);
  checkName(name, 'name');
  checkName(clientId, 'clientId');
  return readOptions(locks, options);
}

export async function hold(locks, name, clientId, options = {}) {
  return take({ locks, name, clientId }, readArguments(locks, name, clientId, options));
}

async function take({ locks, name, clientId }, options) {
  const { clock, signal, waitSeconds } = options;
  const began = readClock(clock);
  for (let tries = 0; ; tries += 1) {
    signal?.throwIfAborted();
    const sent = readClock(clock);
    const offset = wallOffset(clock, sent);
    const token = await ask(locks, name, clientId, options);
    if (isToken(token)) {
      let lease = null;
      try {
        if (!signal?.aborted) {
          lease = Lease.start({ locks, name, clientId, token }, options, sent, offset);
        }
      } finally {
        if (lease === null) giveBack(locks, name, clientId, token);
      }
      if (lease !== null) return lease;
    } else if (token !== null && token !== NO_ANSWER) {
      throw wrongType('INVALID_ANSWER', 'the answer of acquire()', 'a token or null', token);
    }
    const left = began + waitSeconds - readClock(clock);
    signal?.throwIfAborted();
    if (left <= 0) {
      const why = token === null ? 'the lock was held' : 'the lock service did not answer in time';
      const message = `no grant within ${waitSeconds} s: ${why}`;
      throw new FencelockError('NOT_ACQUIRED', message);
    }
    await sleep(Math.min(retryGap(tries, options), left), signal);
  }
}

export async function withLock(locks, name, clientId, ...rest) {
  const [options, work] = rest.length > 1 ? rest : [{}, rest[0]];
  if (typeof work !== 'function') throw wrongType('INVALID_OPTIONS', 'work', 'a function', work);
  const terms = readArguments(locks, name, clientId, options);

  let giveUp;
  let ended = false;
  let stopGrace = () => {};
  const givenUp = new Promise((_, reject) => (giveUp = reject));
  const onLost = (error) => {
    if (!ended) stopGrace = startTimer(terms.graceSeconds, () => giveUp(error));
    terms.onLost?.(error);
  };
  const endWork = () => {
    ended = true; // a loss that is noticed from now on leaves nobody to wait for
    stopGrace();
  };
  const lease = await take({ locks, name, clientId }, { ...terms, onLost });
  let result;
  try {
    terms.signal?.throwIfAborted();
    if (lease.lost !== null) throw lease.lost; // since it was granted (F28)
    result = await Promise.race([givenUp, work(lease)]);
  } catch (error) {
    endWork();
    await releaseAfter(error, lease, terms);
    throw error?.name === 'AbortError' && lease.lost !== null ? lease.lost : error;
  }
  endWork();
  const { trusted, lost: loss } = lease;
  const released = await releaseQuietly(lease, terms);
  // A lease in doubt was good if the service still knew it.
  if (loss === null && (trusted || released)) return result;
  throw lease.lost ?? lost('refused');
}

/** The work's own error is not hidden by a loss, nor by what the release may throw (F30). */
async function releaseAfter(error, lease, terms) {
  const attach = (suppressed) => {
    if (error !== suppressed && Object.isExtensible(error)) error.suppressed = suppressed;
  };
  if (lease.lost !== null) attach(lease.lost);
  await releaseQuietly(lease, terms, attach);
}

async function releaseQuietly(lease, { onReleaseFailed }, attach) {
  try {
    return await lease.release();
  } catch (error) {
    attach?.(error);
    tell(onReleaseFailed, error);
    return false;
  }
}
