// Leases that are held (R14 to R17), and the faults F16 to F31 that holders have had.

import { jest } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { FakeClock, FencedStorage, hold, LockService, systemClock, withLock } from 'fencelock';
import { Remote } from './remote.js';

const SKEW = 0.25;
const LOST = { code: 'LEASE_LOST' };

beforeEach(() => {
  jest.useFakeTimers({ now: 1e12 });
});

afterEach(() => {
  expect(jest.getTimerCount()).toBe(0); // no timer is left behind, whatever the test did
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** Lets so many seconds pass, with all that happens in them. */
const pass = (seconds) => jest.advanceTimersByTimeAsync(seconds * 1000);

/** What becomes of a promise, seen from outside: it settles without being waited for. */
function watch(promise) {
  const seen = { state: 'pending', at: undefined };
  promise.then(
    (value) => Object.assign(seen, { state: 'fulfilled', value, at: systemClock.now() }),
    (error) => Object.assign(seen, { state: 'rejected', error, at: systemClock.now() }),
  );
  return seen;
}

async function holdRemote(remote, options) {
  const start = systemClock.now();
  const held = watch(hold(remote, 'lock', 'A', options));
  await pass(2 * remote.latency);
  expect(held.state).toBe('fulfilled');
  return { lease: held.value, start };
}

describe('hold', () => {
  test('gives a lease that renews itself, on a synchronous service', async () => {
    const locks = new LockService(systemClock, 3);
    const lease = await hold(locks, 'lock', 'A');
    expect(lease.token).toBe(1);
    expect([lease.trusted, lease.lost, lease.signal.aborted]).toEqual([true, null, false]);
    expect(lease.safeUntil).toBeCloseTo(systemClock.now() + 3 - SKEW, 9);
    await pass(100);
    expect(locks.inspect('lock')).toMatchObject({ clientId: 'A', token: 1 });
    expect([lease.trusted, lease.signal.aborted]).toEqual([true, false]);
    await expect(lease.release()).resolves.toBe(true);
    expect(locks.holder('lock')).toBeNull();
    expect(lease.signal.aborted).toBe(false);
    expect(lease.trusted).toBe(false);
  });

  test('the same on one whose methods give promises', async () => {
    const remote = new Remote(3);
    const { lease } = await holdRemote(remote);
    await pass(100);
    expect(remote.service.holder('lock')).toBe('A');
    expect(lease.trusted).toBe(true);
    const released = watch(lease.release());
    await pass(0.02);
    expect(released).toMatchObject({ state: 'fulfilled', value: true });
    expect(remote.service.holder('lock')).toBeNull();
  });

  test('await using releases', async () => {
    const locks = new LockService(systemClock, 3);
    const lease = await hold(locks, 'lock', 'A');
    await lease[Symbol.asyncDispose]();
    expect(locks.holder('lock')).toBeNull();
  });

  test('release twice is one release', async () => {
    const locks = new LockService(systemClock, 3);
    const lease = await hold(locks, 'lock', 'A');
    const release = jest.spyOn(locks, 'release');
    expect(lease.release()).toBe(lease.release());
    await lease.release();
    expect(release).toHaveBeenCalledTimes(1);
  });

  test('waits for a held lock, and gets it within a retry interval', async () => {
    const locks = new LockService(systemClock, 3);
    locks.acquire('lock', 'B');
    const held = watch(hold(locks, 'lock', 'A', { maxRetrySeconds: 0.5 }));
    await pass(2.9);
    expect(held.state).toBe('pending');
    await pass(0.6);
    expect(held.state).toBe('fulfilled');
    expect(held.value.token).toBe(2);
    await held.value.release();
  });

  test('waits up to a limit', async () => {
    const locks = new LockService(systemClock, 100);
    locks.acquire('lock', 'B');
    const start = systemClock.now();
    const held = watch(hold(locks, 'lock', 'A', { waitSeconds: 7.5 }));
    await pass(8);
    expect(held).toMatchObject({ state: 'rejected', error: { code: 'NOT_ACQUIRED' } });
    expect(held.at - start).toBeCloseTo(7.5, 2);
  });

  test('tries once when it is not to wait', async () => {
    const locks = new LockService(systemClock, 100);
    locks.acquire('lock', 'B');
    const acquire = jest.spyOn(locks, 'acquire');
    await expect(hold(locks, 'lock', 'A', { waitSeconds: 0 })).rejects.toMatchObject({
      code: 'NOT_ACQUIRED',
    });
    expect(acquire).toHaveBeenCalledTimes(1);
    const lease = await hold(locks, 'free', 'A', { waitSeconds: 0 });
    await lease.release();
  });

  test('the waits grow, within their bounds, and differ by chance', async () => {
    const locks = { acquire: jest.fn(() => null), renew() {}, release() {} };
    const times = [];
    locks.acquire.mockImplementation(() => {
      times.push(systemClock.now());
      return null;
    });
    const options = { leaseSeconds: 3, waitSeconds: 60, retrySeconds: 0.1, maxRetrySeconds: 2 };
    watch(hold(locks, 'lock', 'A', options));
    await pass(61);
    const gaps = times.slice(1, -1).map((time, index) => time - times[index]);
    gaps.forEach((gap, index) => {
      const longest = Math.min(0.1 * 2 ** index, 2);
      expect(gap).toBeGreaterThanOrEqual(longest / 2 - 1e-9);
      expect(gap).toBeLessThanOrEqual(longest + 0.0011); // a timer counts milliseconds
    });
    expect(new Set(gaps.slice(8)).size).toBeGreaterThan(5);
  });

  test('an error of acquire ends the waiting', async () => {
    const error = new Error('no network');
    const locks = { acquire: () => Promise.reject(error), renew() {}, release() {} };
    await expect(hold(locks, 'lock', 'A', { leaseSeconds: 3 })).rejects.toBe(error);
    const full = new LockService(systemClock, 3, 2 ** 53 - 1);
    full.acquire('other', 'A');
    await expect(hold(full, 'lock', 'A')).rejects.toMatchObject({ code: 'TOKENS_EXHAUSTED' });
  });

  test('a request for the lock that is never answered is made again', async () => {
    const remote = new Remote(3);
    remote.plan('acquire', { request: null });
    const held = watch(hold(remote, 'lock', 'A'));
    await pass(4.5);
    expect(held.state).toBe('fulfilled');
    expect(remote.count('acquire')).toBe(2);
    watch(held.value.release());
    await pass(1);
  });

  test('a signal ends the waiting with its reason', async () => {
    const remote = new Remote(100);
    remote.service.acquire('lock', 'B');
    const reason = new Error('enough');
    for (const when of [0, 0.005, 0.3, 5]) {
      const controller = new AbortController();
      const held = watch(hold(remote, 'lock', 'A', { signal: controller.signal }));
      await pass(when);
      controller.abort(reason);
      await pass(0);
      expect(held).toMatchObject({ state: 'rejected', error: reason });
      await pass(1);
    }
    const held = watch(hold(remote, 'lock', 'A', { signal: AbortSignal.abort(reason) }));
    const before = remote.count('acquire');
    await pass(1);
    expect(held.error).toBe(reason);
    expect(remote.count('acquire')).toBe(before);
  });

  test('nothing is left behind on a signal, nor a timer', async () => {
    const locks = new LockService(systemClock, 3);
    const { signal } = new AbortController();
    const listeners = () => getEventListeners(signal, 'abort').length;
    const remote = new Remote(3);
    const { lease: far } = await holdRemote(remote, { signal });
    const lease = await hold(locks, 'lock', 'A', { signal });
    expect(listeners()).toBe(2);
    const waiting = watch(hold(locks, 'lock', 'B', { signal, waitSeconds: 5 }));
    await pass(6);
    expect(waiting.state).toBe('rejected');
    expect(listeners()).toBe(2);
    await lease.release();
    expect(listeners()).toBe(1);
    remote.cut();
    await pass(4);
    expect(far.lost).not.toBeNull();
    expect(listeners()).toBe(0);

    const controller = new AbortController();
    locks.acquire('lock', 'C');
    const aborted = watch(hold(locks, 'lock', 'A', { signal: controller.signal }));
    await pass(1);
    controller.abort();
    await pass(0);
    expect([aborted.state, jest.getTimerCount()]).toEqual(['rejected', 0]);
  });

  test('a clock may release the lease that reads it', async () => {
    const locks = new LockService(systemClock, 3);
    for (const when of ['step', 'answer', 'question']) {
      const released = jest.fn();
      let reads = 0;
      let releaseAt = Infinity;
      const clock = {
        now() {
          reads += 1;
          if (reads >= releaseAt) lease.release().then(released, released);
          return systemClock.now();
        },
      };
      const lease = await hold(locks, 'lock', 'A', { clock });
      const { safeUntil } = lease;
      const renew = jest.spyOn(locks, 'renew');
      if (when === 'question') {
        releaseAt = reads + 1;
        expect(lease.trusted).toBe(false);
      } else {
        releaseAt = reads + (when === 'step' ? 1 : 2);
        await pass(5);
        expect(renew).toHaveBeenCalledTimes(when === 'step' ? 0 : 1);
      }
      await pass(0);
      expect(released).toHaveBeenCalledWith(true);
      expect(lease.safeUntil).toBe(safeUntil);
      expect([lease.lost, lease.signal.aborted, locks.holder('lock')]).toEqual([null, false, null]);
      expect(jest.getTimerCount()).toBe(0);
      renew.mockRestore();
    }
  });

  test('a signal that comes while the lock is held aborts the signal of the lease, and no more', async () => {
    const locks = new LockService(systemClock, 3);
    const controller = new AbortController();
    const lease = await hold(locks, 'lock', 'A', { signal: controller.signal });
    const reason = new Error('enough');
    controller.abort(reason);
    expect(lease.signal.reason).toBe(reason);
    await pass(20);
    expect([lease.trusted, lease.lost, locks.holder('lock')]).toEqual([true, null, 'A']);
    await lease.release();
  });

  test('after maxHoldSeconds the lease is lost, and can still be given back', async () => {
    const locks = new LockService(systemClock, 3);
    const onLost = jest.fn();
    const lease = await hold(locks, 'lock', 'A', { maxHoldSeconds: 20, onLost });
    await pass(19.9);
    expect([lease.trusted, lease.signal.aborted]).toEqual([true, false]);
    await pass(0.1);
    expect([lease.trusted, lease.signal.aborted]).toEqual([false, true]);
    expect(lease.lost).toMatchObject({ ...LOST, reason: 'held too long' });
    expect(onLost).toHaveBeenCalledTimes(1);
    expect(locks.holder('lock')).toBe('A');
    await expect(lease.release()).resolves.toBe(true);
    expect(locks.holder('lock')).toBeNull();
  });

  test('tells of renewals, of failed ones, and of the loss', async () => {
    const remote = new Remote(3);
    const events = [];
    const { lease } = await holdRemote(remote, {
      onRenewed: ({ safeUntil }) => events.push(['renewed', safeUntil > systemClock.now()]),
      onRenewalFailed: (error) => events.push(['failed', error.message]),
      onLost: (error) => events.push(['lost', error.reason, error.cause?.message]),
    });
    await pass(0.5);
    expect(events).toEqual([['renewed', true]]);
    remote.cut({ error: new Error('refused connection') });
    await pass(10);
    expect(events[1]).toEqual(['failed', 'refused connection']);
    expect(events.at(-1)).toEqual(['lost', 'expired', 'refused connection']);
    expect(lease.lost).toBe(lease.signal.reason);
    await expect(lease.release()).resolves.toBe(false);
    expect(remote.count('release')).toBe(0);
  });

  test('a refusal is a loss at once', async () => {
    const locks = new LockService(systemClock, 3);
    const lease = await hold(locks, 'lock', 'A');
    locks.release('lock', 'A', 1);
    locks.acquire('lock', 'B');
    await pass(1);
    expect(lease.signal.aborted).toBe(true);
    expect(lease.lost).toMatchObject({ ...LOST, reason: 'refused' });
    await lease.release();
    expect(locks.holder('lock')).toBe('B');
  });

  test('a listener that throws does not stop the renewals', async () => {
    const locks = new LockService(systemClock, 3);
    const thrown = [];
    jest.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) => {
      try {
        task();
      } catch (error) {
        thrown.push(error.message);
      }
    });
    const onRenewed = () => {
      throw new Error('mine');
    };
    const lease = await hold(locks, 'lock', 'A', { onRenewed });
    await pass(10);
    expect(lease.trusted).toBe(true);
    expect(thrown.length).toBeGreaterThan(3);
    expect(new Set(thrown)).toEqual(new Set(['mine']));
    await lease.release();
  });

  test('a clock that breaks costs the lease', async () => {
    const locks = new LockService(systemClock, 3);
    const clock = { now: () => systemClock.now() };
    const lease = await hold(locks, 'lock', 'A', { clock });
    const { signal } = lease;
    clock.now = () => NaN;
    await pass(1);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({
      ...LOST,
      reason: 'failed',
      cause: { code: 'INVALID_TIME' },
    });
  });

  test('an answer that is none is a failed renewal, or an error of acquire', async () => {
    const locks = { leaseSeconds: 3, acquire: () => 1, renew: () => 'OK', release: () => true };
    const onRenewalFailed = jest.fn();
    const lease = await hold(locks, 'lock', 'A', { onRenewalFailed });
    await pass(1);
    expect(onRenewalFailed.mock.calls[0][0]).toMatchObject({ code: 'INVALID_ANSWER' });
    expect(lease.trusted).toBe(true);
    await lease.release();
    locks.acquire = () => undefined;
    await expect(hold(locks, 'lock', 'A')).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
  });
});

describe('withLock', () => {
  test('holds the lock while the work runs, and gives its result', async () => {
    const locks = new LockService(systemClock, 3);
    const work = async ({ token, signal }) => {
      await new Promise((resolve) => setTimeout(resolve, 10000));
      return [token, signal.aborted, locks.holder('lock')];
    };
    const done = watch(withLock(locks, 'lock', 'A', work));
    await pass(10.1);
    expect(done.value).toEqual([1, false, 'A']);
    expect(locks.holder('lock')).toBeNull();
    await expect(withLock(locks, 'lock', 'B', {}, () => 'at once')).resolves.toBe('at once');
  });

  test('what the work throws, it rejects with, and the lock is free', async () => {
    const locks = new LockService(systemClock, 3);
    for (const work of [
      () => {
        throw new Error('mine');
      },
      () => Promise.reject(new Error('mine')),
    ]) {
      await expect(withLock(locks, 'lock', 'A', work)).rejects.toThrow('mine');
      expect(locks.holder('lock')).toBeNull();
    }
  });

  test('work that ends after its lease was lost has failed, though it noticed nothing', async () => {
    const remote = new Remote(3);
    const work = () => new Promise((resolve) => setTimeout(resolve, 3500));
    const done = watch(withLock(remote, 'lock', 'A', work));
    await pass(0.1);
    remote.cut();
    await pass(3.43);
    expect(done).toMatchObject({ state: 'rejected', error: { ...LOST, reason: 'expired' } });
    expect(jest.getTimerCount()).toBe(0); // nor is the time of grace waited for
  });

  test('work may wind down after a loss, and its own error counts', async () => {
    const remote = new Remote(3);
    const work = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          setTimeout(() => reject(new Error('rolled back')), 500);
        });
      });
    const done = watch(withLock(remote, 'lock', 'A', work));
    await pass(0.1);
    remote.cut();
    await pass(5);
    expect(done.error.message).toBe('rolled back');
  });

  test('a release that fails after good work does no harm, and is told', async () => {
    const remote = new Remote(3);
    const onReleaseFailed = jest.fn();
    remote.plan('release', { error: new Error('E2') });
    const done = watch(withLock(remote, 'lock', 'A', { onReleaseFailed }, () => 'good'));
    await pass(1);
    expect(done.value).toBe('good');
    expect(onReleaseFailed.mock.calls[0][0].message).toBe('E2');
  });

  test('a release that is never answered is not waited for beyond the lease', async () => {
    const remote = new Remote(3);
    remote.plan('release', { request: null });
    const done = watch(withLock(remote, 'lock', 'A', () => 'good'));
    await pass(3);
    expect(done.value).toBe('good');
  });
});

describe('R17: options', () => {
  const locks = new LockService(systemClock, 3);

  test('a lease that is too short for the others names them all, with their values', async () => {
    await expect(hold(locks, 'lock', 'A', { minRenewLeadSeconds: 2.75 })).rejects.toMatchObject({
      name: 'RangeError',
      code: 'INVALID_OPTIONS',
      message:
        'leaseSeconds * (1 - rateError) must be above maxClockSkewSeconds + minRenewLeadSeconds, ' +
        'but leaseSeconds is 3, maxClockSkewSeconds is 0.25, minRenewLeadSeconds is 2.75, ' +
        'rateError is 0',
    });
  });

  test.each([
    { leaseSeconds: 0 },
    { leaseSeconds: NaN },
    { leaseSeconds: 4 }, // more than the service grants
    { leaseSeconds: '3' },
    { maxClockSkewSeconds: -1 },
    { minRenewLeadSeconds: Infinity },
    { rateError: 1 },
    { rateError: -0.1 },
    { rateError: null },
    { waitSeconds: -1 },
    { waitSeconds: NaN },
    { waitSeconds: '5' },
    { retrySeconds: 0 },
    { retrySeconds: 2, maxRetrySeconds: 1 },
    { maxHoldSeconds: -1 },
    { graceSeconds: NaN },
    { signal: {} },
    { signal: null },
    { onLost: 'call me' },
    null,
    5,
  ])('%p', async (options) => {
    const acquire = jest.spyOn(locks, 'acquire');
    await expect(hold(locks, 'lock', 'A', options)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
    await expect(withLock(locks, 'lock', 'A', options, () => {})).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
    expect(acquire).not.toHaveBeenCalled();
  });

  test('what else is wrong', async () => {
    const code = (promise) => promise.catch((error) => error.code);
    expect(await code(hold({}, 'lock', 'A'))).toBe('INVALID_LOCKS');
    expect(await code(hold(null, 'lock', 'A'))).toBe('INVALID_LOCKS');
    expect(await code(hold(locks, 5, 'A'))).toBe('INVALID_NAME');
    expect(await code(hold(locks, 'lock', null))).toBe('INVALID_NAME');
    expect(await code(hold(locks, 'lock', 'A', { clock: {} }))).toBe('INVALID_CLOCK');
    expect(await code(withLock(locks, 'lock', 'A', {}))).toBe('INVALID_OPTIONS');
    expect(await code(withLock(locks, 'lock', 'A', {}, 5))).toBe('INVALID_OPTIONS');
    const remote = { acquire() {}, renew() {}, release() {} };
    expect(await code(hold(remote, 'lock', 'A'))).toBe('INVALID_OPTIONS'); // no leaseSeconds
  });
});

describe('faults', () => {
  test('F16: a slow grant was handed over although already expired', async () => {
    const remote = new Remote(1);
    remote.plan('acquire', { request: 0.7, answer: 0.7 });
    const options = { minRenewLeadSeconds: 0.2, waitSeconds: 0 };
    const held = watch(hold(remote, 'lock', 'A', options));
    await pass(2);
    expect(held).toMatchObject({ state: 'rejected', error: { code: 'NOT_ACQUIRED' } });
    expect(remote.log.at(-1)).toMatchObject({ operation: 'release', token: 1 });
  });

  test('F17: a renewal in flight when the work ends re-armed the timer after the release', async () => {
    const remote = new Remote(6);
    const { lease, start } = await holdRemote(remote);
    const [sent] = [lease.safeUntil];
    remote.plan('renew', { request: 0.01, answer: 0.3 });
    while (remote.count('renew') === 0) await pass(0.01);
    await pass(0.1);
    watch(lease.release());
    await pass(0.1);
    expect(jest.getTimerCount()).toBe(1); // the answer on its way
    const messages = remote.log.length;
    await pass(10);
    expect(remote.log).toHaveLength(messages);
    expect([lease.signal.aborted, lease.lost]).toEqual([false, null]);
    expect(lease.safeUntil).toBe(sent);
    expect(start).toBeLessThan(sent);
  });

  test('F18: one failed renewal ended renewal', async () => {
    const remote = new Remote(3);
    const { lease, start } = await holdRemote(remote);
    remote.plan('renew', { request: null });
    await pass(2 - 0.02);
    expect(remote.count('renew')).toBeGreaterThanOrEqual(2);
    expect(remote.times('renew')[1] - start).toBeLessThan(2);
    await pass(20);
    expect([lease.trusted, remote.service.holder('lock')]).toEqual([true, 'A']);
    watch(lease.release());
    await pass(1);
  });

  test('F19: one transient error counted as loss', async () => {
    const remote = new Remote(3);
    const { lease } = await holdRemote(remote);
    remote.plan('renew', { error: new Error('connection refused') });
    await pass(10);
    expect([lease.signal.aborted, lease.trusted]).toEqual([false, true]);
    watch(lease.release());
    await pass(1);
  });

  test('F20: a failed renewal was retried without a pause', async () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const remote = new Remote(3);
      const { lease, start } = await holdRemote(remote);
      await pass(0.98);
      const before = remote.count('renew');
      remote.cut({ error: new Error('down') });
      await pass(3);
      const times = remote.times('renew').slice(before);
      const early = times.filter((time) => time < start + 3);
      expect(early.length).toBeLessThanOrEqual(8);
      expect(early.length).toBeGreaterThanOrEqual(2);
      expect(lease.signal.aborted).toBe(true);
      expect(jest.getTimerCount()).toBe(0);
    }
  });

  test.each([1, 0.1, 0.01])('F21: a lease of %d made renewal a busy loop', async (leaseSeconds) => {
    const locks = new LockService(systemClock, leaseSeconds);
    await expect(hold(locks, 'lock', 'A')).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    const options = {
      maxClockSkewSeconds: leaseSeconds / 20,
      minRenewLeadSeconds: leaseSeconds / 5,
    };
    const renew = jest.spyOn(locks, 'renew');
    const other = jest.fn();
    const interval = setInterval(other, 10);
    const lease = await hold(locks, 'lock', 'A', options);
    await pass(leaseSeconds * 10);
    expect(renew.mock.calls.length).toBeLessThanOrEqual(40);
    expect(renew.mock.calls.length).toBeGreaterThanOrEqual(10);
    expect(other).toHaveBeenCalledTimes(Math.floor((leaseSeconds * 10) / 0.01));
    expect(lease.trusted).toBe(true);
    clearInterval(interval);
    await lease.release();
  });

  test.each([2147483.647, 2147483.648, 30 * 86400, 1e7])(
    "F22: a lease of %d s renewed in a loop, since Node's timers overflow",
    async (leaseSeconds) => {
      const locks = new LockService(systemClock, leaseSeconds);
      const renew = jest.spyOn(locks, 'renew');
      const lease = await hold(locks, 'lock', 'A');
      await pass(0.3);
      expect(renew).not.toHaveBeenCalled();
      jest.advanceTimersByTime((leaseSeconds / 3 - 1) * 1000);
      expect(renew).not.toHaveBeenCalled();
      jest.advanceTimersByTime(2000);
      expect(renew).toHaveBeenCalledTimes(1);
      await lease.release();
    },
  );

  test('F23: with packets silently dropped the holder worked on', async () => {
    const remote = new Remote(3);
    const start = systemClock.now();
    let signal;
    const hanging = new Promise(() => {});
    const done = watch(
      withLock(remote, 'lock', 'A', (lease) => {
        ({ signal } = lease);
        return hanging;
      }),
    );
    await pass(0.4);
    remote.cut();
    await pass(0.1);
    const lastSent = remote.times('renew')[0]; // answered before the cut
    await pass(lastSent + 3 - SKEW - systemClock.now() - 0.002);
    expect(signal.aborted).toBe(false);
    await pass(0.004);
    expect(signal.aborted).toBe(true);
    expect(done.state).toBe('pending');
    await pass(1);
    expect(done).toMatchObject({ state: 'rejected', error: { ...LOST, reason: 'expired' } });
    expect(done.at - start).toBeLessThan(4.5);
  });

  test('F24: replies out of order moved the deadline back', async () => {
    const remote = new Remote(20);
    const { lease } = await holdRemote(remote, { minRenewLeadSeconds: 10 });
    remote.plan('renew', { request: 0.1, answer: 2.4 }, { request: 0.05, answer: 0.05 });
    while (remote.count('renew') < 2) await pass(0.01);
    await pass(0.1);
    const [first, second] = remote.times('renew');
    expect(second - first).toBeLessThan(2.4);
    expect(lease.safeUntil).toBeCloseTo(second + 20 - SKEW, 6);
    await pass(first + 2.6 - systemClock.now());
    expect(lease.safeUntil).toBeCloseTo(second + 20 - SKEW, 6);
    watch(lease.release());
    await pass(1);
  });

  test('F25: sleep stops timers and the monotonic clock, not the lease', async () => {
    const remote = new Remote(3);
    const storage = new FencedStorage();
    const { lease } = await holdRemote(remote);
    await pass(1);
    expect(lease.trusted).toBe(true);
    // The machine sleeps for 60 s: only the wall clock, and the rest of the world, go on.
    jest.setSystemTime(Date.now() + 60000);
    remote.service.release('lock', 'A', 1);
    expect(remote.service.acquire('lock', 'B')).toBe(2);
    storage.fence('key', 2);
    const before = remote.count('renew');
    expect(lease.trusted).toBe(false);
    expect(remote.count('renew')).toBe(before + 1); // it asks
    expect(lease.signal.aborted).toBe(false);
    await pass(0.02);
    expect(lease.signal.reason).toMatchObject({ ...LOST, reason: 'refused' });
    expect(storage.write('key', 'stale', lease.token)).toBe(false);
  });

  test('F25: a lease that outlived the sleep is trusted again after an answer', async () => {
    const remote = new Remote(10);
    const { lease } = await holdRemote(remote);
    jest.setSystemTime(Date.now() + 2000);
    expect(lease.trusted).toBe(false);
    await pass(0.02);
    expect([lease.trusted, lease.signal.aborted]).toEqual([true, false]);
    await pass(60);
    expect(lease.trusted).toBe(true);
    watch(lease.release());
    await pass(1);
  });

  test('F25: a wall clock that is slowly set right is no sleep', async () => {
    const renewals = async (creep) => {
      const locks = new LockService(systemClock, 10);
      const onRenewed = jest.fn();
      const lease = await hold(locks, 'lock', 'A', { onRenewed });
      for (let second = 0; second < 60; second += 1) {
        await pass(1);
        jest.setSystemTime(Date.now() + creep);
        expect(lease.trusted).toBe(true);
      }
      await lease.release();
      return onRenewed.mock.calls.length;
    };
    expect(await renewals(20)).toBe(await renewals(0));
  });

  test('F26: the timers of a hidden tab fire once a minute', async () => {
    const clock = new FakeClock();
    const locks = new LockService(clock, 30);
    const lease = await hold(locks, 'lock', 'A', { clock });
    const { signal } = lease;
    clock.set(29.74); // no timer has fired
    expect([lease.trusted, lease.signal.aborted]).toEqual([true, false]);
    clock.set(29.75);
    expect(signal.aborted).toBe(false);
    expect(lease.trusted).toBe(false);
    expect(signal.aborted).toBe(true);
    expect(lease.lost).toMatchObject({ reason: 'expired' });
  });

  test.each(['signal', 'lost', 'release'])('F26: the same when asked for %s', async (question) => {
    const clock = new FakeClock();
    const locks = new LockService(systemClock, 30);
    const lease = await hold(locks, 'lock', 'A', { clock });
    clock.set(29.75);
    if (question === 'signal') expect(lease.signal.aborted).toBe(true);
    if (question === 'lost') expect(lease.lost).toMatchObject({ reason: 'expired' });
    if (question === 'release') await expect(lease.release()).resolves.toBe(false);
    expect(locks.holder('lock')).toBe('A'); // no more messages
    expect(jest.getTimerCount()).toBe(0);
  });

  test('F26: a timer that is late renews, as long as the lease may be trusted', async () => {
    const clock = new FakeClock();
    const locks = new LockService(clock, 100);
    const lease = await hold(locks, 'lock', 'A', { clock });
    for (let minute = 1; minute <= 10; minute += 1) {
      clock.set(minute * 60);
      await pass(60);
      expect([lease.trusted, locks.holder('lock')]).toEqual([true, 'A']);
    }
    await lease.release();
  });

  test('F27: a clock that runs slow', async () => {
    const locks = new LockService(systemClock, 10);
    const sent = systemClock.now();
    const options = { rateError: 0.05, maxClockSkewSeconds: 0 };
    const lease = await hold(locks, 'lock', 'A', options);
    expect(lease.safeUntil - sent).toBeCloseTo(9.5, 6);
    expect(lease.safeUntil - sent).toBeLessThanOrEqual(9.5);
    await lease.release();
  });

  test('F28: a waiter was told that it holds the lock after its lease had died in the queue', async () => {
    // The grant comes when the lease is over: the work does not run, and the token is given back.
    const work = jest.fn(() => 'done');
    const slow = new Remote(3);
    slow.plan('acquire', { request: 0.5, answer: 2.4 });
    const late = watch(withLock(slow, 'lock', 'A', { waitSeconds: 0 }, work));
    await pass(5);
    expect(late.error).toMatchObject({ code: 'NOT_ACQUIRED' });
    expect(work).not.toHaveBeenCalled();
    expect(slow.log.at(-1)).toMatchObject({ operation: 'release', token: 1 });
  });

  test.each(['abort first', 'grant first'])('F29: abort racing a grant, %s', async (order) => {
    for (let ticks = 0; ticks < 8; ticks += 1) {
      const service = new LockService(systemClock, 3);
      let grant;
      const locks = {
        leaseSeconds: 3,
        acquire: (...all) =>
          new Promise((resolve) => (grant = () => resolve(service.acquire(...all)))),
        renew: async (...all) => service.renew(...all),
        release: async (...all) => service.release(...all),
      };
      const controller = new AbortController();
      const { signal } = controller;
      const work = jest.fn(async () => (signal.aborted ? 'began in vain' : 'worked'));
      const done = watch(withLock(locks, 'lock', 'A', { signal }, work));
      await pass(0.1);
      const steps = [() => controller.abort(new Error('enough')), () => grant()];
      if (order === 'grant first') steps.reverse();
      steps[0]();
      for (let tick = 0; tick < ticks; tick += 1) await null;
      steps[1]();
      await pass(0.1);
      if (work.mock.calls.length > 0) {
        expect(done).toMatchObject({ state: 'fulfilled', value: 'worked' });
      } else {
        expect(done).toMatchObject({ state: 'rejected', error: { message: 'enough' } });
      }
      expect(service.nextToken).toBe(2); // it was granted ...
      expect(service.holder('lock')).toBeNull(); // ... and is free again
    }
  });

  test('F29: what hold() gives after such a race is a lease whose signal is aborted, or none', async () => {
    for (let ticks = 0; ticks < 8; ticks += 1) {
      const service = new LockService(systemClock, 3);
      let grant;
      const locks = {
        leaseSeconds: 3,
        acquire: (...all) =>
          new Promise((resolve) => (grant = () => resolve(service.acquire(...all)))),
        renew: async (...all) => service.renew(...all),
        release: async (...all) => service.release(...all),
      };
      const controller = new AbortController();
      const held = watch(hold(locks, 'lock', 'A', { signal: controller.signal }));
      await pass(0.1);
      grant();
      for (let tick = 0; tick < ticks; tick += 1) await null;
      controller.abort(new Error('enough'));
      await pass(0.1);
      if (held.state === 'fulfilled') {
        expect(held.value.signal.aborted).toBe(true);
        await held.value.release();
      }
      expect(service.holder('lock')).toBeNull();
    }
  });

  test("F30: a failed release hid the work's own error", async () => {
    const locks = new LockService(systemClock, 3);
    const e1 = new Error('E1');
    const e2 = new Error('E2');
    const broken = {
      leaseSeconds: 3,
      acquire: (...all) => locks.acquire(...all),
      renew: (...all) => locks.renew(...all),
      release() {
        throw e2;
      },
    };
    const thrown = await withLock(broken, 'lock', 'A', () => Promise.reject(e1)).catch((e) => e);
    expect(thrown).toBe(e1);
    expect(thrown.suppressed).toBe(e2);
    const frozen = Object.freeze(new Error('frozen'));
    await expect(withLock(broken, 'other', 'A', () => Promise.reject(frozen))).rejects.toBe(frozen);
  });

  test('F31: a renewal that kept failing became an unhandled rejection', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const remote = new Remote(3);
    const onLost = jest.fn();
    const onRenewalFailed = jest.fn();
    const { lease } = await holdRemote(remote, { onLost, onRenewalFailed });
    remote.cut({ error: new Error('down') });
    await pass(10);
    jest.useRealTimers();
    await new Promise((resolve) => setTimeout(resolve, 20));
    jest.useFakeTimers();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(onRenewalFailed.mock.calls.length).toBeGreaterThan(1);
    expect(onLost).toHaveBeenCalledTimes(1);
    expect(lease.lost).toBe(onLost.mock.calls[0][0]);
  });
});

describe('in real time', () => {
  beforeEach(() => jest.useRealTimers());
  afterEach(() => jest.useFakeTimers());

  const short = { maxClockSkewSeconds: 0.1, minRenewLeadSeconds: 0.5 };
  const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

  test('a lease of 2 s is kept for 4 s, and another waits for it', async () => {
    const locks = new LockService(systemClock, 2);
    const first = await hold(locks, 'lock', 'A', short);
    const second = watch(hold(locks, 'lock', 'B', { ...short, maxRetrySeconds: 0.1 }));
    await wait(4);
    expect([first.trusted, second.state]).toEqual([true, 'pending']);
    await first.release();
    await wait(0.5);
    expect(second.value?.token).toBe(2);
    await second.value.release();
  });

  test('F22: a long lease gives no warning and no early renewal', async () => {
    const warning = jest.fn();
    process.on('warning', warning);
    // The last one's first renewal itself is further away than a timer goes.
    for (const leaseSeconds of [(2 ** 31 - 1) / 1000, 2 ** 31 / 1000, 30 * 86400, 1e7]) {
      const locks = new LockService(systemClock, leaseSeconds);
      const renew = jest.spyOn(locks, 'renew');
      const step = jest.spyOn(globalThis, 'setTimeout');
      const lease = await hold(locks, 'lock', 'A');
      await wait(0.3);
      expect([renew.mock.calls.length, warning.mock.calls.length]).toEqual([0, 0]);
      expect(step).toHaveBeenCalledTimes(2); // the lease's, and that of the wait
      step.mockRestore();
      await lease.release();
    }
    process.off('warning', warning);
  });
});
