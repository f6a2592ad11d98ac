import { BlockList } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { FencedStorage } from 'fencelock';

describe('R9: the storage compares numbers', () => {
  test('no lock service is needed, and tokens may come from anywhere', () => {
    const storage = new FencedStorage();
    expect(storage.write('key', 'a', 1000)).toBe(true);
    expect(storage.write('key', 'b', 0)).toBe(false);
    expect(storage.write('key', 'c', Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(storage.read('key')).toBe('c');
  });
});

describe('R10: a write needs token >= highest', () => {
  test('value and highest token change together, or not at all', () => {
    const storage = new FencedStorage();
    expect(storage.read('key')).toBeNull();
    expect(storage.highestToken('key')).toBeNull();
    expect(storage.write('key', 'b', 34)).toBe(true);
    expect(storage.write('key', 'a', 33)).toBe(false);
    expect(storage.read('key')).toBe('b');
    expect(storage.highestToken('key')).toBe(34);
    expect(storage.write('key', 'c', 34)).toBe(true);
    expect(storage.read('key')).toBe('c');
  });

  test('a key never written accepts any token, 0 too', () => {
    const storage = new FencedStorage();
    expect(storage.write('key', 'a', 0)).toBe(true);
    expect(storage.highestToken('key')).toBe(0);
    expect(storage.write('key', 'b', 0)).toBe(true);
    expect(storage.read('key')).toBe('b');
  });

  test('each key has its own highest token', () => {
    const storage = new FencedStorage();
    for (let key = 0; key < 3000; key += 1) storage.write(`key ${key}`, key, key);
    for (let key = 1; key < 3000; key += 1) {
      expect(storage.write(`key ${key}`, 'stale', key - 1)).toBe(false);
      expect(storage.read(`key ${key}`)).toBe(key);
      expect(storage.highestToken(`key ${key}`)).toBe(key);
    }
  });
});

describe('R11: the rule above', () => {
  test('one write a grant', () => {
    const storage = new FencedStorage({ rule: 'above' });
    expect(storage.write('key', 'x', 0)).toBe(true);
    expect(storage.write('key', 'y', 0)).toBe(false);
    expect(storage.write('key', 'y', 1)).toBe(true);
    expect(storage.write('key', 'z', 1)).toBe(false);
    expect(storage.read('key')).toBe('y');
  });
});

describe('R12: fence raises the highest token without writing', () => {
  test.each(['at-least', 'above'])('with the rule %s', (rule) => {
    const storage = new FencedStorage({ rule });
    storage.write('key', 'a', 1);
    expect(storage.fence('key', 2)).toBe(true);
    expect(storage.read('key')).toBe('a');
    expect(storage.highestToken('key')).toBe(2);
    expect(storage.write('key', 'late', 1)).toBe(false);
    expect(storage.fence('key', 1)).toBe(false);
    expect(storage.highestToken('key')).toBe(2);
    expect(storage.fence('key', 2)).toBe(true);
    expect(storage.write('key', 'b', 2)).toBe(true); // fencing did not use up the write
    expect(storage.write('key', 'c', 2)).toBe(rule === 'at-least');
  });

  test.each(['at-least', 'above'])('of a key never written, with the rule %s', (rule) => {
    const storage = new FencedStorage({ rule });
    expect(storage.fence('key', 5)).toBe(true);
    expect(storage.read('key')).toBeNull();
    expect(storage.highestToken('key')).toBe(5);
    expect(storage.write('key', 'a', 4)).toBe(false);
    expect(storage.read('key')).toBeNull();
    expect(storage.write('key', 'a', 5)).toBe(true);
  });

  test('a fence with the token already written with gives no second write', () => {
    const storage = new FencedStorage({ rule: 'above' });
    storage.write('key', 'a', 1);
    expect(storage.fence('key', 1)).toBe(true);
    expect(storage.write('key', 'b', 1)).toBe(false);
  });

  test('fenced keys between written ones', () => {
    const storage = new FencedStorage();
    for (let key = 0; key < 2000; key += 1) storage.fence(`key ${key}`, 1);
    storage.write('key 1999', 'last', 1);
    storage.write('key 0', 'first', 1);
    expect([storage.read('key 1999'), storage.read('key 0'), storage.read('key 1000')]).toEqual([
      'last',
      'first',
      null,
    ]);
  });
});

describe('R13: what is read is what was written', () => {
  const values = {
    undefined: undefined,
    null: null,
    'a boolean': false,
    NaN: NaN,
    'minus zero': -0,
    'a bigint': 2n ** 80n,
    'an empty string': '',
    'a lone surrogate': '\ud800',
    'a nested object': { list: [1, { two: 2 }], date: new Date(5) },
    'a sparse array': [, 1], // eslint-disable-line no-sparse-arrays
    'a map and a set': new Map([[{ key: 1 }, new Set([1, 2])]]),
    bytes: new Uint8Array([1, 2, 3]),
  };

  test.each(Object.entries(values))('%s', (_, value) => {
    const storage = new FencedStorage();
    expect(storage.write('key', value, 1)).toBe(true);
    expect(storage.read('key')).toEqual(value);
    expect(Object.is(storage.read('key'), value)).toBe(Object(value) !== value);
  });

  test('a cycle', () => {
    const storage = new FencedStorage();
    const value = { name: 'ring' };
    value.self = value;
    storage.write('key', value, 1);
    const read = storage.read('key');
    expect(read.self).toBe(read);
  });

  test('neither the writer nor a reader can change it afterwards', () => {
    const storage = new FencedStorage();
    const value = { list: [1], bytes: new Uint8Array([1]) };
    storage.write('key', value, 1);
    value.list.push(2);
    value.bytes[0] = 9;
    const read = storage.read('key');
    expect(read).toEqual({ list: [1], bytes: new Uint8Array([1]) });
    read.list.push(3);
    read.bytes[0] = 9;
    expect(storage.read('key')).toEqual({ list: [1], bytes: new Uint8Array([1]) });
  });

  test('a getter of the value may use the storage, or dispose of it', () => {
    const storage = new FencedStorage();
    const value = {
      get inner() {
        storage.write('a key with a rather long name', 'inner', 7);
        return 1;
      },
    };
    expect(storage.write('another key with a long name', value, 8)).toBe(true);
    expect(storage.read('a key with a rather long name')).toBe('inner');
    expect(storage.read('another key with a long name')).toEqual({ inner: 1 });
    const last = {
      get inner() {
        storage.dispose();
        return 1;
      },
    };
    expect(() => storage.write('key', last, 9)).toThrow(
      expect.objectContaining({ code: 'DISPOSED' }),
    );
  });

  test('what is shared instead of copied, and so can change under the storage, is refused', () => {
    const storage = new FencedStorage();
    const shared = new SharedArrayBuffer(8);
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    const hidden = [
      shared,
      new Uint8Array(shared),
      { deep: [new Map([[1, shared]])] },
      new Map([[shared, 1]]),
      new Set([[shared]]),
      new Error('with a cause', { cause: shared }),
      memory,
      memory.buffer,
      new BlockList(),
      { deep: [createHistogram()] },
    ];
    storage.write('key', 'before', 1);
    for (const value of hidden) {
      expect(() => storage.write('key', value, 2)).toThrow(
        expect.objectContaining({ code: 'INVALID_VALUE' }),
      );
    }
    expect([storage.read('key'), storage.highestToken('key')]).toEqual(['before', 1]);
  });

  test('instances of classes become plain objects, and can be stored', () => {
    class Point {
      x = 1;
    }
    const storage = new FencedStorage();
    expect(storage.write('key', [new Point(), Object.create(null)], 1)).toBe(true);
    expect(storage.read('key')).toEqual([{ x: 1 }, {}]);
  });
});
