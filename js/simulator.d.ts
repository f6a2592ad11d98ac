import type { FencelockError } from './index.js';

export { FencelockError, init } from './index.js';

export type Fencing = 'at-least' | 'above' | 'off';

export interface ScenarioClock {
  offset?: number;
  rate?: number;
}

export interface ScenarioClient {
  id?: string;
  start?: number;
  work?: number;
  writes?: number;
  /** Keeps its lease by a lease holder; else it believes in it until it is done. */
  renew?: boolean;
  /** Fences, then reads, before it works. */
  fence?: boolean;
  cycles?: number;
  rest?: number;
  retry?: number;
  lock?: string;
  key?: string;
  clock?: ScenarioClock;
}

export type ScenarioFault =
  | { kind: 'pause' | 'suspend'; node: string; from: number; to: number }
  | { kind: 'crash'; node: string; at: number; restart?: number | null }
  | { kind: 'partition'; between: [string, string]; from: number; to: number; oneWay?: boolean }
  | { kind: 'clock-step'; node: string; at: number; by: number }
  | { kind: 'delay'; message: string; by: number }
  | { kind: 'drop'; message: string }
  | { kind: 'duplicate'; message: string; by?: number };

/** What is to happen. Times are in seconds. */
export interface Scenario {
  version: 1;
  lease?: number;
  firstToken?: number;
  fencing?: Fencing;
  until?: number;
  seed?: number;
  /** Added to what every clock reads. */
  origin?: number;
  holder?: { maxClockSkew?: number; minRenewLead?: number; rateError?: number };
  service?: { clock?: ScenarioClock };
  storage?: { clock?: ScenarioClock };
  network?: {
    latency?: [number, number];
    loss?: number;
    duplicate?: number;
    timeout?: number;
    /** From then on nothing is lost or duplicated by chance. */
    calmFrom?: number | null;
  };
  clients: ScenarioClient[];
  faults?: ScenarioFault[];
}

export interface TraceEvent {
  time: number;
  sequence: number;
  node: string;
  kind: string;
  localTime: number;
  peer?: string;
  lock?: string;
  key?: string;
  operation?: 'acquire' | 'renew' | 'release' | 'write' | 'fence' | 'read';
  message?: string;
  reply?: true;
  copy?: 1;
  stale?: true;
  oneWay?: true;
  token?: number;
  highest?: number;
  holder?: string;
  until?: number | null;
  by?: number;
  value?: string | null;
  previous?: string | null;
  outcome?: 'granted' | 'refused' | 'ok' | 'accepted' | 'rejected';
  reason?: string;
}

export interface Violation {
  invariant: string;
  time: number;
  sequence: number;
  node: string;
  peer?: string;
  lock?: string;
  key?: string;
  token?: number;
  other?: number;
  text: string;
}

export interface Trace {
  scenario: Scenario;
  events: TraceEvent[];
  violations: Violation[];
  hash: string;
  endTime: number;
  truncated: boolean;
}

export interface SuiteResult {
  suite: string;
  fencing: Fencing;
  seed: number;
  seeds: number;
  events: number;
  violations: number;
  failingSeeds: number;
  firstFailingSeed: number | null;
  /** Seeds in which nothing but short partitions and skew happens, so that I5 is judged. */
  judgedByI5: number;
  traceHash: string;
  faults: { kind: string; injected: number; tookEffect: number }[];
}

/** Runs a scenario. A bad one is an error with code `INVALID_SCENARIO` that names the field. */
export function simulate(scenario: Scenario, options?: { limit?: number }): Trace;

/** Checks a scenario and gives it with every default filled in. */
export function completeScenario(scenario: Scenario): Scenario;

/** The scenario that a suite draws from a seed. */
export function suiteScenario(
  suite: 'chaos' | 'drift',
  seed: number,
  options?: { fencing?: Fencing },
): Scenario;

/**
 * Runs many seeds of a suite, and keeps no trace. `onProgress` gets the result so far every few hundred
 * seeds; where it gives false, the run ends there.
 */
export function runSuite(
  suite: 'chaos' | 'drift',
  options?: {
    fencing?: Fencing;
    seed?: number;
    seeds?: number;
    onProgress?: (soFar: SuiteResult) => boolean | void;
  },
): SuiteResult;

/** Runs a scenario for what it breaks alone: `simulate` without the events. */
export function judge(scenario: Scenario): Pick<Trace, 'scenario' | 'violations' | 'hash'>;

/**
 * Shrinks a scenario that breaks an invariant to the simplest one found that breaks the same; null when
 * it breaks none. `onProgress` is told of each success.
 */
export function shrink(
  scenario: Scenario,
  options?: { onProgress?: (soFar: { runs: number; clients: number; faults: number }) => void },
): { scenario: Scenario; trace: Trace; runs: number } | null;

/** The scenario without the fields that have their defaults. */
export function withoutDefaults(scenario: Scenario): Scenario;

/**
 * Shrinks a seed that fails, and explains it: `text` has the story, the cause, the command that replays
 * it, and a link that opens it on the page, whose address is `page`. Null when the seed does not fail.
 */
export function explainFailure(
  suite: 'chaos' | 'drift',
  seed: number,
  options?: {
    fencing?: Fencing;
    page?: string;
    command?: string;
    onProgress?: (soFar: { runs: number; clients: number; faults: number }) => void;
  },
): { scenario: Scenario; trace: Trace; runs: number; text: string } | null;

/** A trace as lines of text: all of its events, or those that matter. */
export function story(trace: Trace, options?: { all?: boolean }): string[];

/** What a trace breaks, a line each. */
export function causes(trace: Pick<Trace, 'violations'>): string[];

/** The part from # on of the address that opens a trace on the page, at its first violation. */
export function linkOf(trace: Pick<Trace, 'hash' | 'violations'>, scenario: Scenario): string;

/** What an address of the page holds: a scenario, the playhead, a checksum, and the view. */
export interface Link {
  document?: Scenario;
  preset?: string;
  suite?: string;
  seed?: number;
  /** The playhead: seconds, and how many events have happened. */
  time?: number;
  index?: number;
  twin?: boolean;
  /** The stretch of time that is magnified, in seconds. */
  domain?: [number, number];
  /** Where the picture ends, in seconds, when edits have made the run shorter than it was. */
  end?: number;
  map?: boolean;
  speed?: number;
  /** The rule that fencing goes by once it is switched on, where it is off and not `at-least`. */
  rule?: 'above';
  /** The fields in which the scenario of the run before the last edit differs, for its ghost. */
  before?: Partial<Scenario>;
  hash?: string;
}

/** What an address is made of; `ghost` is the scenario of the run before the last edit. */
export interface Shown extends Omit<Link, 'before' | 'domain'> {
  document: Scenario;
  time: number;
  index: number;
  hash: string;
  domain?: [number, number] | null;
  ghost?: Scenario | null;
}

/** The part of the page's address from # on. */
export function toLink(shown: Shown): string;

/** Reads such an address; null when there is nothing in it. Throws when it is broken. */
export function fromLink(hash: string): Link | null;

/**
 * An event of a history: of a trace, or of some other lock service, its clients and its storage. Further
 * fields, and events of further kinds, are let be.
 */
export interface HistoryEvent {
  /** Seconds, since whenever; no less than the event before. */
  time: number;
  /** Where it happened: the service that decides on locks, the storage, or a client. */
  node: string;
  kind: string;
  /** Of a service's or a storage's event: the client. */
  peer?: string | null;
  lock?: string | null;
  key?: string | null;
  token?: number | null;
  /** Of a rejection: the highest token that the storage has seen. */
  highest?: number | null;
  /**
   * Of a grant or a renewal: when the lease ends, where the service keeps to it exactly. Of trust: until
   * when the client trusts; null when it does not look at the clock.
   */
  until?: number | null;
  outcome?: string | null;
  reason?: string | null;
  value?: unknown;
  previous?: unknown;
  [field: string]: unknown;
}

/** Tells what can't be read, and where: code `INVALID_HISTORY`. */
export interface HistoryError extends FencelockError {
  /** Of the text, from 1. */
  line?: number;
  /** Of the event in its list, from 0. */
  index?: number;
  field?: string;
}

export interface CheckOptions {
  /** The storage's rule, where it is known. */
  fencing?: Fencing;
  /** How exact times are, in seconds: 0.001. What would be right at a time this much off is not reported. */
  tolerance?: number;
  /** So many violations are kept (1000); all are counted. */
  limit?: number;
}

/** How often there was something to judge by. */
export interface Judged {
  events: number;
  /** Of kinds by which nothing is judged. */
  notJudged: number;
  locks: number;
  keys: number;
  grants: number;
  /** Grants and renewals whose lease's end is told. */
  ends: number;
  /** Grants whose token was compared with that of the one before. */
  tokens: number;
  /** Renewals, releases and refusals of leases that were known to be live, or not. */
  decisions: number;
  writes: number;
  fences: number;
  rejections: number;
  /** Values found in a key, and compared with what it took last. */
  values: number;
  /** Writes compared with what their client had read behind its fence. */
  updates: number;
  /** Of clients that trust a lock which others trust, too. */
  trusts: number;
  /** Of clients that do not look at the clock. */
  blindTrusts: number;
  /** Without a lock, or a grant that tells it. */
  looseTrusts: number;
  /** Events with an outcome that tells nothing of what was done. */
  unknownOutcomes: number;
  fencing: Fencing | null;
}

export interface CheckResult {
  /** In the order of the events; `sequence` is the event's number in the history, from 0. */
  violations: (Violation & { line?: number })[];
  violationCount: number;
  judged: Judged;
}

/**
 * Checks a history by what can be judged without its scenario: I1 to I4, and what service and storage
 * decide. What it does not tell is not judged, so that nothing was found says no more than `judged`. An
 * event that can't be read is a `HistoryError`.
 */
export function checkHistory(events: Iterable<HistoryEvent>, options?: CheckOptions): CheckResult;

/** Checks a history event by event, and keeps names only. */
export class HistoryChecker {
  constructor(options?: CheckOptions);
  /** `place` is told by errors and violations; by default, how many events came before. */
  add(event: HistoryEvent, place?: { line?: number; index?: number }): void;
  finish(): CheckResult;
  /** Gives the memory back of a history that will not be finished. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** Takes the events out of a text that comes in parts: JSON lines, or one list. They are not checked. */
export class HistoryReader {
  /** After the end: what the text was, where it is JSON and no history. */
  document: unknown;
  push(text: string): { event: HistoryEvent; place: { line?: number; index?: number } }[];
  end(): { event: HistoryEvent; place: { line?: number; index?: number } }[];
}

/** What a history was judged by, and what it could not be judged by: a sentence each. */
export function whatWasJudged(result: Pick<CheckResult, 'judged'>): {
  judged: string[];
  notJudged: string[];
};

/** One plain sentence for an event; its trace tells whether a fence is one. */
export function describe(event: TraceEvent | HistoryEvent, trace?: Pick<Trace, 'scenario'>): string;

/** The scenarios to begin with. */
export const presets: { name: string; title: string; text: string; scenario: Scenario }[];
