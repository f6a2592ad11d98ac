// Histories of a service and a storage that do all right: so that whatever is found in them is a
// false alarm. The service may be reentrant, answers may be lost, and calls be tried again.

const LEASE = 5;

/** A generator of numbers from 0 to below 1, the same for a seed everywhere. */
function numbersOf(seed) {
  let state = Math.imul(seed, 2654435761) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

class Right {
  constructor(seed) {
    this.random = numbersOf(seed);
    for (let i = 0; i < 5; i += 1) this.random();
    this.isReentrant = this.chance(0.3);
    this.losesAnswers = this.chance(0.5);
    this.tellsTokens = this.chance(0.7);
    this.tellsUntil = this.chance(0.6);
    this.crashes = this.chance(0.3);
    this.isIdempotent = this.chance(0.5);
    this.time = 0;
    this.token = 10;
    this.locks = {};
    this.keys = {};
    this.lastTokens = { A: 1, B: 2, C: 3 };
    this.events = [];
  }

  chance(share) {
    return this.random() < share;
  }

  pick(list) {
    return list[Math.floor(this.random() * list.length)];
  }

  outcome(outcome) {
    return this.losesAnswers && this.chance(0.15) ? 'timeout' : outcome;
  }

  tell(kind, node, more) {
    this.events.push({ time: this.time, node, kind, ...more });
  }

  atService(kind, peer, lock, outcome, lease) {
    const told = this.outcome(outcome);
    const event = { peer, lock, outcome: told };
    const isDone = told === 'granted' || told === 'ok';
    const isKnown = kind !== 'acquire' || isDone;
    if (this.tellsTokens && isKnown) event.token = lease?.token ?? 5;
    if (this.tellsUntil && isDone && kind !== 'release') event.until = lease.end;
    if (kind === 'acquire' && told === 'refused') event.reason = `held by ${lease.client}`;
    this.tell(kind, 'locks', event);
  }

  acquire(client, lock, lease) {
    const isNested = lease?.client === client && this.isReentrant;
    if (lease !== undefined && !isNested) {
      this.atService('acquire', client, lock, 'refused', lease);
      return;
    }
    const fresh = { client, token: isNested ? lease.token : (this.token += 1), depth: 0 };
    const held = isNested ? lease : fresh;
    held.depth += 1;
    held.end = this.time + LEASE;
    this.locks[lock] = held;
    this.atService('acquire', client, lock, 'granted', held);
  }

  renew(client, lock, lease) {
    const isOwn = lease?.client === client;
    if (isOwn) lease.end = this.time + LEASE;
    this.atService('renew', client, lock, isOwn ? 'ok' : 'refused', isOwn ? lease : undefined);
  }

  release(client, lock, lease) {
    if (lease?.client !== client) {
      const isHarmless = this.isIdempotent && lease === undefined;
      this.atService('release', client, lock, isHarmless ? 'ok' : 'refused');
      return;
    }
    lease.depth -= 1;
    if (lease.depth === 0) delete this.locks[lock];
    this.atService('release', client, lock, 'ok', lease);
  }

  expire(_, lock, lease) {
    if (lease === undefined) return;
    delete this.locks[lock];
    const { client: peer, token } = lease;
    this.tell('expire', 'locks', { peer, lock, ...(this.tellsTokens ? { token } : {}) });
  }

  crash() {
    if (this.crashes) this.tell('crash', 'locks', {});
  }

  tokenOf(client, lease) {
    if (lease?.client === client) return lease.token;
    return this.lastTokens[client]; // late: each writes with tokens of its own only
  }

  atStorage(kind, client, lease) {
    const key = this.pick(['K1', 'K2']);
    const stored = (this.keys[key] ??= { highest: -1, value: null });
    if (kind === 'read') {
      this.tell('read', 'db', { peer: client, key, value: stored.value });
      return;
    }
    const token = this.tokenOf(client, lease);
    this.lastTokens[client] = token;
    const { value: previous, highest } = stored;
    const isAccepted = token >= highest;
    const outcome = this.outcome(isAccepted ? 'accepted' : 'rejected');
    const event = { peer: client, key, token, outcome };
    if (isAccepted) stored.highest = token;
    if (outcome === 'rejected') event.highest = highest;
    if (kind === 'write') {
      event.value = Math.floor(this.random() * 5);
      if (outcome !== 'timeout') event.previous = previous;
      if (isAccepted) stored.value = event.value;
    }
    this.tell(kind, 'db', event);
  }

  step() {
    this.time = Math.round((this.time + this.pick([0.0002, 0.01, 0.1, 0.5, 1, 3])) * 1e6) / 1e6;
    const client = this.pick(['A', 'B', 'C']);
    const lock = this.pick(['L1', 'L2']);
    if (this.locks[lock]?.end <= this.time) delete this.locks[lock];
    const lease = this.locks[lock];
    const kind = this.pick(KINDS);
    if (STORED.includes(kind)) this.atStorage(kind, client, this.locks.L1);
    else this[kind](client, lock, lease);
  }
}

const STORED = ['write', 'fence', 'read'];
const KINDS = [
  ...['acquire', 'acquire', 'renew', 'release', 'release', 'expire', 'crash'],
  ...['write', 'write', 'read', 'fence'],
];

/** Moves each event by less than half the tolerance, and puts all in the order of the new times. */
function shuffled(events, tolerance, random) {
  const moved = events.map((event) => ({
    ...event,
    time: event.time + (random() - 0.5) * 0.99 * tolerance,
  }));
  return moved.sort((a, b) => a.time - b.time);
}

/** @returns {object[]} the events of a right history, in an order that their times may have */
export function rightHistory(seed, { steps = 60, tolerance = 0.001 } = {}) {
  const right = new Right(seed);
  for (let i = 0; i < steps; i += 1) right.step();
  return right.chance(0.5) ? shuffled(right.events, tolerance, right.random) : right.events;
}
