// What a user would write instead: the same contract (R1 to R11) in a Map of objects. The peer that
// the core is measured against, so it is as good as we can make it: a Map keeps the order of
// insertion, and leases all last equally long, so the expired ones are always at its front.

const RECLAIMED_AN_OPERATION = 2;

export class PlainLockService {
  #clock;
  #leaseSeconds;
  #nextToken;
  #latestTime = -Infinity;
  #leases = new Map();
  #reclaimAt = -Infinity; // no lease expires before

  constructor(clock, leaseSeconds = 10, firstToken = 1) {
    this.#clock = clock;
    this.#leaseSeconds = leaseSeconds;
    this.#nextToken = firstToken;
  }

  acquire(name, clientId) {
    const now = this.#advance();
    const lease = this.#leases.get(name);
    if (lease !== undefined) {
      if (now < lease.expiresAt) return null;
      this.#leases.delete(name);
    }
    if (this.#nextToken > Number.MAX_SAFE_INTEGER) throw new Error('TOKENS_EXHAUSTED');
    const token = this.#nextToken++;
    this.#leases.set(name, { clientId, token, expiresAt: now + this.#leaseSeconds });
    return token;
  }

  renew(name, clientId, token) {
    const now = this.#advance();
    const lease = this.#leases.get(name);
    if (!this.#isOwn(lease, now, clientId, token)) return false;
    this.#leases.delete(name);
    lease.expiresAt = now + this.#leaseSeconds;
    this.#leases.set(name, lease);
    return true;
  }

  release(name, clientId, token) {
    const now = this.#advance();
    if (!this.#isOwn(this.#leases.get(name), now, clientId, token)) return false;
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

  #advance() {
    const now = this.#clock.now();
    if (!Number.isFinite(now)) throw new TypeError('clock.now(): expected a finite number');
    if (now > this.#latestTime) this.#latestTime = now;
    if (this.#latestTime >= this.#reclaimAt) this.#reclaim();
    return this.#latestTime;
  }

  #reclaim() {
    this.#reclaimAt = this.#latestTime + this.#leaseSeconds;
    let reclaimed = 0;
    for (const [name, lease] of this.#leases) {
      if (this.#latestTime < lease.expiresAt || reclaimed === RECLAIMED_AN_OPERATION) {
        this.#reclaimAt = lease.expiresAt;
        break;
      }
      this.#leases.delete(name);
      reclaimed += 1;
    }
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
