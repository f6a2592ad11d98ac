// The contract again, as a user would write it in plain JavaScript: what the core is compared with.

const TOKEN_MAX = Number.MAX_SAFE_INTEGER;

export class ModelLockService {
  constructor(clock, leaseSeconds, firstToken) {
    this.clock = clock;
    this.leaseSeconds = leaseSeconds;
    this.nextToken = firstToken;
    this.leases = new Map();
    this.latest = -Infinity;
  }

  live(name) {
    this.latest = Math.max(this.latest, this.clock.now());
    const lease = this.leases.get(name);
    return lease !== undefined && this.latest < lease.expiresAt ? lease : null;
  }

  acquire(name, clientId) {
    if (this.live(name) !== null) return null;
    if (this.nextToken > TOKEN_MAX) return 'TOKENS_EXHAUSTED';
    const token = this.nextToken;
    this.nextToken += 1;
    this.leases.set(name, { clientId, token, expiresAt: this.latest + this.leaseSeconds });
    return token;
  }

  renew(name, clientId, token) {
    const lease = this.live(name);
    if (lease?.clientId !== clientId || lease.token !== token) return false;
    lease.expiresAt = this.latest + this.leaseSeconds;
    return true;
  }

  release(name, clientId, token) {
    const lease = this.live(name);
    if (lease?.clientId !== clientId || lease.token !== token) return false;
    return this.leases.delete(name);
  }

  holder(name) {
    return this.live(name)?.clientId ?? null;
  }

  inspect(name) {
    const lease = this.live(name);
    return lease === null ? null : { ...lease };
  }

  get size() {
    return [...this.leases.keys()].filter((name) => this.live(name) !== null).length;
  }
}

export class ModelFencedStorage {
  constructor(rule) {
    this.rule = rule;
    this.records = new Map(); // key -> { highest, written: by which token, value }
  }

  write(key, value, token) {
    const { highest = -1, written = -1 } = this.records.get(key) ?? {};
    if (token < highest) return false;
    if (this.rule === 'above' && token <= written) return false;
    this.records.set(key, { highest: token, written: token, value });
    return true;
  }

  read(key) {
    return this.records.get(key)?.value ?? null;
  }

  highestToken(key) {
    return this.records.get(key)?.highest ?? null;
  }

  fence(key, token) {
    const record = this.records.get(key);
    if (record !== undefined && token < record.highest) return false;
    this.records.set(key, { ...record, highest: token });
    return true;
  }
}
