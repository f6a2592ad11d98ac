// Compares the simulator natively (gcc -O3, one thread) and in WebAssembly: the same seeds of the
// same suites, in turn and in one run, which must give the same trace hash. `npm run bench:simulator`;
// BENCH_RUNS sets how many runs each gets, BENCH_SEEDS how many seeds a run has.

import { execFileSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { runSuite } from 'fencelock/simulator';

const RUNS = Number(process.env.BENCH_RUNS ?? 5);
const SEEDS = Number(process.env.BENCH_SEEDS ?? 2000);
const FOLDER = 'build/bench';

function build() {
  const configure = [
    '-S',
    'c',
    '-B',
    FOLDER,
    '-DCMAKE_BUILD_TYPE=Release',
    '-DCMAKE_C_COMPILER=gcc',
  ];
  execFileSync('cmake', configure, { stdio: ['ignore', 'ignore', 'inherit'] });
  const target = ['--build', FOLDER, '--target', 'fl_suite', '-j', '2'];
  execFileSync('cmake', target, { stdio: ['ignore', 'ignore', 'inherit'] });
}

function native(suite, fencing) {
  const parameters = ['--suite', suite, '--rule', fencing, '--seeds', String(SEEDS), '--seed', '1'];
  return JSON.parse(execFileSync(`${FOLDER}/tests/fl_suite`, parameters, { encoding: 'utf8' }));
}

function inWasm(suite, fencing) {
  const began = performance.now();
  const result = runSuite(suite, { fencing, seeds: SEEDS });
  return { ...result, seconds: (performance.now() - began) / 1000 };
}

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
const rate = (results) => median(results.map(({ events, seconds }) => events / seconds));
const millions = (number) => (number / 1e6).toFixed(2);

build();
console.log(
  'Million events a second        native    wasm    wasm / native (target: at least 0.5)',
);
for (const suite of ['chaos', 'drift']) {
  for (const fencing of ['at-least', 'above']) {
    const results = { native: [], wasm: [] };
    for (let run = 0; run < RUNS; run += 1) {
      results.native.push(native(suite, fencing));
      results.wasm.push(inWasm(suite, fencing));
    }
    const hashes = new Set(Object.values(results).flatMap((all) => all.map((r) => r.traceHash)));
    if (hashes.size !== 1) throw new Error(`the traces differ: ${[...hashes].join(', ')}`);
    const [a, b] = [rate(results.native), rate(results.wasm)];
    const name = `${suite}, ${fencing}`.padEnd(28);
    console.log(
      `${name} ${millions(a).padStart(8)} ${millions(b).padStart(7)} ${(b / a).toFixed(2).padStart(10)}`,
    );
  }
}
