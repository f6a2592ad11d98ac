// Reads a trace into the things that a picture shows: leases, beliefs, pauses, messages, values.
//
// A pure function of the trace. It pairs beginnings with ends and takes the difference between what
// a client believed and what was; it never works out what the rules would say.

import { readingsOf } from './ruler.js';

/**
 * @typedef {{ lock: string, client: string, token: number, from: number, to: number,
 *   planned: number, end: 'expired' | 'released' | 'open', renewals: { time: number, until: number,
 *   index: number }[], index: number }} Lease
 * @typedef {{ client: string, token: number, from: number, to: number, until: number | null,
 *   reason: string, index: number }} Belief
 * @typedef {{ client: string, token: number, from: number, to: number }} Gap
 * @typedef {{ kind: string, node: string, from: number, to: number, index: number }} Absence
 * @typedef {{ message: string, copy: number, from: string, to: string, operation: string,
 *   reply: boolean, outcome?: string, token?: number, sent: number, arrives: number,
 *   lost: string | null, routine: boolean, index: number, last: number }} Message routine: it asks for
 *   the lock in vain, or is the answer to that
 * @typedef {{ key: string, client: string, token: number, highest: number | null, time: number,
 *   accepted: boolean, stale: boolean, newer: { client: string, token: number } | null,
 *   late: Late | null,
 *   value: unknown, index: number, message?: string }} Write
 * @typedef {{ by: number, end: string }} Late how long after its lease a write was accepted that is
 *   not stale, and how that lease ended
 * @typedef {{ key: string, client: string, token: number, value: unknown, stale: boolean,
 *   over: number | null, late: Late | null, from: number, to: number, index: number }} Value
 * @typedef {{ key: string, client: string, token: number, time: number, newer: number | null,
 *   message: string, index: number }} Repeat a write that the storage had answered before
 */

export const SERVICE = 'lock service';
export const STORAGE = 'storage';

const RETURNS = { resume: 'pause', wake: 'suspend', restart: 'crash' };

/** What is left of [from, to] when the spans in `cuts` are taken out. */
export function without(from, to, cuts) {
  const sorted = cuts.filter((cut) => cut.to > from && cut.from < to);
  sorted.sort((a, b) => a.from - b.from);
  const left = [];
  let start = from;
  for (const cut of sorted) {
    if (cut.from > start) left.push({ from: start, to: cut.from });
    start = Math.max(start, cut.to);
  }
  if (start < to) left.push({ from: start, to });
  return left;
}

/** A round step that cuts `length` into about `count` pieces. */
export function roundStep(length, count) {
  const step = length / count;
  const size = 10 ** Math.floor(Math.log10(step));
  return [1, 2, 5, 10].find((one) => one * size >= step * 0.999) * size;
}

/** Where a picture ends whose last event is at `time`: at a tick that leaves it some room. */
export function roomy(time) {
  if (time <= 0) return 1;
  const step = roundStep(time, 9);
  return Math.round(Math.ceil((time * 1.15) / step) * step * 1e6) / 1e6;
}

const agree = (a, b) => (a ?? null) === null || (b ?? null) === null || a === b;

/** Whether a release or an expiry is of the lease: in a history it may be of one from before. */
export const isOfLease = ({ peer, token }, lease) =>
  lease !== undefined && agree(peer, lease.client) && agree(token, lease.token);

const isRepeat = ({ kind, node, operation, reply, reason }) =>
  kind === 'deliver' &&
  node === STORAGE &&
  operation === 'write' &&
  !reply &&
  Boolean(reason?.startsWith('asked before'));

const isRefusal = ({ operation, outcome }) => operation === 'acquire' && outcome === 'refused';

/** An event of another system may tell something else by `until`, or by how much a clock was set. */
function withNumbers(event) {
  const { until, by } = event;
  const isOdd = (value) => value !== undefined && value !== null && !Number.isFinite(value);
  if (!isOdd(until) && !isOdd(by)) return event;
  return { ...event, until: isOdd(until) ? undefined : until, by: isOdd(by) ? undefined : by };
}

/** Reads a trace event by event; `finish` gives what a picture shows. */
export class Reader {
  /**
   * @param {{ scenario?: object, endTime?: number, violations?: object[], judged?: object }} about
   *   the trace; a history that was opened has `judged`, what there was to judge it by
   * @param {number} atLeast where the picture ends at the soonest
   */
  constructor(about, atLeast = 0) {
    this.scenario = about.scenario ?? null;
    this.atLeast = atLeast;
    this.violations = about.violations ?? [];
    this.judged = about.judged ?? null;
    this.events = [];
    this.things = {
      leases: [],
      beliefs: [],
      absences: [],
      partitions: [],
      works: [],
      messages: [],
      writes: [],
      values: [],
      fences: [],
      repeats: [],
      steps: [],
    };
    this.open = new Map();
    this.spans = new Map();
    this.inFlight = new Map();
    this.delivered = null;
    this.leaseOfGrant = new Map();
    this.newest = new Map();
    this.names = new Set((this.scenario?.clients ?? []).map((client) => client.id));
    this.seen = new Set(this.scenario ? [SERVICE, STORAGE] : []);
  }

  /** Ends what is open under `name`, and forgets it. */
  close(name, changes) {
    const thing = this.open.get(name);
    if (thing) Object.assign(thing, changes);
    this.open.delete(name);
  }

  begin(name, list, thing) {
    list.push(thing);
    this.open.set(name, thing);
  }

  readLease(event, index) {
    const name = `lease ${event.lock}`;
    if (event.kind === 'acquire' && event.outcome === 'granted') {
      this.close(name, { to: event.time });
      const lease = {
        lock: event.lock,
        client: event.peer,
        token: event.token,
        from: event.time,
        to: null,
        planned: event.until ?? null,
        end: 'open',
        renewals: [],
        index,
      };
      this.begin(name, this.things.leases, lease);
      this.readGrant(lease);
    } else if (event.kind === 'renew' && event.outcome === 'ok') {
      const lease = this.open.get(name);
      if (!lease) return;
      lease.planned = event.until ?? lease.planned;
      lease.renewals.push({ time: event.time, until: event.until, index });
    } else if (event.kind === 'release' && event.outcome === 'ok') {
      if (!isOfLease(event, this.open.get(name))) return;
      this.close(name, { to: event.time, end: 'released', last: index });
    } else if (event.kind === 'expire') {
      if (!isOfLease(event, this.open.get(name))) return;
      this.close(name, { to: event.time, end: 'expired', last: index });
    }
  }

  /** The request that came just before is the one that is refused. */
  readRefusal({ message }) {
    if (this.delivered?.message === message) this.delivered.routine = true;
  }

  readGrant(lease) {
    const { lock, client, token } = lease;
    this.leaseOfGrant.set(`${client}\n${token}`, lease);
    if (!(this.newest.get(lock)?.token > token)) this.newest.set(lock, { client, token });
  }

  /** The newest grant of the lock that a client's token is of, if the token is older than it. */
  newerThan(client, token) {
    const newest = this.newest.get(this.leaseOfGrant.get(`${client}\n${token}`)?.lock);
    return newest?.token > token ? newest : null;
  }

  /** The lease that a client's token is of, if it is over. */
  endedLease(client, token) {
    const lease = this.leaseOfGrant.get(`${client}\n${token}`);
    return lease && lease.to !== null ? lease : null;
  }

  readBelief(event, index) {
    const name = `belief ${event.node}`;
    const belief = this.open.get(name);
    if (event.kind === 'distrust') {
      this.endWork(event.node, event.time);
      this.close(name, { to: event.time, reason: event.reason ?? '', last: index });
    } else if (belief && belief.token === event.token) {
      belief.until = event.until ?? null;
    } else {
      this.close(name, { to: event.time });
      this.begin(name, this.things.beliefs, {
        client: event.node,
        token: event.token,
        from: event.time,
        to: null,
        until: event.until ?? null,
        reason: '',
        index,
      });
    }
  }

  /** Begins what `endSpan` ends. Several of one name may overlap: the one to end first is ended. */
  beginSpan(name, list, span) {
    list.push(span);
    if (!this.spans.has(name)) this.spans.set(name, []);
    const open = this.spans.get(name);
    open.push(span);
    open.sort((a, b) => (a.until ?? Infinity) - (b.until ?? Infinity));
  }

  endSpan(name, event, index) {
    const span = this.spans.get(name)?.shift();
    if (span) Object.assign(span, { to: event.time, last: index });
  }

  readAbsence(event, index) {
    const { node, time: from, until = null } = event;
    const kind = RETURNS[event.kind] ?? event.kind;
    const name = `${kind} ${node}`;
    if (kind === 'crash') this.endWork(node, from);
    if (event.kind !== kind) return this.endSpan(name, event, index);
    const absence = { kind, node, from, to: null, until, index };
    return this.beginSpan(name, this.things.absences, absence);
  }

  readPartition(event, index) {
    if (typeof event.peer !== 'string') return; // another system's: it is told, and not drawn
    const { node, peer, time: from, until = null, oneWay = false } = event;
    const name = `partition ${[node, peer].sort().join('\n')}`;
    if (event.kind === 'heal') return this.endSpan(name, event, index);
    const cut = { between: [node, peer], oneWay, from, to: null, until, index };
    return this.beginSpan(name, this.things.partitions, cut);
  }

  /** A write that comes again: it is answered as before, and stored no more. */
  readRepeat(event, index) {
    const { key, peer: client, token, time, message } = event;
    const stored = this.open.get(`value ${key}`);
    const newer = stored && stored.token > token ? stored.token : null;
    this.things.repeats.push({ key, client, token, time, message, newer, index });
  }

  readMessage(event, index) {
    const isDrawn = typeof event.message === 'string' && typeof event.peer === 'string';
    if (!isDrawn) return;
    if (isRepeat(event)) this.readRepeat(event, index);
    const name = `${event.message}\n${event.copy ?? 0}`;
    if (event.kind === 'send') {
      const message = {
        message: event.message,
        copy: event.copy ?? 0,
        from: event.node,
        to: event.peer,
        operation: event.operation ?? '',
        reply: Boolean(event.reply),
        outcome: event.outcome,
        token: event.token,
        sent: event.time,
        arrives: event.until ?? event.time,
        lost: event.until === null ? 'lost' : null,
        routine: isRefusal(event),
        index,
        last: index,
      };
      this.things.messages.push(message);
      this.inFlight.set(name, message);
      return;
    }
    const message = this.inFlight.get(name);
    if (!message) return;
    this.inFlight.delete(name);
    this.delivered = message;
    message.arrives = event.time;
    message.last = index;
    message.lost = event.kind === 'drop' ? (event.reason ?? 'lost') : null;
  }

  readWrite(event, index) {
    const accepted = event.outcome === 'accepted';
    const lease = accepted && !event.stale ? this.endedLease(event.peer, event.token) : null;
    const write = {
      key: event.key,
      client: event.peer,
      token: event.token,
      highest: event.highest ?? null,
      time: event.time,
      accepted,
      stale: Boolean(event.stale),
      newer: accepted && !event.stale ? this.newerThan(event.peer, event.token) : null,
      late: lease ? { by: event.time - lease.to, end: lease.end } : null,
      value: event.value,
      message: event.message,
      index,
    };
    this.things.writes.push(write);
    if (!accepted) return;
    const name = `value ${event.key}`;
    this.close(name, { to: event.time });
    const { key, client, token, value, stale, highest, late } = write;
    const over = stale ? highest : null;
    const span = {
      key,
      client,
      token,
      value,
      stale,
      over,
      late,
      from: event.time,
      to: null,
      index,
    };
    this.begin(name, this.things.values, span);
  }

  /** A fence holds where the storage compares tokens, and took this one. */
  readFence(event, index) {
    const compares = this.scenario?.fencing !== 'off';
    const holds = compares && event.outcome === 'accepted' && !event.stale;
    this.things.fences.push({ ...event, client: event.peer, holds, index });
  }

  /** The writes, by index, whose values were computed from one that was no longer there. */
  outdated() {
    const lost = this.violations.filter(({ invariant }) => invariant === 'I3');
    return new Set(lost.map(({ sequence }) => sequence));
  }

  endWork(node, time) {
    const until = this.open.get(`work ${node}`)?.until ?? time;
    this.close(`work ${node}`, { to: Math.min(until, time) });
  }

  readWork(event, index) {
    const name = `work ${event.node}`;
    this.endWork(event.node, event.time);
    this.begin(name, this.things.works, {
      client: event.node,
      from: event.time,
      to: null,
      until: event.until ?? null,
      index,
    });
  }

  /** Takes the next event in. */
  add(event) {
    const index = this.events.push(event) - 1;
    this.see(event.node);
    this.see(event.peer);
    this.read(withNumbers(event), index);
  }

  see(name) {
    if (typeof name !== 'string') return;
    if (name === SERVICE || name === STORAGE) this.seen.add(name);
    else this.names.add(name);
  }

  /** The nodes, top to bottom: the service, the clients, the storage. */
  nodes() {
    const nodes = [...this.names].map((name) => ({ name, role: 'client' }));
    if (this.seen.has(SERVICE)) nodes.unshift({ name: SERVICE, role: 'service' });
    if (this.seen.has(STORAGE)) nodes.push({ name: STORAGE, role: 'storage' });
    return nodes;
  }

  read(event, index) {
    switch (event.kind) {
      case 'acquire':
        if (isRefusal(event)) return this.readRefusal(event);
        return this.readLease(event, index);
      case 'renew':
      case 'release':
      case 'expire':
        return this.readLease(event, index);
      case 'trust':
      case 'distrust':
        return this.readBelief(event, index);
      case 'pause':
      case 'resume':
      case 'suspend':
      case 'wake':
      case 'crash':
      case 'restart':
        return this.readAbsence(event, index);
      case 'partition':
      case 'heal':
        return this.readPartition(event, index);
      case 'send':
      case 'deliver':
      case 'drop':
        return this.readMessage(event, index);
      case 'write':
        return this.readWrite(event, index);
      case 'fence':
        return this.readFence(event, index);
      case 'clock-step':
        if (event.by === undefined) return undefined;
        return this.things.steps.push({ node: event.node, by: event.by, time: event.time, index });
      case 'work':
        return this.readWork(event, index);
      default:
        return undefined;
    }
  }

  /** The things read; what has not ended lasts to the end of the run. */
  finish() {
    const { things, events, scenario } = this;
    const endTime = Math.max(this.atLeast, roomy(events.at(-1)?.time ?? 0));
    for (const thing of [...this.open.values(), ...[...this.spans.values()].flat()]) {
      if (thing.to === null) thing.to = Math.min(thing.until ?? endTime, endTime);
    }
    const locks = [...new Set(things.leases.map((lease) => lease.lock))];
    const keys = [...new Set([...things.writes, ...things.fences].map((write) => write.key))];
    for (const client of scenario?.clients ?? []) {
      if (locks.length === 0 && client.lock) locks.push(client.lock);
      if (keys.length === 0 && client.key) keys.push(client.key);
    }
    return {
      ...things,
      events,
      scenario,
      endTime,
      violations: this.violations,
      judged: this.judged,
      nodes: this.nodes(),
      outdated: this.outdated(),
      locks,
      keys,
      gaps: readGaps(things.beliefs, things.leases),
      readings: readingsOf({ ...things, events, scenario }),
    };
  }
}

/**
 * Where a client believed that it held the lock, and the service knew that it did not, in the order
 * in which it begins.
 */
function readGaps(beliefs, leases) {
  const byToken = new Map();
  for (const lease of leases) {
    const key = `${lease.client}\n${lease.token}`;
    if (!byToken.has(key)) byToken.set(key, []);
    byToken.get(key).push(lease);
  }
  const gaps = beliefs.flatMap((belief) => {
    const { client, token } = belief;
    const own = byToken.get(`${client}\n${token}`) ?? [];
    return without(belief.from, belief.to, own).map((span) => ({ client, token, ...span }));
  });
  return gaps.sort((a, b) => a.from - b.from);
}
