// What must hold for a whole process: each test runs in one of its own, with the collector in reach.

import { spawnSync } from 'node:child_process';

const NAMES = Number(process.env.FENCELOCK_NAMES ?? 1e7);
const MEBIBYTE = 2 ** 20;

/** Runs a module's text; it prints one JSON value. `memory` in it is the core's. */
function run(text) {
  const prelude = `
    let memory;
    const { Instance } = WebAssembly;
    let instances = 0;
    WebAssembly.Instance = class extends Instance {
      constructor(...all) { super(...all); memory = this.exports.memory; instances += 1; }
    };
    const { FakeClock, FencedStorage, LockService } = await import('fencelock');
    const collect = async () => {
      for (let round = 0; round < 5; round += 1) {
        gc();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };`;
  const options = ['--expose-gc', '--input-type=module', '--eval', prelude + text];
  const { status, stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

test('20,000 services and storages, alive at once, are one instance', () => {
  const result = run(`
    const clock = new FakeClock();
    const services = [];
    const storages = [];
    for (let index = 0; index < 20000; index += 1) {
      services.push(new LockService(clock, 10, index));
      storages.push(new FencedStorage());
    }
    const good = services.every((service, index) =>
      service.acquire('lock', 'client ' + index) === index &&
      service.holder('lock') === 'client ' + index &&
      storages[index].write('key', index, index) && storages[index].read('key') === index);
    console.log(JSON.stringify({ good, instances, bytes: memory.buffer.byteLength }));`);
  expect(result.good).toBe(true);
  expect(result.instances).toBe(1);
  expect(result.bytes).toBeLessThan(200 * MEBIBYTE);
});

test.each([
  ['dropped', '', 'await collect();'],
  ['disposed of', 'service.dispose(); storage[Symbol.dispose]();', ''],
])('services and storages that are %s are freed', (_, dispose, collect) => {
  const sizes = run(`
    const sizes = [];
    for (let round = 0; round < 6; round += 1) {
      for (let index = 0; index < 4000; index += 1) {
        const service = new LockService(new FakeClock());
        const storage = new FencedStorage();
        service.acquire('lock', 'client');
        storage.write('key', 'value', 1);
        ${dispose}
      }
      ${collect}
      sizes.push(memory.buffer.byteLength);
    }
    console.log(JSON.stringify(sizes));`);
  expect(sizes.at(-1)).toBe(sizes[1]);
});

test.each([
  [
    'released',
    "if (index >= 1000) service.release('name ' + (index - 1000), 'client', index - 999);",
  ],
  ['left to expire', 'clock.advance(0.01);'], // of a lease of 10, with 1,000 in between
])(`${NAMES} names, 1,000 of them live at a time and %s, take no more memory`, (_, after) => {
  const result = run(`
    const clock = new FakeClock();
    const service = new LockService(clock, 10);
    const sizes = [];
    let index = 0;
    for (const goal of [${NAMES / 10}, ${NAMES}]) {
      for (; index < goal; index += 1) {
        service.acquire('name ' + index, 'client');
        ${after}
      }
      await collect();
      const { heapUsed } = process.memoryUsage();
      sizes.push({ core: memory.buffer.byteLength, heapUsed, live: service.size });
    }
    console.log(JSON.stringify(sizes));`);
  const [early, late] = result;
  expect(late.core).toBeLessThanOrEqual(early.core);
  expect(late.heapUsed - early.heapUsed).toBeLessThan(MEBIBYTE / 2);
  expect([early.live, late.live].every((live) => live >= 999 && live <= 1001)).toBe(true);
});

test('leases that were held are freed', () => {
  const [early, late] = run(`
    const { hold, systemClock, withLock } = await import('fencelock');
    const locks = new LockService(systemClock, 3);
    const sizes = [];
    for (const count of [1000, 150000]) {
      for (let index = 0; index < count; index += 1) {
        const lease = await hold(locks, 'lock', 'A');
        await lease.release();
      }
      await withLock(locks, 'lock', 'A', () => {});
      await collect();
      sizes.push({ core: memory.buffer.byteLength, heapUsed: process.memoryUsage().heapUsed });
    }
    console.log(JSON.stringify(sizes));`);
  expect(late.core).toBeLessThanOrEqual(early.core);
  expect(late.heapUsed - early.heapUsed).toBeLessThan(MEBIBYTE);
});

test('as many client ids take no more memory', () => {
  const [early, late] = run(`
    const service = new LockService(new FakeClock());
    const sizes = [];
    let index = 0;
    for (const goal of [${NAMES / 100}, ${NAMES / 10}]) {
      for (; index < goal; index += 1) {
        const id = 'client ' + index;
        service.release('lock', id, service.acquire('lock', id));
      }
      await collect();
      sizes.push({ core: memory.buffer.byteLength, heapUsed: process.memoryUsage().heapUsed });
    }
    console.log(JSON.stringify(sizes));`);
  expect(late.core).toBeLessThanOrEqual(early.core);
  expect(late.heapUsed - early.heapUsed).toBeLessThan(MEBIBYTE / 2);
});

// 65,536 pages of 64 KiB, and 320 in as many bytes: what the module's memory may grow to.
const LIMIT_4_GIB = [0x80, 0x80, 0x04];
const LIMIT_20_MIB = [0xc0, 0x82, 0x00];

test.each([
  ['many names', 'const name = (n) => "name " + n;'],
  ['long names', 'const name = (n) => n + "x".repeat(2 ** 18);'],
])('when memory runs out by %s, every lease and value is as before', (_, makeName) => {
  const result = run(`
    const { Module } = WebAssembly;
    WebAssembly.Module = function (bytes) {
      const at = Buffer.from(bytes).indexOf(Buffer.from([${LIMIT_4_GIB}]));
      bytes.set([${LIMIT_20_MIB}], at);
      return new Module(bytes);
    };
    ${makeName}
    const service = new LockService(new FakeClock());
    const storage = new FencedStorage();
    service.acquire('lock', 'A');
    storage.write('key', 'value', 1);
    const fill = (fillOne) => {
      for (let n = 0; n < 1e7; n += 1) {
        try { fillOne(name(n), n + 2); } catch ({ code, name }) { return { n, code, name }; }
      }
    };
    const ends = [
      fill((name, token) => { if (service.acquire(name, 'A') !== token) throw new Error(name); }),
      fill((name, token) => { if (!storage.write(name, token, token)) throw new Error(name); }),
    ];
    const tooLong = 'x'.repeat(2 ** 24);
    for (const call of [
      () => service.acquire(tooLong, 'A'),
      () => service.acquire('other', tooLong),
      () => service.renew('lock', tooLong, 1),
      () => service.holder(tooLong),
      () => storage.write(tooLong, 1, 1),
      () => storage.fence(tooLong, 1),
      () => storage.read(tooLong),
    ]) {
      try { call(); ends.push(null); } catch ({ code, name }) { ends.push({ code, name }); }
    }
    let good = service.size === ends[0].n + 1 && service.nextToken === ends[0].n + 2;
    for (let n = 0; n < ends[0].n; n += 1) good &&= service.inspect(name(n)).token === n + 2;
    for (let n = 0; n < ends[1].n; n += 1) good &&= storage.read(name(n)) === n + 2;
    const still = [service.holder('lock'), service.renew('lock', 'A', 1), storage.read('key')];
    const freed = service.release('lock', 'A', 1);
    console.log(JSON.stringify({ ends, good, still, freed }));`);
  const { ends, good, still, freed } = result;
  for (const { code, name } of ends) expect([code, name]).toEqual(['OUT_OF_MEMORY', 'RangeError']);
  expect([good, still, freed]).toEqual([true, ['A', true, 'value'], true]);
});

const internal = {
  name: 'FencelockError',
  code: 'INTERNAL',
  message: expect.stringMatching(
    /^the core stopped, and can't be used any more in this process: ./,
  ),
  cause: 'RuntimeError',
};

test('a core that is broken says so, once and for good', () => {
  const result = run(`
    const clock = new FakeClock();
    const service = new LockService(clock);
    const other = new FencedStorage();
    service.acquire('lock', 'A');
    new Uint8Array(memory.buffer).fill(0xff, 16384);
    const errors = [];
    const note = (call) => {
      try { call(); errors.push(null); } catch (error) {
        const { name, code, message, cause } = error;
        errors.push({ name, code, message, cause: cause?.name });
      }
    };
    note(() => service.acquire('lock', 'A'));
    note(() => service.holder('lock'));
    note(() => service.nextToken);
    note(() => other.read('key'));
    note(() => new LockService(clock));
    note(() => service.dispose());
    console.log(JSON.stringify(errors));`);
  expect(result).toEqual([...Array(5).fill(internal), null]);
});

test.each([
  ['disposed of', 'note(() => locks[0].dispose()); note(() => storages[0].dispose());', true],
  ['collected', '', false],
])('the same when what is %s is the first to meet it', (_, dispose, isTold) => {
  const result = run(`
    const clock = new FakeClock();
    let locks = Array.from({ length: 10 }, () => new LockService(clock));
    let storages = locks.map(() => new FencedStorage());
    locks.forEach((service) => service.acquire('a name that is longer than most', 'A'));
    storages.forEach((storage) => storage.write('a key that is longer than most', 'A', 1));
    const last = new FencedStorage();
    new Uint8Array(memory.buffer).fill(0xff, 16384);
    const errors = [];
    const note = (call) => {
      try { call(); errors.push(null); } catch (error) {
        const { name, code, message, cause } = error;
        errors.push({ name, code, message, cause: cause?.name });
      }
    };
    ${dispose}
    locks = storages = undefined;
    await collect();
    note(() => last.read('key'));
    console.log(JSON.stringify(errors));`);
  expect(result).toEqual(isTold ? [internal, null, internal] : [internal]);
});

// A call that an overflow of the stack cut off may have left anything behind: nothing may be lost
// without a word.
test.each([140, 174, 220])('a stack that overflows in the core, at %i kB', (kilobytes) => {
  const program = [`--stack-size=${kilobytes}`, 'tests/spec/stack-overflow.js'];
  const { stdout } = spawnSync(process.execPath, program, { encoding: 'utf8' });
  expect(['INTERNAL', 'kept']).toContain(stdout.trim());
});

test('where WebAssembly may not be compiled, the error says what to allow', () => {
  const result = run(`
    WebAssembly.Module = class { constructor() { throw new WebAssembly.CompileError('refused'); } };
    WebAssembly.compile = async () => { throw new WebAssembly.CompileError('refused'); };
    const { init } = await import('fencelock');
    const errors = [];
    try { new LockService(new FakeClock()); } catch (error) { errors.push(error); }
    await init().catch((error) => errors.push(error));
    console.log(JSON.stringify(errors.map(({ code, message }) => [code, message])));`);
  expect(result).toHaveLength(2);
  for (const [code, message] of result) {
    expect(code).toBe('NO_WEBASSEMBLY');
    expect(message).toMatch('wasm-unsafe-eval');
  }
});
