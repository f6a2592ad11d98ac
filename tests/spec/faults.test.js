// Faults that real lock services and storages have had: one test a fault, F1 to F15.

import { FakeClock, FencedStorage, LockService } from 'fencelock';

function setUp(lease = 3, firstToken = 1) {
  const clock = new FakeClock();
  return { clock, locks: new LockService(clock, lease, firstToken) };
}

describe('service', () => {
  test('F1: an expired, untaken lock could be extended', () => {
    const { clock, locks } = setUp();
    expect(locks.acquire('lock', 'A')).toBe(1);
    clock.set(3);
    expect(locks.renew('lock', 'A', 1)).toBe(false);
    clock.set(5);
    expect(locks.renew('lock', 'A', 1)).toBe(false);
    expect(locks.acquire('lock', 'B')).toBe(2);
  });

  test('F2: at the very instant of expiry operations disagreed', () => {
    for (const [now, live] of [
      [2.999999999, true],
      [3.0, false],
      [3.000000001, false],
    ]) {
      const at = (operation) => {
        const { clock, locks } = setUp();
        locks.acquire('lock', 'A');
        clock.set(now);
        return operation(locks);
      };
      expect(at((locks) => locks.holder('lock') !== null)).toBe(live);
      expect(at((locks) => locks.inspect('lock') !== null)).toBe(live);
      expect(at((locks) => locks.renew('lock', 'A', 1))).toBe(live);
      expect(at((locks) => locks.release('lock', 'A', 1))).toBe(live);
      expect(at((locks) => locks.acquire('lock', 'B') === null)).toBe(live);
    }
  });

  test("F3: a late unlock freed, or a late extend prolonged, the next holder's lock", () => {
    const { clock, locks } = setUp(5);
    locks.acquire('lock', 'A');
    clock.set(1);
    expect(locks.release('lock', 'A', 1)).toBe(true);
    clock.set(3.2);
    expect(locks.acquire('lock', 'B')).toBe(2);
    clock.set(4);
    expect(locks.release('lock', 'A', 1)).toBe(false);
    expect(locks.renew('lock', 'A', 1)).toBe(false);
    expect(locks.inspect('lock')).toEqual({ clientId: 'B', token: 2, expiresAt: 8.2 });
  });

  test('F4: the same release, twice on the wire', () => {
    const { clock, locks } = setUp(5);
    locks.acquire('lock', 'A');
    clock.set(1);
    expect(locks.release('lock', 'A', 1)).toBe(true);
    clock.set(3.2);
    expect(locks.acquire('lock', 'B')).toBe(2);
    clock.set(5);
    expect(locks.release('lock', 'A', 1)).toBe(false);
    expect(locks.inspect('lock')).toEqual({ clientId: 'B', token: 2, expiresAt: 8.2 });
  });

  test("F5: taking a held lock again fenced the caller's own work", () => {
    const { locks } = setUp();
    const storage = new FencedStorage();
    expect(locks.acquire('lock', 'A')).toBe(1);
    expect(locks.acquire('lock', 'A')).toBeNull();
    expect(locks.renew('lock', 'A', 1)).toBe(true);
    expect(storage.write('key', 'work', 1)).toBe(true);
    expect(locks.release('lock', 'A', 1)).toBe(true);
  });

  test('F6: each heartbeat added a lease to the deadline', () => {
    const { clock, locks } = setUp(60);
    locks.acquire('lock', 'A');
    for (const [now, end] of [
      [15, 75],
      [30, 90],
      [45, 105],
    ]) {
      clock.set(now);
      expect(locks.renew('lock', 'A', 1)).toBe(true);
      expect(locks.inspect('lock').expiresAt).toBe(end);
    }
  });

  test('F7: any number, or none, went into the arithmetic as a lease', () => {
    for (const lease of [-1, 0, -0, NaN, Infinity, '5']) {
      let made;
      expect(() => (made = setUp(lease))).toThrow(
        expect.objectContaining({ code: 'INVALID_LEASE' }),
      );
      expect(made).toBeUndefined();
    }
  });

  test('F8: the counter ran to its end and wrapped, or was off by one', () => {
    const { locks } = setUp(3, 2 ** 53 - 2);
    expect(locks.acquire('one', 'A')).toBe(2 ** 53 - 2);
    expect(locks.acquire('two', 'B')).toBe(2 ** 53 - 1);
    for (const name of ['three', 'four', 'three']) {
      expect(() => locks.acquire(name, 'C')).toThrow(
        expect.objectContaining({ code: 'TOKENS_EXHAUSTED' }),
      );
    }
    expect(locks.inspect('one')).toEqual({ clientId: 'A', token: 2 ** 53 - 2, expiresAt: 3 });
    expect(locks.inspect('two')).toEqual({ clientId: 'B', token: 2 ** 53 - 1, expiresAt: 3 });
    expect(locks.size).toBe(2);
  });

  test('F9: two reads of the clock inside one operation disagreed', () => {
    let now = 0;
    const locks = new LockService({ now: () => (now += 1) }, 3);
    expect(locks.acquire('lock', 'A')).toBe(1); // at 1
    expect(locks.inspect('lock')).toEqual({ clientId: 'A', token: 1, expiresAt: 4 }); // at 2
    expect(locks.renew('lock', 'A', 1)).toBe(true); // at 3
    expect(locks.holder('lock')).toBe('A'); // at 4
    expect(locks.size).toBe(1); // at 5
    expect(locks.release('lock', 'A', 1)).toBe(false); // at 6, the end
    expect(now).toBe(6);
  });

  test('F10: wall time stepped back kept a lease alive', () => {
    const { clock, locks } = setUp();
    locks.acquire('lock', 'A');
    clock.set(3.5);
    expect(locks.holder('lock')).toBeNull();
    clock.set(1);
    expect(locks.renew('lock', 'A', 1)).toBe(false);
    expect(locks.acquire('lock', 'B')).toBe(2);
  });

  test('F11: the counter was deleted with the expired record, and tokens began again', () => {
    const { clock, locks } = setUp();
    expect(locks.acquire('the name', 'A')).toBe(1);
    const others = 1e6;
    for (let index = 0; index < others; index += 1) {
      if (index % 1000 === 0) clock.advance(3);
      locks.acquire(`other ${index}`, 'B');
    }
    clock.advance(3);
    expect(locks.size).toBe(0);
    expect(locks.acquire('the name', 'A')).toBe(others + 2);
  });
});

describe('storage', () => {
  test('F12: the lesson', () => {
    const { clock, locks } = setUp();
    const storage = new FencedStorage();
    expect(locks.acquire('lock', 'A')).toBe(1);
    clock.set(3.1);
    expect(locks.acquire('lock', 'B')).toBe(2);
    expect(storage.write('key', 'b', 2)).toBe(true);
    expect(storage.write('key', 'a', 1)).toBe(false);
    expect(storage.read('key')).toBe('b');
    expect(storage.highestToken('key')).toBe(2);
  });

  test('F13: refusing the highest itself blocked the second write of a holder', () => {
    const atLeast = new FencedStorage();
    expect(atLeast.write('key', 'x', 1)).toBe(true);
    expect(atLeast.write('key', 'y', 1)).toBe(true);
    const above = new FencedStorage({ rule: 'above' });
    expect(above.write('key', 'x', 1)).toBe(true);
    expect(above.write('key', 'y', 1)).toBe(false);
    expect(above.read('key')).toBe('x');
  });

  test("F14: a late write landed between the new holder's grant and its first write", () => {
    const storage = new FencedStorage();
    storage.write('key', 'before', 1);
    expect(storage.fence('key', 2)).toBe(true);
    const seen = storage.read('key');
    expect(storage.write('key', 'late', 1)).toBe(false);
    expect(storage.write('key', `${seen}, and after`, 2)).toBe(true);
    expect(storage.read('key')).toBe('before, and after');
  });

  test('F15: a write with something that is no token was accepted', () => {
    const storage = new FencedStorage();
    storage.write('key', 'value', 1);
    for (const token of [NaN, null, '33', 1.5, -1, 2 ** 53, undefined]) {
      for (const key of ['key', 'new key']) {
        expect(() => storage.write(key, 'x', token)).toThrow(
          expect.objectContaining({ code: 'INVALID_TOKEN' }),
        );
      }
    }
    expect([storage.read('key'), storage.highestToken('key')]).toEqual(['value', 1]);
    expect([storage.read('new key'), storage.highestToken('new key')]).toEqual([null, null]);
  });
});
