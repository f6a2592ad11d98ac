import { jest } from '@jest/globals';

import { FakeClock, LockService } from 'fencelock';

const AT_EXPIRY = [
  [2.999999999, true],
  [3, false],
  [3.000000001, false],
];

function setUp({ lease = 10, firstToken } = {}) {
  const clock = new FakeClock();
  return { clock, locks: new LockService(clock, lease, firstToken) };
}

describe('R1: a lease is live while now < granted + lease', () => {
  test.each(AT_EXPIRY)('at %d of a lease of 3 it is live: %p, for every operation', (now, live) => {
    const asks = {
      holder: (locks) => locks.holder('lock') === 'A',
      inspect: (locks) => locks.inspect('lock') !== null,
      size: (locks) => locks.size === 1,
      renew: (locks, token) => locks.renew('lock', 'A', token),
      release: (locks, token) => locks.release('lock', 'A', token),
      acquire: (locks) => locks.acquire('lock', 'B') === null,
    };
    for (const ask of Object.values(asks)) {
      const { clock, locks } = setUp({ lease: 3 });
      const token = locks.acquire('lock', 'A');
      clock.set(now);
      expect(ask(locks, token)).toBe(live);
    }
  });

  test('the sum is compared as doubles are', () => {
    const { clock, locks } = setUp({ lease: 0.2 });
    clock.set(0.1);
    locks.acquire('lock', 'A');
    clock.set(0.3); // 0.1 + 0.2 is a little above
    expect(locks.holder('lock')).toBe('A');
    clock.set(0.1 + 0.2);
    expect(locks.holder('lock')).toBeNull();
  });

  test('a lease that a large time swallows is over at once', () => {
    const { clock, locks } = setUp({ lease: 1 });
    clock.set(2 ** 53);
    expect(locks.acquire('lock', 'A')).toBe(1);
    expect(locks.acquire('lock', 'B')).toBe(2);
  });

  test('inspect tells the end, also at a time below 0', () => {
    const { clock, locks } = setUp({ lease: 3 });
    clock.set(-100.5);
    locks.acquire('lock', 'A');
    expect(locks.inspect('lock')).toEqual({ clientId: 'A', token: 1, expiresAt: -97.5 });
  });
});

describe('R2: one token counter for the service', () => {
  test('each grant of any name gets the next integer', () => {
    const { clock, locks } = setUp();
    expect(locks.acquire('one', 'A')).toBe(1);
    expect(locks.acquire('two', 'B')).toBe(2);
    expect(locks.acquire('one', 'B')).toBeNull();
    locks.release('one', 'A', 1);
    expect(locks.acquire('one', 'B')).toBe(3);
    clock.advance(10);
    expect(locks.acquire('one', 'A')).toBe(4);
  });

  test('the first grant gets firstToken, and a restarted service goes on from nextToken', () => {
    const { clock, locks } = setUp({ firstToken: 33 });
    expect(locks.nextToken).toBe(33);
    expect(locks.acquire('lock', 'A')).toBe(33);
    expect(locks.nextToken).toBe(34);
    const restarted = new LockService(clock, 10, locks.nextToken);
    expect(restarted.acquire('lock', 'B')).toBe(34);
  });

  test('0 is a token like any other', () => {
    const { locks } = setUp({ firstToken: 0 });
    expect(locks.acquire('lock', 'A')).toBe(0);
    expect(locks.renew('lock', 'A', 0)).toBe(true);
    expect(locks.inspect('lock').token).toBe(0);
    expect(locks.release('lock', 'A', 0)).toBe(true);
  });

  test('the counter never wraps', () => {
    const { locks } = setUp({ firstToken: Number.MAX_SAFE_INTEGER });
    expect(locks.acquire('one', 'A')).toBe(Number.MAX_SAFE_INTEGER);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(() => locks.acquire('two', 'A')).toThrow(
        expect.objectContaining({ code: 'TOKENS_EXHAUSTED' }),
      );
    }
    expect(locks.nextToken).toBe(2 ** 53);
    expect(locks.acquire('one', 'B')).toBeNull(); // held: no token is needed to say so
    expect(locks.renew('one', 'A', Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(locks.size).toBe(1);
  });
});

describe('R3: a live lease keeps everyone out', () => {
  test('also the holder itself', () => {
    const { locks } = setUp();
    expect(locks.acquire('lock', 'A')).toBe(1);
    expect(locks.acquire('lock', 'B')).toBeNull();
    expect(locks.acquire('lock', 'A')).toBeNull();
    expect(locks.nextToken).toBe(2);
    expect(locks.inspect('lock')).toEqual({ clientId: 'A', token: 1, expiresAt: 10 });
  });
});

describe('R4: renew', () => {
  test('keeps the token and makes the lease last from now again', () => {
    const { clock, locks } = setUp();
    locks.acquire('lock', 'A');
    clock.set(7);
    expect(locks.renew('lock', 'A', 1)).toBe(true);
    expect(locks.inspect('lock')).toEqual({ clientId: 'A', token: 1, expiresAt: 17 });
    clock.set(16);
    expect(locks.holder('lock')).toBe('A');
  });

  test.each([
    ['another client', 'B', 1],
    ['another token', 'A', 2],
    ['an older token', 'A', 0],
  ])('is refused to %s', (_, client, token) => {
    const { locks } = setUp();
    locks.acquire('lock', 'A');
    expect(locks.renew('lock', client, token)).toBe(false);
    expect(locks.inspect('lock')).toEqual({ clientId: 'A', token: 1, expiresAt: 10 });
  });

  test('never shortens a lease, though time steps back', () => {
    const { clock, locks } = setUp();
    clock.set(5);
    locks.acquire('lock', 'A');
    clock.set(1);
    expect(locks.renew('lock', 'A', 1)).toBe(true);
    expect(locks.inspect('lock').expiresAt).toBe(15);
  });
});

describe('R5: an expired lease is over', () => {
  test('it is neither renewed nor released, though nobody took the lock since', () => {
    const { clock, locks } = setUp();
    locks.acquire('lock', 'A');
    clock.set(10);
    expect(locks.renew('lock', 'A', 1)).toBe(false);
    expect(locks.release('lock', 'A', 1)).toBe(false);
    expect(locks.holder('lock')).toBeNull();
  });

  test("a late release does not free someone else's lock", () => {
    const { clock, locks } = setUp();
    locks.acquire('lock', 'A');
    clock.set(10);
    expect(locks.acquire('lock', 'B')).toBe(2);
    expect(locks.release('lock', 'A', 1)).toBe(false);
    expect(locks.release('lock', 'A', 2)).toBe(false);
    expect(locks.release('lock', 'B', 1)).toBe(false);
    expect(locks.holder('lock')).toBe('B');
  });

  test('not even of the same client', () => {
    const { clock, locks } = setUp();
    locks.acquire('lock', 'A');
    clock.set(10);
    locks.acquire('lock', 'A');
    expect(locks.release('lock', 'A', 1)).toBe(false);
    expect(locks.inspect('lock').token).toBe(2);
  });

  test('a release frees at once, and only once', () => {
    const { locks } = setUp();
    locks.acquire('lock', 'A');
    expect(locks.release('lock', 'A', 1)).toBe(true);
    expect(locks.release('lock', 'A', 1)).toBe(false);
    expect(locks.acquire('lock', 'B')).toBe(2);
  });
});

describe('R6: holder', () => {
  test('gives the client of the live lease, else null', () => {
    const { clock, locks } = setUp();
    expect(locks.holder('lock')).toBeNull();
    locks.acquire('lock', 'A');
    expect(locks.holder('lock')).toBe('A');
    expect(locks.holder('other')).toBeNull();
    clock.set(10);
    expect(locks.holder('lock')).toBeNull();
    expect(locks.inspect('lock')).toBeNull();
  });

  test('knows a client also after thousands of others', () => {
    const { locks } = setUp();
    const ids = ['A', 'a client with a long name', 'ü', '🔒', '\ud800', '', 'b'.repeat(20000)];
    ids.forEach((id, index) => locks.acquire(`held ${index}`, id));
    for (let index = 0; index < 5000; index += 1) {
      locks.release('lock', `client ${index}`, locks.acquire('lock', `client ${index}`));
    }
    ids.forEach((id, index) => {
      expect(locks.holder(`held ${index}`)).toBe(id);
      expect(locks.renew(`held ${index}`, id, index + 1)).toBe(true);
      expect(locks.inspect(`held ${index}`).clientId).toBe(id);
    });
  });
});

describe('R7: each operation reads the clock once, first', () => {
  const operations = {
    acquire: (locks) => locks.acquire('lock', 'B'),
    renew: (locks) => locks.renew('lock', 'A', 1),
    release: (locks) => locks.release('lock', 'A', 1),
    holder: (locks) => locks.holder('lock'),
    inspect: (locks) => locks.inspect('lock'),
    size: (locks) => locks.size,
  };

  test.each(Object.keys(operations))('%s', (name) => {
    let reads = 0;
    const locks = new LockService({ now: () => (reads += 1) });
    locks.acquire('lock', 'A');
    expect(reads).toBe(1);
    operations[name](locks);
    expect(reads).toBe(2);
  });

  test('nextToken and leaseSeconds need no clock', () => {
    const clock = { now: jest.fn(() => 0) };
    const locks = new LockService(clock, 5);
    expect([locks.nextToken, locks.leaseSeconds]).toEqual([1, 5]);
    expect(clock.now).not.toHaveBeenCalled();
  });

  test('now() is called as a method', () => {
    const clock = {
      seconds: 4,
      now() {
        return this.seconds;
      },
    };
    const locks = new LockService(clock);
    locks.acquire('lock', 'A');
    expect(locks.inspect('lock').expiresAt).toBe(14);
  });

  test('time never runs backwards', () => {
    const { clock, locks } = setUp({ lease: 3 });
    locks.acquire('lock', 'A');
    clock.set(3.5);
    expect(locks.holder('lock')).toBeNull();
    clock.set(1);
    expect(locks.holder('lock')).toBeNull();
    expect(locks.renew('lock', 'A', 1)).toBe(false);
    expect(locks.acquire('lock', 'B')).toBe(2);
    expect(locks.inspect('lock').expiresAt).toBe(6.5);
  });

  test('a clock may use the service that reads it', () => {
    const inner = [];
    let depth = 0;
    const long = 'a lock with a name too long for the words';
    const clock = {
      now() {
        depth += 1;
        if (depth === 1) {
          inner.push(locks.acquire('from within', 'the clock'), locks.holder(long));
        }
        depth -= 1;
        return 0;
      },
    };
    const locks = new LockService(clock);
    expect(locks.acquire(long, 'a client with a long name too')).toBe(2);
    expect(inner).toEqual([1, null]);
    expect(locks.holder(long)).toBe('a client with a long name too');
    expect(locks.holder('from within')).toBe('the clock');
  });

  test('a clock that throws changes nothing', () => {
    let broken = false;
    const clock = {
      now() {
        if (broken) throw new Error('no time');
        return 0;
      },
    };
    const locks = new LockService(clock);
    locks.acquire('lock', 'A');
    broken = true;
    for (const operation of Object.values(operations)) {
      expect(() => operation(locks)).toThrow('no time');
    }
    broken = false;
    expect(locks.inspect('lock')).toEqual({ clientId: 'A', token: 1, expiresAt: 10 });
    expect(locks.nextToken).toBe(2);
  });

  test('a clock that disposes of the service gets it the DISPOSED error', () => {
    const locks = new LockService({
      now() {
        locks.dispose();
        return 0;
      },
    });
    expect(() => locks.acquire('lock', 'A')).toThrow(expect.objectContaining({ code: 'DISPOSED' }));
  });
});

describe('R8: a name whose lease is gone needs no record', () => {
  test('size counts live leases only', () => {
    const { clock, locks } = setUp();
    for (let index = 0; index < 1000; index += 1) locks.acquire(`lock ${index}`, 'A');
    expect(locks.size).toBe(1000);
    for (let index = 0; index < 500; index += 1) locks.release(`lock ${index}`, 'A', index + 1);
    expect(locks.size).toBe(500);
    clock.advance(9);
    locks.acquire('late', 'A');
    clock.advance(1);
    expect(locks.size).toBe(1);
  });
});
