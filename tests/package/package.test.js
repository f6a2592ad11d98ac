// The package as its users get it: packed, installed into an empty folder without a network, and
// used in every way that they use packages.

import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'node_modules/.bin');
const KILOBYTE = 1000;
const FILES = [
  'LICENSE',
  'README.md',
  'dist/cli.mjs',
  'dist/errors.cjs',
  'dist/errors.mjs',
  'dist/fencelock.global.js',
  'dist/fencelock.html',
  'dist/fencelock.wasm',
  'dist/index.cjs',
  'dist/index.d.cts',
  'dist/index.d.ts',
  'dist/index.mjs',
  'dist/simulator.cjs',
  'dist/simulator.d.cts',
  'dist/simulator.d.ts',
  'dist/simulator.mjs',
  'package.json',
];

// What a user's first program does.
const LESSON = `
  const clock = new FakeClock();
  const locks = new LockService(clock, 10, 33);
  const storage = new FencedStorage();
  const slow = locks.acquire('file', 'client 1');
  clock.advance(10);
  const quick = locks.acquire('file', 'client 2');
  storage.write('file', 'new', quick);
  const accepted = storage.write('file', 'old', slow);
  const learnt = !accepted && storage.read('file') === 'new' && slow === 33 && quick === 34;`;
const REPORT = "console.log(learnt ? 'lesson learnt' : 'not learnt');";
const SIMULATION = `
  const { events } = simulate(presets[0].scenario);
  console.log(events.length > 10 ? 'simulated' : 'not simulated');`;

let folder; // with the package installed
let tarball;
let packed;

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  return { status, stdout, output: stdout + stderr };
}

function runNode(file, text) {
  writeFileSync(join(folder, file), text);
  return run(process.execPath, [file]).output.trim().split('\n');
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fencelock-package-'));
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = spawnSync('npm', pack, { cwd: ROOT, encoding: 'utf8' });
  [packed] = JSON.parse(stdout);
  tarball = join(folder, packed.filename);
  writeFileSync(join(folder, 'package.json'), '{ "name": "user", "private": true }\n');
  const install = run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball]);
  if (install.status !== 0) throw new Error(install.output);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('what is in it', () => {
  test('exactly the files that are needed', () => {
    expect(packed.files.map(({ path }) => path).sort()).toEqual([...FILES].sort());
  });

  test('nothing of where it was built', () => {
    for (const file of FILES) {
      const bytes = readFileSync(join(folder, 'node_modules/fencelock', file));
      expect([file, bytes.includes(ROOT)]).toEqual([file, false]);
    }
    for (const file of ['fencelock.wasm', 'simulator.wasm']) {
      expect(readFileSync(join(ROOT, 'build', file)).includes(ROOT)).toBe(false);
    }
  });

  test('no other package', () => {
    expect(
      readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ).toEqual(['fencelock']);
  });

  test('the WebAssembly is below 30 kB, and below 12 kB compressed', () => {
    const bytes = readFileSync(join(folder, 'node_modules/fencelock/dist/fencelock.wasm'));
    expect(bytes.length).toBeLessThan(30 * KILOBYTE);
    expect(gzipSync(bytes).length).toBeLessThan(12 * KILOBYTE);
  });

  test.each([
    ['mjs', ['index.mjs', 'errors.mjs']],
    ['cjs', ['index.cjs', 'errors.cjs']],
    ['a script', ['fencelock.global.js']],
  ])('the JavaScript, as %s, is below 60 kB with the WebAssembly in it', (_, files) => {
    const sizes = files.map(
      (file) => statSync(join(folder, 'node_modules/fencelock/dist', file)).size,
    );
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(60 * KILOBYTE);
  });

  test('publint finds nothing', () => {
    const { status, output } = run(join(BIN, 'publint'), [tarball, '--strict']);
    expect(output).toMatch(/All good!/);
    expect(status).toBe(0);
  });

  test('"are the types wrong?" finds nothing', () => {
    // Without node10, the resolution of TypeScript before 4.7, which knows nothing of exports.
    const options = ['--profile=node16', '--exclude-entrypoints=fencelock.wasm'];
    const { status, output } = run(join(BIN, 'attw'), [tarball, ...options]);
    expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' });
  });
});

describe('in Node', () => {
  test('as an ES module', () => {
    const imports = `
      import { FakeClock, FencedStorage, LockService } from 'fencelock';
      import { presets, simulate } from 'fencelock/simulator';`;
    expect(runNode('esm.mjs', imports + LESSON + REPORT + SIMULATION)).toEqual([
      'lesson learnt',
      'simulated',
    ]);
  });

  test('by require, with no await', () => {
    const requires = `
      const { FakeClock, FencedStorage, LockService } = require('fencelock');
      const { presets, simulate } = require('fencelock/simulator');`;
    expect(runNode('cjs.cjs', requires + LESSON + REPORT + SIMULATION)).toEqual([
      'lesson learnt',
      'simulated',
    ]);
  });

  test.each([
    [
      'import',
      'esm-raw.mjs',
      "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
    ],
    ['require', 'cjs-raw.cjs', ''],
  ])('the raw file and package.json can be found by %s', (_, file, prelude) => {
    const text = `${prelude}
      const file = require.resolve('fencelock/fencelock.wasm');
      const core = new WebAssembly.Module(require('fs').readFileSync(file));
      const names = WebAssembly.Module.exports(core).map(({ name }) => name);
      const wanted = ['acquire', 'renew', 'release', 'holder', 'write', 'read', 'highestToken'];
      console.log(wanted.every((name) => names.includes(name)));
      console.log(WebAssembly.Module.imports(core).map(({ module: from, name }) => from + '.' + name).join());
      console.log(require('fencelock/package.json').name);`;
    expect(runNode(file, text)).toEqual([
      'true',
      'env.emscripten_notify_memory_growth',
      'fencelock',
    ]);
  });

  test('each entry makes one instance, when it is first used, and both throw the same errors', () => {
    const text = `
      let instances = 0;
      const { Instance } = WebAssembly;
      WebAssembly.Instance = class extends Instance {
        constructor(...all) {
          super(...all);
          instances += 1;
        }
      };
      const { FakeClock, FencedStorage, FencelockError, LockService } = await import('fencelock');
      const { presets, simulate } = await import('fencelock/simulator');
      console.log(instances);
      for (let n = 0; n < 3; n += 1) new LockService(new FakeClock()), new FencedStorage();
      console.log(instances);
      for (let n = 0; n < 3; n += 1) simulate(presets[0].scenario);
      console.log(instances);
      try {
        simulate({});
      } catch (error) {
        console.log(error instanceof FencelockError, error.code);
      }`;
    expect(runNode('instances.mjs', text)).toEqual(['0', '1', '2', 'true INVALID_SCENARIO']);
  });

  test('nothing is left running', () => {
    const started = performance.now();
    runNode(
      'ends.mjs',
      `import { systemClock, LockService } from 'fencelock';
      new LockService(systemClock).acquire('lock', 'A');`,
    );
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

describe('in TypeScript', () => {
  const program = `
    import { FakeClock, FencedStorage, LockService, FencelockError, init, systemClock } from 'fencelock';
    import type { Clock, ErrorCode, Lease } from 'fencelock';
    import { simulate } from 'fencelock/simulator';
    const clock: Clock = Math.random() < 0.5 ? systemClock : new FakeClock(5);
    const locks: LockService = new LockService(clock, 10, 33);
    const token: number | null = locks.acquire('lock', 'A');
    const lease: Lease | null = locks.inspect('lock');
    const holder: string | null = locks.holder('lock');
    const all: [number, number, number] = [locks.size, locks.nextToken, locks.leaseSeconds];
    const storage = new FencedStorage({ rule: 'above' });
    const done: boolean = token !== null && storage.write('key', { any: 'thing' }, token) && storage.fence('key', 40);
    const highest: number | null = storage.highestToken('key');
    const code: ErrorCode = new FencelockError('DISPOSED', 'gone').code;
    const ready: Promise<void> = init();
    simulate({ version: 1, lease: 10, clients: [{ id: 'A' }] }).events.length.toFixed();
    locks.dispose();
    storage[Symbol.dispose]();
    { using short = new LockService(clock); short.acquire('lock', 'A'); }
    export { lease, holder, all, done, highest, code, ready };
    // @ts-expect-error: a name is a string
    locks.acquire(5, 'A');
    // @ts-expect-error: a token may be null, which is no token
    storage.write('key', 1, locks.acquire('lock', 'A'));
    // @ts-expect-error: read-only
    locks.nextToken = 5;
    // @ts-expect-error: there is no such rule
    new FencedStorage({ rule: 'below' });
    // @ts-expect-error: a clock gives a number
    new LockService({ now: () => 'late' });`;

  test.each([
    ['program.mts', 'node16', 'node16'],
    ['program.cts', 'node16', 'node16'],
    ['program.mts', 'nodenext', 'nodenext'],
    ['program.ts', 'esnext', 'bundler'],
  ])('%s, module %s, resolution %s', (file, module, resolution) => {
    writeFileSync(join(folder, file), program);
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'esnext,dom'];
    const resolve = ['--module', module, '--moduleResolution', resolution, '--types', ''];
    const { status, output } = run(join(BIN, 'tsc'), [...options, ...resolve, file]);
    expect(output).toBe('');
    expect(status).toBe(0);
  });
});

test('in Jest, with its default settings', () => {
  const text = `
    const { FakeClock, FencedStorage, LockService } = require('fencelock');
    test('lesson', () => {
      ${LESSON}
      expect(learnt).toBe(true);
      expect(() => locks.acquire(5, 'A')).toThrow(TypeError);
      storage.write('key', { list: [1] }, quick);
      expect(storage.read('key')).toStrictEqual({ list: [1] });
    });`;
  mkdirSync(join(folder, '__tests__'), { recursive: true });
  writeFileSync(join(folder, '__tests__/lesson.test.js'), text);
  const { status, output } = run(join(BIN, 'jest'), []);
  expect(output).toMatch(/Tests: +1 passed, 1 total/);
  expect(status).toBe(0);
});

// A page's globals, and nothing of Node's.
function browser(lines) {
  const names = ['TextEncoder', 'atob', 'structuredClone', 'performance', 'crypto'];
  const globals = Object.fromEntries(names.map((name) => [name, globalThis[name]]));
  return createContext({ ...globals, console: { log: (line) => lines.push(line) } });
}

describe('in a browser', () => {
  test('as part of an esbuild bundle', async () => {
    const entry = `
      import { FakeClock, FencedStorage, LockService } from 'fencelock';
      import { presets, simulate } from 'fencelock/simulator';
      ${LESSON} ${REPORT} ${SIMULATION}`;
    const { outputFiles, warnings } = await build({
      stdin: { contents: entry, resolveDir: folder },
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'iife',
    });
    expect(warnings).toEqual([]);
    const lines = [];
    runInContext(outputFiles[0].text, browser(lines));
    expect(lines).toEqual(['lesson learnt', 'simulated']);
  });

  test('what a bundle does not use, it does not hold', async () => {
    const { outputFiles } = await build({
      stdin: { contents: "import 'fencelock'; import 'fencelock/simulator';", resolveDir: folder },
      bundle: true,
      write: false,
      minify: true,
      format: 'esm',
      logLevel: 'silent',
    });
    expect(outputFiles[0].text.length).toBeLessThan(100);
  });

  test('as a script of its own', () => {
    const script = readFileSync(
      join(folder, 'node_modules/fencelock/dist/fencelock.global.js'),
      'utf8',
    );
    const lines = [];
    const page = browser(lines);
    runInContext(script, page);
    runInContext(
      `const { FakeClock, FencedStorage, LockService } = fencelock; ${LESSON} ${REPORT}`,
      page,
    );
    expect(lines).toEqual(['lesson learnt']);
  });
});
