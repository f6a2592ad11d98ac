// Leases that are held: R14 to R17.

import { jest } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { hold, LockService, systemClock, withLock } from 'fencelock';
import { holdRemote, LOST, pass, SKEW, watch, useFakeTime } from './fake-time.js';
import { Remote } from './remote.js';

useFakeTime();

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
    await pass(0.4);
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
