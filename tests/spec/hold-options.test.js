// What a newcomer gets wrong first, and what hold() and withLock() say to it.

import { setTimeout as sleep } from 'node:timers/promises';
import { FakeClock, FencedStorage, hold, LockService, systemClock, withLock } from 'fencelock';

const code = (expected) => expect.objectContaining({ code: expected });
const BRIEF = { maxClockSkewSeconds: 0, minRenewLeadSeconds: 0 };

describe('clocks that give milliseconds', () => {
  test.each([
    ['Date', Date],
    ['performance', performance],
    ['an object with Date.now', { now: Date.now }],
  ])('%s is refused, with a word on what to use', async (_, clock) => {
    expect(() => new LockService(clock)).toThrow(code('INVALID_CLOCK'));
    expect(() => new LockService(clock)).toThrow('use systemClock');
    const locks = new LockService(systemClock);
    await expect(hold(locks, 'lock', 'client', { clock })).rejects.toThrow('use systemClock');
    expect(locks.holder('lock')).toBeNull();
  });
});

describe('options that do not exist', () => {
  test('are refused with the list of those that do', async () => {
    expect(() => new FencedStorage({ rules: 'above' })).toThrow(
      'options.rules: there is no such option (there are rule)',
    );
    const locks = new LockService(systemClock);
    await expect(hold(locks, 'lock', 'client', { waitSecond: 5 })).rejects.toThrow(
      /^options.waitSecond: there is no such option \(there are leaseSeconds, /,
    );
    await expect(withLock(locks, 'lock', 'client', { onlost() {} }, () => 1)).rejects.toThrow(
      code('INVALID_OPTIONS'),
    );
    expect(locks.holder('lock')).toBeNull();
  });

  test('undefined is an option left out', async () => {
    const locks = new LockService(systemClock);
    const lease = await hold(locks, 'lock', 'client', {
      waitSeconds: undefined,
      signal: undefined,
    });
    expect(lease.trusted).toBe(true);
    await lease.release();
  });
});

describe('defaults', () => {
  test('the clock is the lock service’s own', async () => {
    const clock = new FakeClock(100);
    const locks = new LockService(clock, 10);
    expect(locks.clock).toBe(clock);
    const lease = await hold(locks, 'lock', 'client');
    expect(lease.safeUntil).toBe(109.75);
    clock.advance(60);
    expect(lease.trusted).toBe(false);
    expect(lease.lost).toMatchObject({ code: 'LEASE_LOST', reason: 'expired' });
  });

  test('the longest wait is never below the first', async () => {
    const locks = new LockService(systemClock);
    const lease = await hold(locks, 'lock', 'client', { retrySeconds: 2 });
    await lease.release();
  });

  test('a service that does not say how long its leases last is asked about', async () => {
    const remote = { acquire: () => 1, renew: () => true, release: () => true };
    await expect(hold(remote, 'lock', 'client')).rejects.toThrow(
      'options.leaseSeconds: expected how long the leases last, which this lock service does not say',
    );
  });
});

describe('a lock that was not to be had', () => {
  test('because it was held', async () => {
    const locks = new LockService(systemClock);
    locks.acquire('lock', 'somebody');
    await expect(hold(locks, 'lock', 'client', { waitSeconds: 0 })).rejects.toMatchObject({
      code: 'NOT_ACQUIRED',
      message: 'no grant within 0 s: the lock was held',
    });
  });

  test('because nobody answered', async () => {
    const silent = { acquire: () => new Promise(() => {}), renew: () => {}, release: () => {} };
    const options = { ...BRIEF, leaseSeconds: 0.05, waitSeconds: 0 };
    await expect(hold(silent, 'lock', 'client', options)).rejects.toMatchObject({
      code: 'NOT_ACQUIRED',
      message: 'no grant within 0 s: the lock service did not answer in time',
    });
  });
});

describe('work whose lease is lost', () => {
  // The service forgets the lease, so that its next renewal is refused.
  const losing = (work) => {
    const locks = new LockService(systemClock, 0.1);
    return withLock(locks, 'lock', 'client', BRIEF, (lease) => {
      locks.release('lock', 'client', lease.token);
      return work(lease);
    });
  };

  test('and which ends by the abort, is LEASE_LOST', async () => {
    await expect(losing(({ signal }) => sleep(5000, null, { signal }))).rejects.toMatchObject({
      code: 'LEASE_LOST',
      reason: 'refused',
    });
  });

  test('and which throws an error of its own, gives that with the loss in it', async () => {
    const own = new Error('half done');
    const work = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(own)));
    await expect(losing(work)).rejects.toBe(own);
    expect(own.suppressed).toMatchObject({ code: 'LEASE_LOST' });
  });

  test('an AbortError without a loss is the work’s own', async () => {
    const locks = new LockService(systemClock);
    const own = new DOMException('stopped', 'AbortError');
    const work = () => Promise.reject(own);
    await expect(withLock(locks, 'lock', 'client', work)).rejects.toBe(own);
  });
});
