// Reads a trace into the things that a picture shows: leases, beliefs, pauses, messages, values.
//
// A pure function of the trace. It pairs beginnings with ends and takes the difference between what
// a client believed and what was; it never works out what the rules would say.

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
 *   lost: string | null, index: number, last: number }} Message
 * @typedef {{ key: string, client: string, token: number, highest: number | null, time: number,
 *   accepted: boolean, stale: boolean, value: unknown, index: number, message?: string }} Write
 * @typedef {{ key: string, client: string, token: number, value: unknown, stale: boolean,
 *   from: number, to: number, index: number }} Value
 */

export const SERVICE = 'lock service';
export const STORAGE = 'storage';

const ABSENCES = { pause: 'resume', suspend: 'wake', crash: 'restart' };
const RETURNS = { resume: 'pause', wake: 'suspend', restart: 'crash' };

/** The nodes of a trace, top to bottom: the service, the clients, the storage. */
function readNodes(trace) {
  const clients = (trace.scenario?.clients ?? []).map((client) => client.id);
  const seen = new Set(clients);
  let service = Boolean(trace.scenario);
  let storage = Boolean(trace.scenario);
  for (const event of trace.events) {
    for (const name of [event.node, event.peer]) {
      if (name === SERVICE) service = true;
      else if (name === STORAGE) storage = true;
      else if (typeof name === 'string' && !seen.has(name)) seen.add(name);
    }
  }
  const nodes = [...seen].map((name) => ({ name, role: 'client' }));
  if (service) nodes.unshift({ name: SERVICE, role: 'service' });
  if (storage) nodes.push({ name: STORAGE, role: 'storage' });
  return nodes;
}

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

class Reader {
  constructor(trace) {
    this.trace = trace;
    this.endTime = trace.endTime ?? trace.events.at(-1)?.time ?? 0;
    this.leases = [];
    this.beliefs = [];
    this.absences = [];
    this.partitions = [];
    this.works = [];
    this.messages = [];
    this.writes = [];
    this.values = [];
    this.fences = [];
    this.steps = [];
    this.open = new Map();
    this.inFlight = new Map();
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
      this.begin(name, this.leases, {
        lock: event.lock,
        client: event.peer,
        token: event.token,
        from: event.time,
        to: this.endTime,
        planned: event.until ?? this.endTime,
        end: 'open',
        renewals: [],
        index,
      });
    } else if (event.kind === 'renew' && event.outcome === 'ok') {
      const lease = this.open.get(name);
      if (!lease) return;
      lease.planned = event.until ?? lease.planned;
      lease.renewals.push({ time: event.time, until: event.until, index });
    } else if (event.kind === 'release' && event.outcome === 'ok') {
      this.close(name, { to: event.time, end: 'released', last: index });
    } else if (event.kind === 'expire') {
      this.close(name, { to: event.time, end: 'expired', last: index });
    }
  }

  readBelief(event, index) {
    const name = `belief ${event.node}`;
    const belief = this.open.get(name);
    if (event.kind === 'distrust') {
      this.close(name, { to: event.time, reason: event.reason ?? '', last: index });
    } else if (belief && belief.token === event.token) {
      belief.until = event.until ?? null;
    } else {
      this.close(name, { to: event.time });
      this.begin(name, this.beliefs, {
        client: event.node,
        token: event.token,
        from: event.time,
        to: this.endTime,
        until: event.until ?? null,
        reason: '',
        index,
      });
    }
  }

  readAbsence(event, index) {
    const kind = RETURNS[event.kind] ?? event.kind;
    const name = `${kind} ${event.node}`;
    if (event.kind in ABSENCES) {
      const absence = { kind, node: event.node, from: event.time, to: this.endTime, index };
      this.begin(name, this.absences, absence);
    } else {
      this.close(name, { to: event.time, last: index });
    }
  }

  readPartition(event, index) {
    const name = `partition ${[event.node, event.peer].sort().join('\n')}`;
    if (event.kind === 'heal') return this.close(name, { to: event.time, last: index });
    const cut = { between: [event.node, event.peer], from: event.time, to: this.endTime, index };
    return this.begin(name, this.partitions, cut);
  }

  readMessage(event, index) {
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
        index,
        last: index,
      };
      this.messages.push(message);
      this.inFlight.set(name, message);
      return;
    }
    const message = this.inFlight.get(name);
    if (!message) return;
    this.inFlight.delete(name);
    message.arrives = event.time;
    message.last = index;
    message.lost = event.kind === 'drop' ? (event.reason ?? 'lost') : null;
  }

  readWrite(event, index) {
    const accepted = event.outcome === 'accepted';
    const write = {
      key: event.key,
      client: event.peer,
      token: event.token,
      highest: event.highest ?? null,
      time: event.time,
      accepted,
      stale: Boolean(event.stale),
      value: event.value,
      message: event.message,
      index,
    };
    this.writes.push(write);
    if (!accepted) return;
    const name = `value ${event.key}`;
    this.close(name, { to: event.time });
    const { key, client, token, value, stale } = write;
    const span = { key, client, token, value, stale, from: event.time, to: this.endTime, index };
    this.begin(name, this.values, span);
  }

  readWork(event, index) {
    const name = `work ${event.node}`;
    this.close(name, { to: event.time });
    if (event.kind !== 'work') return;
    const to = Math.min(event.until ?? this.endTime, this.endTime);
    this.begin(name, this.works, { client: event.node, from: event.time, to, index });
  }

  read(event, index) {
    switch (event.kind) {
      case 'acquire':
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
        return this.fences.push({ ...event, client: event.peer, index });
      case 'clock-step':
        return this.steps.push({ node: event.node, by: event.by, time: event.time, index });
      case 'work':
        return this.readWork(event, index);
      default:
        return undefined;
    }
  }
}

/** Where a client believed that it held the lock, and the service knew that it did not. */
function readGaps(beliefs, leases) {
  const byToken = new Map();
  for (const lease of leases) {
    const key = `${lease.client}\n${lease.token}`;
    if (!byToken.has(key)) byToken.set(key, []);
    byToken.get(key).push(lease);
  }
  return beliefs.flatMap((belief) => {
    const { client, token } = belief;
    const own = byToken.get(`${client}\n${token}`) ?? [];
    return without(belief.from, belief.to, own).map((span) => ({ client, token, ...span }));
  });
}

/** Everything that a picture of the trace shows. */
export function readTrace(trace) {
  const reader = new Reader(trace);
  trace.events.forEach((event, index) => reader.read(event, index));
  const { trace: source, open, inFlight, ...things } = reader;
  void source;
  void open;
  void inFlight;
  const locks = [...new Set(things.leases.map((lease) => lease.lock))];
  const keys = [...new Set([...things.writes, ...things.fences].map((write) => write.key))];
  for (const client of trace.scenario?.clients ?? []) {
    if (locks.length === 0 && client.lock) locks.push(client.lock);
    if (keys.length === 0 && client.key) keys.push(client.key);
  }
  return {
    ...things,
    events: trace.events,
    scenario: trace.scenario ?? null,
    violations: trace.violations ?? [],
    nodes: readNodes(trace),
    locks,
    keys,
    gaps: readGaps(things.beliefs, things.leases),
  };
}
