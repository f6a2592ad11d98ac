// Holding a lease among code that does not keep its promises: clocks that throw, jump or use the
// lease, and lock services whose answers come twice, never, or not as answers.

import { jest } from '@jest/globals';
import { createRequire } from 'node:module';
import { FakeClock, hold, LockService, systemClock, withLock } from 'fencelock';
import { LOST, pass, useFakeTime, watch } from './fake-time.js';
import { Remote } from './remote.js';

useFakeTime();

/** A lock service that grants token 1, with some methods replaced. */
function fakeLocks(methods) {
  const yes = () => true;
  return { leaseSeconds: 3, acquire: () => 1, renew: yes, release: jest.fn(yes), ...methods };
}

/** The machine's clock, which breaks for as long as `broken` is set. */
function breakable() {
  return {
    broken: false,
    now() {
      if (this.broken) throw new Error('no time');
      return systemClock.now();
    },
  };
}

describe('withLock and a loss that is noticed only when the work is done', () => {
  test.each([
    ['gives a result', () => 'result', LOST],
    [
      'throws',
      () => {
        throw new Error('mine');
      },
      { message: 'mine' },
    ],
    ['rejects', () => Promise.reject(new Error('mine')), { message: 'mine' }],
  ])('leaves no timer of grace behind when the work %s', async (_, end, error) => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const clock = new FakeClock();
    const onLost = jest.fn();
    const locks = new LockService(clock, 3);
    const done = watch(
      withLock(locks, 'lock', 'A', { clock, onLost }, () => {
        clock.set(100); // the work kept the machine busy: no timer could fire
        return end();
      }),
    );
    await pass(0);
    expect(done).toMatchObject({ state: 'rejected', error });
    expect(jest.getTimerCount()).toBe(0);
    expect(onLost).toHaveBeenCalledTimes(1);
    await pass(2);
    jest.useRealTimers();
    await new Promise((resolve) => setTimeout(resolve, 20));
    jest.useFakeTimers();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('the same when the clock has broken, and the lock is given back', async () => {
    const clock = breakable();
    const locks = new LockService(systemClock, 3);
    const done = watch(withLock(locks, 'lock', 'A', { clock }, () => (clock.broken = true)));
    await pass(0);
    expect(done).toMatchObject({ state: 'rejected', error: { ...LOST, reason: 'failed' } });
    expect(locks.holder('lock')).toBeNull();
  });

  test('a lease held for too long is lost, though the service still takes its release', async () => {
    const locks = new LockService(systemClock, 3);
    const work = () => new Promise((resolve) => setTimeout(resolve, 1500, 'result'));
    const done = watch(withLock(locks, 'lock', 'A', { maxHoldSeconds: 1 }, work));
    await pass(2);
    expect(done).toMatchObject({ state: 'rejected', error: { ...LOST, reason: 'held too long' } });
    expect(locks.holder('lock')).toBeNull();
  });

  test('F28: work does not begin when the lease was lost between its grant and the work', async () => {
    const clock = new FakeClock();
    const locks = new LockService(clock, 3);
    const work = jest.fn();
    const done = watch(withLock(locks, 'lock', 'A', { clock }, work));
    await null;
    clock.set(3); // something else kept the machine busy
    await pass(0);
    expect(done).toMatchObject({ state: 'rejected', error: { ...LOST, reason: 'expired' } });
    expect(work).not.toHaveBeenCalled();
  });
});

test('F25: a grant that came over a sleep of the machine is given back, and asked for again', async () => {
  const remote = new Remote(10);
  const held = watch(hold(remote, 'lock', 'A'));
  await pass(0.015);
  jest.setSystemTime(Date.now() + 60000);
  await pass(0.5);
  expect(held.state).toBe('fulfilled');
  expect([held.value.token, held.value.trusted]).toEqual([2, true]);
  expect(remote.log.slice(0, 3)).toMatchObject([
    { operation: 'acquire' },
    { operation: 'release', token: 1 },
    { operation: 'acquire' },
  ]);
  watch(held.value.release());
  await pass(1);
});

test('F25: the systemClock of the other copy of the package notices a sleep too', async () => {
  const other = createRequire(import.meta.url)('fencelock');
  expect(other.systemClock).not.toBe(systemClock);
  const remote = new Remote(10);
  const held = watch(hold(remote, 'lock', 'A', { clock: other.systemClock }));
  await pass(0.02);
  expect(held.value.trusted).toBe(true);
  jest.setSystemTime(Date.now() + 60000);
  expect(held.value.trusted).toBe(false);
  watch(held.value.release());
  await pass(1);
});

describe('a clock', () => {
  test('that throws when the lease is released costs the lease, and the lock is given back', async () => {
    const clock = breakable();
    const locks = new LockService(systemClock, 3);
    const lease = await hold(locks, 'lock', 'A', { clock });
    clock.broken = true;
    await expect(lease.release()).resolves.toBe(true);
    clock.broken = false;
    expect(locks.holder('lock')).toBeNull();
    expect(lease.lost).toMatchObject({ ...LOST, reason: 'failed' });
    expect(jest.getTimerCount()).toBe(0);
  });

  test('that throws when the grant comes does not keep the lock taken', async () => {
    const locks = new LockService(systemClock, 3);
    let reads = 0;
    const clock = {
      now() {
        reads += 1;
        if (reads === 3) throw new Error('no time');
        return systemClock.now();
      },
    };
    await expect(hold(locks, 'lock', 'A', { clock })).rejects.toThrow('no time');
    expect([locks.nextToken, locks.holder('lock')]).toEqual([2, null]);
  });

  test.each(['trusted', 'signal', 'lost'])(
    'that throws when asked for %s: a loss',
    async (what) => {
      const clock = breakable();
      const onLost = jest.fn();
      const locks = new LockService(systemClock, 3);
      const lease = await hold(locks, 'lock', 'A', { clock, onLost });
      clock.broken = true;
      const answer = lease[what];
      if (what === 'trusted') expect(answer).toBe(false);
      if (what === 'signal') expect(answer.aborted).toBe(true);
      if (what === 'lost') expect(answer).toMatchObject({ ...LOST, reason: 'failed' });
      expect(onLost).toHaveBeenCalledTimes(1);
    },
  );

  test('that releases the lease and then throws: it is released, and not lost', async () => {
    const locks = new LockService(systemClock, 3);
    const onLost = jest.fn();
    let hostile = false;
    const clock = {
      now() {
        if (!hostile) return systemClock.now();
        hostile = false;
        lease.release();
        throw new Error('no time');
      },
    };
    const lease = await hold(locks, 'lock', 'A', { clock, onLost });
    hostile = true;
    await pass(2);
    expect([lease.signal.aborted, lease.lost, lease.trusted]).toEqual([false, null, false]);
    expect(onLost).not.toHaveBeenCalled();
    expect(locks.holder('lock')).toBeNull();
  });

  test('that asks for the lease while it breaks: lost once', async () => {
    const locks = new LockService(systemClock, 3);
    const onLost = jest.fn();
    let depth = -1;
    const clock = {
      now() {
        if (depth < 0) return systemClock.now();
        depth += 1;
        if (depth === 1) void lease.trusted;
        throw new Error(`no time ${depth}`);
      },
    };
    const lease = await hold(locks, 'lock', 'A', { clock, onLost });
    depth = 0;
    await pass(2);
    expect(onLost).toHaveBeenCalledTimes(1);
    expect(lease.lost).toBe(lease.signal.reason);
  });

  test('that aborts the signal at the grant: the signal of the lease is aborted too', async () => {
    const locks = new LockService(systemClock, 3);
    const controller = new AbortController();
    let reads = 0;
    const clock = {
      now() {
        reads += 1;
        if (reads === 3) controller.abort(new Error('enough'));
        return systemClock.now();
      },
    };
    const lease = await hold(locks, 'lock', 'A', { clock, signal: controller.signal });
    expect(lease.signal.reason).toMatchObject({ message: 'enough' });
    await lease.release();
  });
});

describe('a lock service', () => {
  test('whose renewal comes after the lease is over: no renewal is told', async () => {
    const clock = new FakeClock();
    const onRenewed = jest.fn();
    const onLost = jest.fn();
    let answer;
    const locks = fakeLocks({ renew: () => new Promise((resolve) => (answer = resolve)) });
    await hold(locks, 'lock', 'A', { clock, onRenewed, onLost });
    clock.set(1);
    await pass(1);
    clock.set(50);
    answer(true);
    await pass(0);
    expect(onRenewed).not.toHaveBeenCalled();
    expect(onLost).toHaveBeenCalledTimes(1);
  });

  test('whose grant comes twice: the lease that is held is not given back', async () => {
    const twice = {
      then(resolve) {
        resolve(5);
        resolve(5);
      },
    };
    const locks = fakeLocks({ acquire: () => twice });
    const lease = await hold(locks, 'lock', 'A');
    await pass(0);
    expect(locks.release).not.toHaveBeenCalled();
    await lease.release();
  });

  test('whose promises throw: an error of each operation, and of nothing else', async () => {
    const broken = () => ({
      then() {
        throw new Error('broken promise');
      },
    });
    const onRenewalFailed = jest.fn();
    const locks = fakeLocks({ renew: broken, release: broken });
    const lease = await hold(locks, 'lock', 'A', { onRenewalFailed });
    await pass(1);
    expect(onRenewalFailed.mock.calls[0][0].message).toBe('broken promise');
    expect(lease.trusted).toBe(true);
    await expect(lease.release()).rejects.toThrow('broken promise');
    expect(jest.getTimerCount()).toBe(0);
    locks.acquire = broken;
    await expect(hold(locks, 'lock', 'A')).rejects.toThrow('broken promise');
    expect(jest.getTimerCount()).toBe(0);
  });

  test.each([NaN, -1, 1.5, Infinity, 2 ** 53])(
    'whose grant is %d, which is no token',
    async (token) => {
      const locks = fakeLocks({ acquire: () => token });
      await expect(hold(locks, 'lock', 'A')).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
    },
  );

  test('that aborts the signal when it is asked is not waited for', async () => {
    const controller = new AbortController();
    let grant;
    const locks = fakeLocks({
      acquire() {
        controller.abort(new Error('enough'));
        return new Promise((resolve) => (grant = resolve));
      },
    });
    const held = watch(hold(locks, 'lock', 'A', { signal: controller.signal }));
    await pass(0);
    expect(held).toMatchObject({ state: 'rejected', error: { message: 'enough' } });
    grant(7);
    await pass(0);
    expect(locks.release).toHaveBeenCalledWith('lock', 'A', 7);
  });
});

test("an abort counts before the end of the waiting, and the signal's own errors do not", async () => {
  const controller = new AbortController();
  let grant;
  const locks = fakeLocks({ acquire: () => new Promise((resolve) => (grant = resolve)) });
  const options = { signal: controller.signal, waitSeconds: 0 };
  const held = watch(hold(locks, 'lock', 'A', options));
  await null;
  grant(5);
  await null;
  controller.abort(new Error('enough'));
  await pass(0);
  expect(held).toMatchObject({ state: 'rejected', error: { message: 'enough' } });
  expect(locks.release).toHaveBeenCalledWith('lock', 'A', 5);

  const noSignal = hold(locks, 'lock', 'A', { signal: new EventTarget() });
  await expect(noSignal).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
});
