import { FakeClock, FencedStorage, FencelockError, init, LockService } from 'fencelock';

const NOT_STRINGS = [undefined, null, 5, 5n, {}, [], Symbol('s'), () => {}, new String('boxed')];
const NOT_NUMBERS = [null, '5', 5n, {}, [5], Symbol('s'), () => {}, new Number(5), true];
const NOT_TOKENS = [NaN, Infinity, -Infinity, 1.5, -1, 2 ** 53, 1e300, -0.5];

function setUp() {
  const clock = new FakeClock();
  const locks = new LockService(clock, 10);
  const storage = new FencedStorage();
  locks.acquire('lock', 'A');
  storage.write('key', 'value', 1);
  return { clock, locks, storage };
}

function state({ locks, storage }) {
  return [
    locks.inspect('lock'),
    locks.nextToken,
    locks.size,
    storage.read('key'),
    storage.highestToken('key'),
  ];
}

/** The call throws such an error, and nothing has changed. */
function expectRefusal(objects, call, type, code, message) {
  const before = state(objects);
  let error;
  try {
    call();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(type);
  expect(error.code).toBe(code);
  if (message !== undefined) expect(error.message).toMatch(message);
  expect(state(objects)).toEqual(before);
}

describe('a clock', () => {
  test.each([undefined, null, 5, 'clock', {}, { now: 5 }, [], () => 5])(
    '%p has no now()',
    (clock) => {
      expectRefusal(
        setUp(),
        () => new LockService(clock),
        TypeError,
        'INVALID_CLOCK',
        /^clock: expected an object with a now\(\) function that gives seconds, got /,
      );
    },
  );

  test.each([...NOT_NUMBERS, undefined, NaN, Infinity, -Infinity])('now() gives %p', (now) => {
    const objects = setUp();
    const { clock, locks } = objects;
    const good = clock.now;
    for (const operation of [
      () => locks.acquire('other', 'B'),
      () => locks.renew('lock', 'A', 1),
      () => locks.release('lock', 'A', 1),
      () => locks.holder('lock'),
      () => locks.inspect('lock'),
      () => locks.size,
    ]) {
      const call = () => {
        clock.now = () => now;
        try {
          operation();
        } finally {
          clock.now = good;
        }
      };
      expectRefusal(objects, call, TypeError, 'INVALID_TIME', /^clock\.now\(\): expected a finite/);
    }
  });

  test('a fake one takes only finite numbers, and advances only forward', () => {
    const clock = new FakeClock(5);
    for (const bad of [null, '1', 1n, {}]) {
      expect(() => new FakeClock(bad)).toThrow(TypeError);
      expect(() => clock.advance(bad)).toThrow(TypeError);
      expect(() => clock.set(bad)).toThrow(TypeError);
    }
    for (const bad of [NaN, Infinity, -Infinity]) {
      expect(() => new FakeClock(bad)).toThrow(RangeError);
      expect(() => clock.advance(bad)).toThrow(RangeError);
      expect(() => clock.set(bad)).toThrow(RangeError);
    }
    expect(() => clock.advance(-1)).toThrow(RangeError);
    clock.set(Number.MAX_VALUE);
    expect(() => clock.advance(Number.MAX_VALUE)).toThrow(RangeError);
    expect(clock.now()).toBe(Number.MAX_VALUE);
  });
});

describe('a name, client id or key', () => {
  test.each(NOT_STRINGS)('%p', (bad) => {
    const objects = setUp();
    const { locks, storage } = objects;
    const calls = {
      name: [
        () => locks.acquire(bad, 'A'),
        () => locks.renew(bad, 'A', 1),
        () => locks.release(bad, 'A', 1),
        () => locks.holder(bad),
        () => locks.inspect(bad),
      ],
      clientId: [
        () => locks.acquire('other', bad),
        () => locks.renew('lock', bad, 1),
        () => locks.release('lock', bad, 1),
      ],
      key: [
        () => storage.write(bad, 'new', 2),
        () => storage.read(bad),
        () => storage.highestToken(bad),
        () => storage.fence(bad, 2),
      ],
    };
    for (const [argument, list] of Object.entries(calls)) {
      for (const call of list) {
        const message = new RegExp(`^${argument}: expected a string, got `);
        expectRefusal(objects, call, TypeError, 'INVALID_NAME', message);
      }
    }
  });
});

test.each([0, -1, NaN, Infinity, -Infinity, '5', null, 5n, {}])('leaseSeconds %p', (bad) => {
  const message = /^leaseSeconds: expected a finite number of seconds above 0, got /;
  const call = () => new LockService(new FakeClock(), bad);
  expectRefusal(setUp(), call, RangeError, 'INVALID_LEASE', message);
});

describe('a token', () => {
  function calls(objects, bad) {
    const { locks, storage } = objects;
    return [
      () => locks.renew('lock', 'A', bad),
      () => locks.release('lock', 'A', bad),
      () => storage.write('key', 'new', bad),
      () => storage.fence('key', bad),
    ];
  }

  test.each([...NOT_NUMBERS, undefined])('%p is not a number', (bad) => {
    const objects = setUp();
    const all = calls(objects, bad);
    if (bad !== undefined) all.push(() => new LockService(objects.clock, 10, bad));
    for (const call of all) {
      const message = /oken: expected an integer from 0 to 2\^53 - 1, got /;
      expectRefusal(objects, call, TypeError, 'INVALID_TOKEN', message);
    }
  });

  test.each(NOT_TOKENS)('%p is not an integer from 0 to 2^53 - 1', (bad) => {
    const objects = setUp();
    const make = () => new LockService(objects.clock, 10, bad);
    for (const call of [...calls(objects, bad), make]) {
      expectRefusal(objects, call, RangeError, 'INVALID_TOKEN');
    }
  });

  test('-0 is 0', () => {
    const locks = new LockService(new FakeClock(), 10, -0);
    expect(Object.is(locks.acquire('lock', 'A'), 0)).toBe(true);
    expect(locks.renew('lock', 'A', -0)).toBe(true);
  });
});

describe('a value', () => {
  const uncloneable = {
    'a function': () => {},
    'a symbol': Symbol('s'),
    'a function inside': { deep: [() => {}] },
    'a symbol inside': { deep: [Symbol('s')] },
    'a promise': Promise.resolve(),
    'a weak map': new WeakMap(),
  };

  test.each(Object.entries(uncloneable))("%s can't be cloned", (_, value) => {
    const objects = setUp();
    const call = () => objects.storage.write('key', value, 2);
    expectRefusal(
      objects,
      call,
      TypeError,
      'INVALID_VALUE',
      /^value: expected a value that can be/,
    );
  });

  test('whose getter throws', () => {
    const objects = setUp();
    const value = {
      get part() {
        throw Object.assign(new RangeError('mine'), { code: 'MINE' });
      },
    };
    expectRefusal(
      objects,
      () => objects.storage.write('key', value, 2),
      RangeError,
      'MINE',
      'mine',
    );
  });
});

test.each([null, 5, 'above', { rule: 'below' }, { rule: 5 }, { rule: null }])(
  'options %p',
  (bad) => {
    expectRefusal(setUp(), () => new FencedStorage(bad), TypeError, 'INVALID_OPTIONS', /^options/);
  },
);

describe('after dispose', () => {
  test('every use is an error with code DISPOSED; disposing again is not', () => {
    const { locks, storage } = setUp();
    locks.dispose();
    storage[Symbol.dispose]();
    for (const use of [
      () => locks.acquire('lock', 'A'),
      () => locks.renew('lock', 'A', 1),
      () => locks.release('lock', 'A', 1),
      () => locks.holder('lock'),
      () => locks.inspect('lock'),
      () => locks.size,
      () => locks.nextToken,
      () => storage.write('key', 'value', 2),
      () => storage.read('key'),
      () => storage.highestToken('key'),
      () => storage.fence('key', 2),
    ]) {
      expect(use).toThrow(expect.objectContaining({ code: 'DISPOSED', name: 'FencelockError' }));
      expect(use).toThrow(FencelockError);
    }
    locks[Symbol.dispose]();
    locks.dispose();
    storage.dispose();
    expect(locks.leaseSeconds).toBe(10);
  });
});

test('a message shows what came, and no more than a little of it', () => {
  const { locks } = setUp();
  const messageFor = (clientId) => {
    try {
      locks.acquire('lock', clientId);
    } catch (error) {
      return error.message;
    }
  };
  expect(messageFor(5)).toBe('clientId: expected a string, got 5');
  expect(messageFor(undefined)).toBe('clientId: expected a string, got undefined');
  expect(messageFor(null)).toBe('clientId: expected a string, got null');
  expect(messageFor([])).toBe('clientId: expected a string, got an array');
  expect(messageFor(10n ** 100n)).toBe('clientId: expected a string, got a bigint');
  expect(() => locks.renew('lock', 'A', 'x'.repeat(1000))).toThrow(`got "${'x'.repeat(40)}"...`);
});

test('init() may be awaited at any time, and twice', async () => {
  await Promise.all([init(), init()]);
  await init();
  expect(setUp().locks.holder('lock')).toBe('A');
});
