// The loads: each gets the two classes to measure, a number of live locks and of operations, and
// gives what it measured. Names are built fresh for each call, as a program's are; there are 64
// clients, whose ids are constants; the clock is a fake one.

import { performance } from 'node:perf_hooks';

const LEASE_SECONDS = 10;
const CLIENTS = Array.from({ length: 64 }, (_, index) => `client-${index}`);

const clientOf = (index) => CLIENTS[index & 63];
const nameOf = (index) => `job-${index}`;

function greatestCommonDivisor(a, b) {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

// A full-period walk over 0 .. count - 1 that neither caches nor prefetchers can follow.
export function scattered(count) {
  let step = Math.floor(count * 0.6180339887);
  while (greatestCommonDivisor(count, step) !== 1) step += 1;
  let at = 0;
  return () => {
    at += step;
    if (at >= count) at -= count;
    return at;
  };
}

class Clock {
  seconds = 0;
  now() {
    return this.seconds;
  }
}

/** A service with `live` locks held; their tokens are index + 1. */
function filled(LockService, live) {
  const clock = new Clock();
  const locks = new LockService(clock, LEASE_SECONDS);
  for (let index = 0; index < live; index += 1) locks.acquire(nameOf(index), clientOf(index));
  return { clock, locks };
}

/** Nanoseconds an operation, after a warm-up. */
function timed(operations, operation) {
  for (let index = 0; index < operations / 5; index += 1) operation(index);
  const begin = performance.now();
  for (let index = 0; index < operations; index += 1) operation(index);
  return ((performance.now() - begin) * 1e6) / operations;
}

export const loads = {
  'acquire + release'({ LockService }, live, operations) {
    const { locks } = filled(LockService, live);
    return timed(operations, (index) => {
      const name = `new-${index}`;
      const client = clientOf(index);
      locks.release(name, client, locks.acquire(name, client));
    });
  },

  renew({ LockService }, live, operations) {
    const { locks } = filled(LockService, live);
    const next = scattered(live);
    return timed(operations, () => {
      const index = next();
      if (!locks.renew(nameOf(index), clientOf(index), index + 1)) throw new Error('not renewed');
    });
  },

  'acquire + write + renew + release'({ LockService, FencedStorage }, live, operations) {
    const { locks } = filled(LockService, live);
    const storage = new FencedStorage();
    return timed(operations, (index) => {
      const name = `new-${index}`;
      const client = clientOf(index);
      const token = locks.acquire(name, client);
      storage.write(`key-${index & 1023}`, index, token);
      locks.renew(name, client, token);
      locks.release(name, client, token);
    });
  },

  // Nobody releases: for each lock taken, the oldest lease expires.
  churn({ LockService }, live, operations) {
    const { locks, clock } = filled(LockService, 0);
    const seconds = LEASE_SECONDS / live;
    let count = 0;
    const take = () => {
      clock.seconds += seconds;
      locks.acquire(nameOf(count), clientOf(count));
      count += 1;
    };
    for (let index = 0; index < live; index += 1) take();
    return timed(operations, take);
  },

  'a new client id each time'({ LockService }, live, operations) {
    const { locks } = filled(LockService, live);
    return timed(operations, (index) => {
      const name = `new-${index}`;
      const client = `once-${index}`;
      locks.release(name, client, locks.acquire(name, client));
    });
  },

  // Milliseconds of the longest single operation while a million leases come and go.
  'longest operation, churn'({ LockService }, live, operations) {
    const { locks, clock } = filled(LockService, 0);
    const seconds = LEASE_SECONDS / live;
    let longest = 0;
    for (let index = 0; index < live + operations; index += 1) {
      clock.seconds += seconds;
      const begin = performance.now();
      locks.acquire(nameOf(index), clientOf(index));
      longest = Math.max(longest, performance.now() - begin);
    }
    return longest;
  },

  // Milliseconds of one full collection, forced, with so many locks held.
  'forced collection'({ LockService }, live) {
    const { locks } = filled(LockService, live);
    globalThis.gc();
    const begin = performance.now();
    globalThis.gc();
    const spent = performance.now() - begin;
    if (locks.holder(nameOf(0)) === null) throw new Error('not held');
    return spent;
  },

  // Resident bytes a lock.
  'resident bytes a lock'({ LockService }, live) {
    globalThis.gc();
    const before = process.memoryUsage.rss();
    const { locks } = filled(LockService, live);
    globalThis.gc();
    const bytes = (process.memoryUsage.rss() - before) / live;
    if (locks.holder(nameOf(0)) === null) throw new Error('not held');
    return bytes;
  },
};
