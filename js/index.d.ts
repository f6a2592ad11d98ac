/// <reference lib="esnext.disposable" />

/**
 * Locks with leases and fencing tokens, and storage that refuses stale writers.
 *
 * Times and durations are seconds. "None" is always null. Every error carries a `code`.
 */

/**
 * Where the time comes from: a number of seconds that, for real use, only grows. (`Date` and
 * `performance` give milliseconds, and are refused; use `systemClock`.)
 */
export interface Clock {
  now(): number;
}

/** The machine's monotonic clock. Setting the wall clock does not move it. */
export declare const systemClock: Clock;

/** A clock for tests, which moves only when told to. */
export declare class FakeClock implements Clock {
  /** @param start What it reads at first; 0 when left out. */
  constructor(start?: number);
  now(): number;
  /** Moves forward by so many seconds. */
  advance(seconds: number): void;
  /** Goes to a time, which may be an earlier one. */
  set(seconds: number): void;
}

/** A live lease. It ends when the service's clock reads `expiresAt`. */
export interface Lease {
  clientId: string;
  token: number;
  expiresAt: number;
}

/**
 * A lock service: at most one live lease a name, and a fencing token with every grant, which is
 * greater than all tokens before.
 *
 * Lock names and client ids are any strings; different strings are different names.
 */
export declare class LockService {
  /**
   * @param clock Read exactly once by each operation. The service never lets time run backwards:
   *   it works with the latest time it has seen.
   * @param leaseSeconds How long a grant or a renewal lasts; 10 when left out.
   * @param firstToken The token of the first grant, 1 when left out. A service that takes over
   *   from an earlier one passes that one's `nextToken`.
   */
  constructor(clock: Clock, leaseSeconds?: number, firstToken?: number);

  /**
   * Takes the lock, and gives the token to send along with every write; null while a lease on it
   * is live, also for the holder itself.
   *
   * Throws an error with code TOKENS_EXHAUSTED when the next token would pass 2^53 - 1.
   */
  acquire(name: string, clientId: string): number | null;

  /** Makes the live lease of this client and token last from now again. False: there is none. */
  renew(name: string, clientId: string, token: number): boolean;

  /** Ends the live lease of this client and token. False: there is none. */
  release(name: string, clientId: string, token: number): boolean;

  /** The client of the live lease. */
  holder(name: string): string | null;

  /** The live lease. */
  inspect(name: string): Lease | null;

  /** What the next grant gets. A service that is to carry on from here gets it as `firstToken`. */
  readonly nextToken: number;

  /** How many leases are live. */
  readonly size: number;

  readonly leaseSeconds: number;
  readonly clock: Clock;

  /** Frees the memory at once. (The garbage collector would free it too, later.) */
  dispose(): void;
  [Symbol.dispose](): void;
}

export interface FencedStorageOptions {
  /**
   * Which tokens are good for a write: `'at-least'` the key's highest (the default), or only those
   * `'above'` it, which makes one write a grant.
   */
  rule?: 'at-least' | 'above';
}

/**
 * Storage that refuses a write whose token is older than one it has seen for the same key. It knows
 * of no lock service; it compares numbers.
 *
 * Values are copied with `structuredClone`, on the way in and on the way out.
 */
export declare class FencedStorage {
  constructor(options?: FencedStorageOptions);

  /**
   * Stores the value and raises the key's highest token. False: the token is stale, and nothing has
   * changed.
   *
   * Throws an error with code INVALID_VALUE when the value can't be copied.
   */
  write(key: string, value: any, token: number): boolean;

  /** A copy of the stored value; null when there is none. */
  read(key: string): any;

  /** The highest token that was written or fenced with; null when there is none. */
  highestToken(key: string): number | null;

  /**
   * Raises the key's highest token without writing. A new holder that is going to read before it
   * writes calls this first, so that no older write can slip in between. False: the token is below
   * the highest, and nothing has changed.
   */
  fence(key: string, token: number): boolean;

  /** Frees the memory at once. (The garbage collector would free it too, later.) */
  dispose(): void;
  [Symbol.dispose](): void;
}

type Answer<T> = T | PromiseLike<T>;

/** What `hold` and `withLock` need of a lock service: this package's own, or one far away. */
export interface Locks {
  acquire(name: string, clientId: string): Answer<number | null>;
  renew(name: string, clientId: string, token: number): Answer<boolean>;
  release(name: string, clientId: string, token: number): Answer<boolean>;
  readonly leaseSeconds?: number;
  readonly clock?: Clock;
}

export interface HoldOptions {
  /** How long the service's leases last; its own `leaseSeconds` when left out. */
  leaseSeconds?: number;
  /** How far clocks may come apart within one lease; 0.25 when left out. */
  maxClockSkewSeconds?: number;
  /** The longest cut of the network that must not cost the lock; 2 when left out. */
  minRenewLeadSeconds?: number;
  /** By which part this machine's clock may run slow, from 0 to below 1; 0 when left out. */
  rateError?: number;

  /**
   * How long to wait for a lock that is held; without a limit when left out, 0 to try once. A
   * request under way by then still gets up to one lease to be answered.
   */
  waitSeconds?: number;
  /** The first wait between two tries; 0.1 when left out. Each wait is twice the one before. */
  retrySeconds?: number;
  /** The longest wait between two tries; 1 when left out. */
  maxRetrySeconds?: number;

  /** After so long the lease counts as lost, though the service may know it for a while. */
  maxHoldSeconds?: number;
  /**
   * Ends the waiting, with the signal's reason. Once the lock is held, it aborts the lease's signal
   * too, and nothing else: the lease is kept until it is released.
   */
  signal?: AbortSignal;
  /**
   * Monotonic; the lock service's own `clock` when left out, or `systemClock` where it has none. (Only
   * with `systemClock` is a sleep of the machine noticed, by comparing it with the wall clock; after
   * one the lease is trusted again when it was renewed.) Timers are real ones whatever the clock: with
   * a `FakeClock` use your test runner's fake timers, or `systemClock` and fake timers alone.
   */
  clock?: Clock;

  onRenewed?(lease: HeldLease): void;
  /** A renewal failed without a definite answer; it is tried again. */
  onRenewalFailed?(error: unknown): void;
  /** Called once, with the error that aborted the lease's signal. */
  onLost?(error: FencelockError): void;
}

export interface WithLockOptions extends HoldOptions {
  /**
   * How long a piece of work may go on after its lease was lost before `withLock` rejects without
   * it; 1 when left out.
   */
  graceSeconds?: number;
  /** The release failed after the work was done. That is no harm: the lease ends by itself. */
  onReleaseFailed?(error: unknown): void;
}

/**
 * A lease that renews itself until it is released or lost. Its timers keep a Node process running.
 *
 * It can't promise that it is still held when a write arrives somewhere; only a fence can. Send
 * `token` along with every write.
 */
export interface HeldLease {
  readonly token: number;
  /** Aborted when the lease is lost, with the error as its reason; not by a release. */
  readonly signal: AbortSignal;
  /** Whether the lease may be trusted now: asked of the clock, since timers may be late. */
  readonly trusted: boolean;
  /** Until when it may be trusted unless it is renewed, on the `clock` of the options. */
  readonly safeUntil: number;
  /** Why it is lost; null while it is not. */
  readonly lost: FencelockError | null;
  /**
   * Stops renewing and gives the lock back. False: it was no longer held, or no answer came while
   * it was. Rejects with the error of the service. Calling it again gives the same promise.
   */
  release(): Promise<boolean>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Takes a lock, waiting for it if need be, and keeps it.
 *
 * Rejects with an error with code NOT_ACQUIRED when there was no grant within `waitSeconds`. An error of
 * the lock service while it is asked is passed on at once; its grant may have been made all the same,
 * and then stands until its lease ends.
 */
export declare function hold(
  locks: Locks,
  name: string,
  clientId: string,
  options?: HoldOptions,
): Promise<HeldLease>;

/**
 * Holds a lock for as long as a piece of work takes, and gives the work's result.
 *
 * Rejects with an error with code LEASE_LOST when the lease was lost before the work was done, also
 * when the work ends by an AbortError for that reason. Any other error of the work is passed on, with
 * the loss, or the error of a release that failed, in `suppressed`.
 */
export declare function withLock<T>(
  locks: Locks,
  name: string,
  clientId: string,
  work: (lease: HeldLease) => Answer<T>,
): Promise<T>;
export declare function withLock<T>(
  locks: Locks,
  name: string,
  clientId: string,
  options: WithLockOptions,
  work: (lease: HeldLease) => Answer<T>,
): Promise<T>;

/**
 * Compiles the core off the main thread, for a page that wants its first frames undisturbed. Never
 * needed otherwise: the first service or storage that is made does it.
 */
export declare function init(): Promise<void>;

/**
 * What went wrong, as a word that stays the same from version to version. Compare these, not
 * classes: the ESM and the CommonJS copy of the package have classes of their own.
 *
 * | code | class | |
 * |---|---|---|
 * | `INVALID_CLOCK` | TypeError | the clock has no `now()` function |
 * | `INVALID_TIME` | TypeError | `clock.now()` gave something other than a finite number |
 * | `INVALID_NAME` | TypeError | a name, client id or key is not a string |
 * | `INVALID_LEASE` | RangeError | `leaseSeconds` is not a finite number above 0 |
 * | `INVALID_TOKEN` | TypeError | a token is not a number |
 * | `INVALID_TOKEN` | RangeError | a token is not an integer from 0 to 2^53 - 1 |
 * | `INVALID_VALUE` | TypeError | a value can't be cloned |
 * | `INVALID_OPTIONS` | TypeError, RangeError | an option is wrong, or contradicts another |
 * | `INVALID_LOCKS` | TypeError | what `hold` is given is no lock service |
 * | `INVALID_ANSWER` | TypeError | a lock service answered with something that is no answer |
 * | `NOT_ACQUIRED` | FencelockError | the lock was not free within `waitSeconds` |
 * | `LEASE_LOST` | FencelockError | a lease that was held is lost; `reason` says how |
 * | `OUT_OF_MEMORY` | RangeError | memory ran out; every lease and value is as before |
 * | `TOKENS_EXHAUSTED` | FencelockError | the next token would pass 2^53 - 1 |
 * | `DISPOSED` | FencelockError | the service or the storage was disposed |
 * | `INTERNAL` | FencelockError | a bug in fencelock; the core can't be used any more |
 * | `INVALID_SCENARIO` | FencelockError | a scenario is wrong; the message names the field |
 */
export type ErrorCode =
  | 'INVALID_CLOCK'
  | 'INVALID_TIME'
  | 'INVALID_NAME'
  | 'INVALID_LEASE'
  | 'INVALID_TOKEN'
  | 'INVALID_VALUE'
  | 'INVALID_OPTIONS'
  | 'INVALID_LOCKS'
  | 'INVALID_ANSWER'
  | 'NOT_ACQUIRED'
  | 'LEASE_LOST'
  | 'OUT_OF_MEMORY'
  | 'TOKENS_EXHAUSTED'
  | 'DISPOSED'
  | 'INTERNAL'
  | 'NO_WEBASSEMBLY'
  | 'INVALID_SCENARIO';

/** An error that no built-in class fits. */
export declare class FencelockError extends Error {
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown });
  readonly name: 'FencelockError';
  readonly code: ErrorCode;
  /**
   * How a lease was lost, with the code LEASE_LOST: no renewal was answered in time (`cause` is the
   * last failure, if any), the service refused one, it was held for `maxHoldSeconds`, or the clock or
   * the core failed.
   */
  readonly reason?: 'expired' | 'refused' | 'held too long' | 'failed';
}
