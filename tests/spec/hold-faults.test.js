// The faults F16 to F31, which holders of leases have had.

import { jest } from '@jest/globals';
import { FakeClock, FencedStorage, hold, LockService, systemClock, withLock } from 'fencelock';
import { holdRemote, LOST, pass, SKEW, watch, useFakeTime } from './fake-time.js';
import { Remote } from './remote.js';

useFakeTime();

/** A service of 3-second leases whose grant comes when `grant()` is called. */
function grantedByHand() {
  const service = new LockService(systemClock, 3);
  let resolveGrant;
  const locks = {
    leaseSeconds: 3,
    acquire: (...all) =>
      new Promise((resolve) => (resolveGrant = () => resolve(service.acquire(...all)))),
    renew: async (...all) => service.renew(...all),
    release: async (...all) => service.release(...all),
  };
  return { service, locks, grant: () => resolveGrant() };
}

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
      const { service, locks, grant } = grantedByHand();
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
      const { service, locks, grant } = grantedByHand();
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
