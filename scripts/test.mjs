// Runs the test suites, all or those named as arguments, and tells how many tests ran in each.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { BROWSERS } from './browser.mjs';

const RESULTS = 'build/test';
const NATIVE = {
  gcc: { compiler: 'gcc', packages: ['gcc', 'libc6-dev'], buildType: 'Release' },
  clang: { compiler: 'clang', packages: ['clang', 'libc6-dev'], buildType: 'Release' },
  sanitizers: {
    compiler: 'gcc',
    packages: ['gcc', 'libc6-dev'],
    buildType: 'Debug',
    flags: '-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer',
  },
};

const results = []; // { suite, passed, failed, skipped, reason? }

function run(command, args, options = {}) {
  return spawnSync(command, args, { stdio: 'inherit', encoding: 'utf8', ...options });
}

function isThere(command) {
  return spawnSync('sh', ['-c', 'command -v "$1"', 'sh', command]).status === 0;
}

/** Finds or installs a command; gives the reason why it can't be had, else null. */
function need(command, packages) {
  const { status, stderr } = run('scripts/need.sh', [command, ...packages], {
    stdio: ['inherit', 'inherit', 'pipe'],
  });
  return status === 0 ? null : stderr.trim();
}

function skip(suite, reason) {
  results.push({ suite, passed: 0, failed: 0, skipped: 1, reason });
}

function runNative(name) {
  const suite = `c-${name}`;
  const { compiler, packages, buildType, flags = '' } = NATIVE[name];
  const reason = need(compiler, packages);
  if (reason !== null) return skip(suite, reason);
  const folder = `build/${suite}`;
  const quiet = { stdio: ['inherit', 'pipe', 'inherit'] };
  const configure = ['-S', 'c', '-B', folder, '-G', 'Ninja', `-DCMAKE_C_COMPILER=${compiler}`];
  configure.push(`-DCMAKE_BUILD_TYPE=${buildType}`, `-DCMAKE_C_FLAGS=${flags}`);
  let tests = { status: 1, stdout: '' };
  const built =
    (existsSync(`${folder}/build.ninja`) || run('cmake', configure, quiet).status === 0) &&
    run('cmake', ['--build', folder], quiet);
  if (built && built.status !== 0) process.stdout.write(built.stdout);
  if (built && built.status === 0) {
    tests = run('ctest', ['--test-dir', folder, '--output-on-failure', '-j', '2'], quiet);
    process.stdout.write(tests.stdout);
  }
  const [, failed, total] = /(\d+) tests failed out of (\d+)/.exec(tests.stdout) ?? [0, 1, 1];
  results.push({ suite, passed: total - failed, failed: Number(failed), skipped: 0 });
}

function runJest(suite) {
  const folder = `tests/${suite}`;
  if (!readdirSync(folder).some((file) => file.endsWith('.test.js'))) return;
  const output = `${RESULTS}/${suite}.json`;
  rmSync(output, { force: true });
  const node = ['--no-warnings', '--experimental-vm-modules', 'node_modules/jest/bin/jest.js'];
  const { status } = run(process.execPath, [...node, folder, '--json', `--outputFile=${output}`], {
    stdio: ['inherit', 'ignore', 'inherit'],
  });
  const counts = existsSync(output) ? JSON.parse(readFileSync(output, 'utf8')) : {};
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, numTodoTests = 0 } = counts;
  const failed = status === 0 ? numFailedTests : Math.max(1, numFailedTests);
  results.push({ suite, passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests });
}

/** A suite that compiles the core natively. */
function runCompiling(suite) {
  const reason = need('cc', ['gcc', 'libc6-dev']);
  if (reason !== null) return skip(suite, reason);
  runJest(suite);
}

function runWeb() {
  const browser = BROWSERS.find(isThere) ?? BROWSERS[0];
  const reason = need(browser, ['chromium', 'fonts-dejavu-core']);
  if (reason !== null) return skip('web', reason);
  runJest('web');
}

const SUITES = {
  c: () => Object.keys(NATIVE).forEach(runNative),
  spec: () => runJest('spec'),
  sim: () => runCompiling('sim'),
  chaos: () => runJest('chaos'),
  wrong: () => runCompiling('wrong'),
  history: () => runJest('history'),
  cli: () => runJest('cli'),
  package: () => runJest('package'),
  web: runWeb,
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in SUITES));
if (unknown.length > 0) {
  console.error(
    `error: no suite ${unknown.join(', ')}; there are ${Object.keys(SUITES).join(', ')}`,
  );
  process.exit(2);
}

mkdirSync(RESULTS, { recursive: true });
for (const name of names.length > 0 ? names : Object.keys(SUITES)) {
  console.log(`\n== ${name}`);
  SUITES[name]();
}

console.log('\nTests in each suite:');
for (const { suite, passed, failed, skipped, reason } of results) {
  if (reason !== undefined) console.log(`${suite} was skipped: ${reason}`);
  console.log(`${suite}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
}
// On a CI machine a suite that could not run has failed.
const bad = results.filter(({ failed, reason }) => failed > 0 || (process.env.CI && reason));
process.exitCode = bad.length > 0 || results.length === 0 ? 1 : 0;
