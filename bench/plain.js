// What a user would write instead: the same contract (R1 to R11) in a Map of objects. The peer that
// the core is measured against, so it is as good as we can make it: leases all last equally long, so
// a list in the order of grant and renewal is one in the order of expiry, and the expired ones are
// always at its front. (Asking the Map for its first entry instead passes everything that was deleted
// there, and took minutes.)

const RECLAIMED_AN_OPERATION = 2;

export class PlainLockService {
  #clock;
  #leaseSeconds;
  #nextToken;
  #latestTime = -Infinity;
  #leases = new Map();
  #ends = { next: null, previous: null }; // a ring: next is the first to expire

  constructor(clock, leaseSeconds = 10, firstToken = 1) {
    this.#clock = clock;
    this.#leaseSeconds = leaseSeconds;
    this.#nextToken = firstToken;
    this.#ends.next = this.#ends;
    this.#ends.previous = this.#ends;
  }

  acquire(name, clientId) {
    const now = this.#advance();
    let lease = this.#leases.get(name);
    if (lease !== undefined) {
      if (now < lease.expiresAt) return null;
      this.#unlink(lease);
    }
    if (this.#nextToken > Number.MAX_SAFE_INTEGER) throw new Error('TOKENS_EXHAUSTED');
    const token = this.#nextToken++;
    lease = { name, clientId, token, expiresAt: 0, next: null, previous: null };
    this.#leases.set(name, lease);
    this.#link(lease, now);
    return token;
  }

  renew(name, clientId, token) {
    const now = this.#advance();
    const lease = this.#leases.get(name);
    if (!this.#isOwn(lease, now, clientId, token)) return false;
    this.#unlink(lease);
    this.#link(lease, now);
    return true;
  }

  release(name, clientId, token) {
    const now = this.#advance();
    const lease = this.#leases.get(name);
    if (!this.#isOwn(lease, now, clientId, token)) return false;
    this.#unlink(lease);
    return this.#leases.delete(name);
  }

  holder(name) {
    const now = this.#advance();
    const lease = this.#leases.get(name);
    return lease !== undefined && now < lease.expiresAt ? lease.clientId : null;
  }

  #isOwn(lease, now, clientId, token) {
    if (lease === undefined || now >= lease.expiresAt) return false;
    return lease.clientId === clientId && lease.token === token;
  }

  #link(lease, now) {
    const last = this.#ends.previous;
    lease.expiresAt = now + this.#leaseSeconds;
    lease.previous = last;
    lease.next = this.#ends;
    last.next = lease;
    this.#ends.previous = lease;
  }

  #unlink(lease) {
    lease.previous.next = lease.next;
    lease.next.previous = lease.previous;
  }

  #advance() {
    const now = this.#clock.now();
    if (!Number.isFinite(now)) throw new TypeError('clock.now(): expected a finite number');
    if (now > this.#latestTime) this.#latestTime = now;
    for (let reclaimed = 0; reclaimed < RECLAIMED_AN_OPERATION; reclaimed += 1) {
      const first = this.#ends.next;
      if (first === this.#ends || this.#latestTime < first.expiresAt) break;
      this.#unlink(first);
      this.#leases.delete(first.name);
    }
    return this.#latestTime;
  }
}

export class PlainFencedStorage {
  #entries = new Map();

  write(key, value, token) {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#entries.set(key, { value: structuredClone(value), token });
      return true;
    }
    if (token < entry.token) return false;
    entry.value = structuredClone(value);
    entry.token = token;
    return true;
  }

  read(key) {
    const entry = this.#entries.get(key);
    return entry === undefined ? null : structuredClone(entry.value);
  }
}
