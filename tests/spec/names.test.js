import { FakeClock, FencedStorage, LockService } from 'fencelock';

const MEBIBYTE = 2 ** 20;

// Names that something on the way might confuse.
const NAMES = [
  '',
  '\0',
  '\0\0',
  'a',
  'a\0',
  '\0a',
  'a\0b',
  '\ud800',
  '\udfff',
  '\ufffd',
  '\ud800\ud800',
  '\udc00\ud800',
  '\ud83d\udd12', // a lock, as a pair
  '\udd12\ud83d', // the halves the wrong way round
  '\ud83d\udd12\ud800', // a pair, then half of one
  '\ud83d\udd12\ud83d\udd12\udd12',
  '\ud83d',
  '\udd12',
  '\u00e9', // e acute, as one
  'e\u0301', // and as two
  '\u212b', // the angstrom sign
  '\u00c5',
  'A\u030a',
  '\u00ff',
  'ÿ',
  '\u0100',
  'ab',
  'ba',
  '\x7f',
  '\x80',
  '\u07ff',
  '\u0800',
  '\uffff',
  '\u{10000}',
  '\u{10ffff}',
  'fifteen letters',
  'sixteen letters!',
  'fifteen letter\u00fc',
  'toString',
  '__proto__',
  ...Array.from({ length: 40 }, (_, length) => 'n'.repeat(length + 2)),
  ...Array.from({ length: 40 }, (_, length) => `${'n'.repeat(length)}\0`).slice(2),
  'x'.repeat(MEBIBYTE),
  `${'x'.repeat(MEBIBYTE - 1)}y`,
  `${'x'.repeat(MEBIBYTE - 1)}\ud800`,
  `${'x'.repeat(MEBIBYTE - 1)}\ufffd`,
  '🔒'.repeat(MEBIBYTE / 2),
];

const DISTINCT = [...new Set(NAMES)];

test('different lock names are different locks', () => {
  const locks = new LockService(new FakeClock());
  DISTINCT.forEach((name, index) => expect(locks.acquire(name, 'A')).toBe(index + 1));
  expect(locks.size).toBe(DISTINCT.length);
  DISTINCT.forEach((name, index) => expect(locks.inspect(name).token).toBe(index + 1));
  DISTINCT.forEach((name, index) => expect(locks.release(name, 'A', index + 1)).toBe(true));
  expect(locks.size).toBe(0);
});

test('different client ids are different clients, and come back as they were', () => {
  const locks = new LockService(new FakeClock());
  DISTINCT.forEach((id, index) => locks.acquire(`lock ${index}`, id));
  DISTINCT.forEach((id, index) => {
    expect(locks.holder(`lock ${index}`) === id).toBe(true);
    const other = DISTINCT[(index + 1) % DISTINCT.length];
    expect(locks.release(`lock ${index}`, other, index + 1)).toBe(false);
    expect(locks.inspect(`lock ${index}`).clientId === id).toBe(true);
  });
});

test('different keys are different keys', () => {
  const storage = new FencedStorage();
  DISTINCT.forEach((key, index) => expect(storage.write(key, index, index)).toBe(true));
  DISTINCT.forEach((key, index) => {
    expect(storage.read(key)).toBe(index);
    expect(storage.highestToken(key)).toBe(index);
  });
});

test('the same without String.prototype.isWellFormed, as in Node 18', () => {
  const { isWellFormed } = String.prototype;
  delete String.prototype.isWellFormed;
  try {
    const locks = new LockService(new FakeClock());
    const ids = DISTINCT.filter((name) => name.length < 100);
    ids.forEach((name, index) => expect(locks.acquire(name, name)).toBe(index + 1));
    ids.forEach((name) => expect(locks.holder(name)).toBe(name));
  } finally {
    if (isWellFormed !== undefined) {
      Object.defineProperty(String.prototype, 'isWellFormed', {
        value: isWellFormed,
        configurable: true,
        writable: true,
      });
    }
  }
});
