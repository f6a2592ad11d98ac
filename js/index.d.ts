/**
 * Locks with leases and fencing tokens, and storage that refuses stale writers.
 *
 * Times and durations are seconds. "None" is always null. Every error carries a `code`.
 */

/** Where the time comes from: a number of seconds that, for real use, only grows. */
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
 * | `INVALID_OPTIONS` | TypeError | an option is unknown or contradicts another |
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
  | 'OUT_OF_MEMORY'
  | 'TOKENS_EXHAUSTED'
  | 'DISPOSED'
  | 'INTERNAL'
  | 'INVALID_SCENARIO';

/** An error that no built-in class fits. */
export declare class FencelockError extends Error {
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown });
  readonly name: 'FencelockError';
  readonly code: ErrorCode;
}
