// Random sequences of operations, on the core and on the model: every answer is the same.

import fc from 'fast-check';
import { FakeClock, FencedStorage, LockService } from 'fencelock';
import { ModelFencedStorage, ModelLockService } from './model.js';

const RUNS = Number(process.env.FENCELOCK_PROPERTY_RUNS ?? 300);

// Few enough to meet again, of every length and kind, and some of any content whatever.
const NAMES = ['', 'a', 'b', '\0', 'fifteen letters', 'sixteen letters!', '\ud800', '\ufffd', '🔒'];
const names = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)) },
  { weight: 4, arbitrary: fc.nat(500).map((number) => `lock ${number}`) },
);
const clients = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('A', 'B', 'a client with a long name', '\udc00') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);
const leases = fc.oneof(
  fc.constantFrom(3, 0.1, 10),
  fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
);
const times = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 0.1, 1, 2.9999999999999996, 3, 10) },
  { weight: 1, arbitrary: fc.double({ min: -5, max: 100, noNaN: true }) },
);
const tokens = fc.oneof(
  { weight: 8, arbitrary: fc.nat(12) },
  { weight: 1, arbitrary: fc.maxSafeNat() },
);

// An operation is what it does to either side, and its words for a counterexample. `recent` tokens
// are counted back from the next one, so that renewals and releases often hit.
const lockOperation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('acquire'), name: names, client: clients }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('renew', 'release'),
      name: names,
      client: clients,
      recent: fc.nat(6),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('holder', 'inspect'), name: names }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('size') }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('move'), by: times }) },
);

function perform(service, { kind, name, client, recent }) {
  switch (kind) {
    case 'acquire':
      try {
        return service.acquire(name, client);
      } catch (error) {
        return error.code;
      }
    case 'renew':
    case 'release':
      return service[kind](name, client, Math.max(0, service.nextToken - 1 - recent));
    case 'size':
      return service.size;
    default:
      return service[kind](name);
  }
}

test('a lock service answers as the model does', () => {
  const firstTokens = fc.constantFrom(0, 1, 33, Number.MAX_SAFE_INTEGER - 3);
  const operations = fc.array(lockOperation, { maxLength: 300, size: 'max' });
  fc.assert(
    fc.property(leases, firstTokens, operations, (lease, firstToken, list) => {
      const clock = new FakeClock();
      const service = new LockService(clock, lease, firstToken);
      const model = new ModelLockService(clock, lease, firstToken);
      for (const operation of list) {
        if (operation.kind === 'move') {
          clock.set(clock.now() + operation.by);
          continue;
        }
        expect(perform(service, operation)).toEqual(perform(model, operation));
        expect(service.nextToken).toBe(model.nextToken);
      }
      for (const [name] of model.leases) expect(service.inspect(name)).toEqual(model.inspect(name));
      expect(service.size).toBe(model.size);
      service.dispose();
    }),
    { numRuns: RUNS },
  );
});

const storageOperation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write'),
      key: names,
      value: fc.oneof(fc.string(), fc.jsonValue()),
      token: tokens,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fence'), key: names, token: tokens }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('read', 'highestToken'), key: names }),
  },
);

test.each(['at-least', 'above'])('a storage with the rule %s answers as the model does', (rule) => {
  const operations = fc.array(storageOperation, { maxLength: 300, size: 'max' });
  fc.assert(
    fc.property(operations, (list) => {
      const storage = new FencedStorage({ rule });
      const model = new ModelFencedStorage(rule);
      for (const { kind, key, value, token } of list) {
        const ask = (side) =>
          kind === 'write' ? side.write(key, value, token) : side[kind](key, token);
        expect(ask(storage)).toEqual(ask(model));
      }
      for (const [key] of model.records) {
        expect(storage.read(key)).toEqual(model.read(key));
        expect(storage.highestToken(key)).toBe(model.highestToken(key));
      }
      storage.dispose();
    }),
    { numRuns: RUNS },
  );
});
