// Time for the tests of held leases: fake timers and a fake clock of the machine, which move only when
// told to; and a look at a promise from outside.

import { jest } from '@jest/globals';
import { hold, systemClock } from 'fencelock';

export const SKEW = 0.25;
export const LOST = { code: 'LEASE_LOST' };

/** Fake time in each test of a file, at whose end no timer may be left behind. */
export function useFakeTime() {
  beforeEach(() => {
    jest.useFakeTimers({ now: 1e12 });
  });

  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
    jest.restoreAllMocks();
  });
}

/** Lets so many seconds pass, with all that happens in them. */
export const pass = (seconds) => jest.advanceTimersByTimeAsync(seconds * 1000);

/** What becomes of a promise: it settles without being waited for. */
export function watch(promise) {
  const seen = { state: 'pending', at: undefined };
  promise.then(
    (value) => Object.assign(seen, { state: 'fulfilled', value, at: systemClock.now() }),
    (error) => Object.assign(seen, { state: 'rejected', error, at: systemClock.now() }),
  );
  return seen;
}

/** Holds a lock of a remote service; gives the lease, and when it was asked for. */
export async function holdRemote(remote, options) {
  const start = systemClock.now();
  const held = watch(hold(remote, 'lock', 'A', options));
  await pass(2 * remote.latency);
  expect(held.state).toBe('fulfilled');
  return { lease: held.value, start };
}
