// Compares the package with plain JavaScript: `npm run bench`, or `node bench/locks.js FILTER`.
// Each load runs in child processes, ours and plain in turn, and the table shows the medians and
// their ratio (below 1 is faster, or smaller). BENCH_RUNS sets how many runs each gets.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const RUNS = Number(process.env.BENCH_RUNS ?? 5);
const ONE = fileURLToPath(new URL('one.js', import.meta.url));

// load, live locks, operations, target ratio
const rows = [
  ['acquire + release', 1e3, 2e6, 0.5],
  ['acquire + release', 1e5, 2e6, 0.3],
  ['acquire + release', 1e6, 2e6, 0.22],
  ['acquire + release', 5e6, 2e6, 0.3],
  ['renew', 1e3, 2e6, 0.6],
  ['renew', 1e6, 2e6, 0.28],
  ['renew', 5e6, 2e6, 0.38],
  ['acquire + write + renew + release', 1e3, 5e5, 0.6],
  ['acquire + write + renew + release', 1e6, 5e5, 0.33],
  ['churn', 1e6, 3e6, 0.28],
  ['churn', 5e6, 5e6, 0.3],
  ['a new client id each time', 1e3, 1e6, 1.0],
  ['resident bytes a lock', 5e6, 0, 0.3],
  ['longest operation, churn', 1e6, 3e6, 0.02],
  ['forced collection', 5e6, 0, 0.005],
];

function run(implementation, [load, live, operations]) {
  const parameters = ['--expose-gc', ONE, implementation, load, String(live), String(operations)];
  return Number(execFileSync(process.execPath, parameters, { encoding: 'utf8' }));
}

function median(numbers) {
  return numbers.sort((a, b) => a - b)[numbers.length >> 1];
}

const filter = process.argv[2] ?? '';
const columns = ['load', 'live', 'ours', 'plain', 'ratio', 'target'];
const line = (cells) =>
  console.log(cells.map((cell, index) => (index ? cell.padStart(9) : cell.padEnd(34))).join(' '));
line(columns);
for (const row of rows.filter(([load]) => load.includes(filter))) {
  const results = { ours: [], plain: [] };
  for (let index = 0; index < RUNS; index += 1) {
    for (const implementation of ['ours', 'plain']) {
      results[implementation].push(run(implementation, row));
    }
  }
  const ours = median(results.ours);
  const plain = median(results.plain);
  const [load, live, , target] = row;
  const ratio = (ours / plain).toFixed(3);
  line([load, live.toExponential(0), ours.toFixed(2), plain.toFixed(2), ratio, String(target)]);
}
