// The chaos suites: no violation, every kind of fault at work, and the same everywhere.

import { explainFailure, runSuite, simulate, suiteScenario } from 'fencelock/simulator';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { compile, ROOT, run, sources } from './native.js';
import { pathToFileURL } from 'node:url';

const SEEDS = Number(process.env.FENCELOCK_SEEDS ?? 10_000);
const MINUTES = 5 * 60_000 * Math.max(1, SEEDS / 10_000);
const PAGE = pathToFileURL(path.join(ROOT, 'dist/fencelock.html')).href;

const CRASHES = ['client crash', 'service crash', 'storage crash'];

function printFaults(suite, faults) {
  const lines = faults.map(({ kind, injected, tookEffect }) =>
    [kind.padEnd(20), String(injected).padStart(10), String(tookEffect).padStart(12)].join(''),
  );
  const head = [
    'kind of fault'.padEnd(20),
    'injected'.padStart(10),
    'took effect'.padStart(12),
  ].join('');
  process.stderr.write(`\n${suite}\n${[head, ...lines].join('\n')}\n`);
}

/** Fails with the first failing seed shrunk and explained, so that nobody has to look for it. */
function explainAnyFailure({ suite, fencing, firstFailingSeed }) {
  if (firstFailingSeed === null) return;
  throw new Error(explainFailure(suite, firstFailingSeed, { fencing, page: PAGE }).text);
}

describe.each(['chaos', 'drift'])('%s', (suite) => {
  test.each(['at-least', 'above'])(
    `${SEEDS} seeds with the rule %s`,
    (fencing) => {
      const result = runSuite(suite, { fencing, seeds: SEEDS });
      explainAnyFailure(result);
      expect(result).toMatchObject({ seeds: SEEDS, violations: 0, firstFailingSeed: null });
      expect(result.events).toBeGreaterThan(100 * SEEDS);
      if (suite === 'drift') expect(result.judgedByI5).toBeGreaterThan(SEEDS / 5);
    },
    MINUTES,
  );

  test(
    'every kind of fault happened, and took effect',
    () => {
      const { faults } = runSuite(suite, { seeds: 2000 });
      printFaults(suite, faults);
      const required = faults.filter(({ kind }) => suite === 'chaos' || !CRASHES.includes(kind));
      expect(required.length).toBeGreaterThanOrEqual(10);
      for (const { kind, injected, tookEffect } of required) {
        expect([kind, injected > 0, tookEffect > 0]).toEqual([kind, true, true]);
      }
    },
    MINUTES,
  );

  test('a seed’s scenario, run by itself, is the run of the suite', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const { events, violations } = runSuite(suite, { seed, seeds: 1 });
      const trace = simulate(suiteScenario(suite, seed));
      expect([trace.events.length, trace.violations.length]).toEqual([events, violations]);
    }
  });
});

test('without fencing the chaos suite finds corrupted data', () => {
  const { violations, firstFailingSeed } = runSuite('chaos', { fencing: 'off', seeds: 500 });
  expect(violations).toBeGreaterThan(0);
  const trace = simulate(suiteScenario('chaos', firstFailingSeed, { fencing: 'off' }));
  expect(trace.violations[0].invariant).toBe('I2');
  expect(trace.events.some(({ stale }) => stale)).toBe(true);
});

describe('the same hash natively at -O0 and -O2, and in WebAssembly', () => {
  const folder = path.join(ROOT, 'build/sim');

  function buildAndRun(level, suite) {
    const program = path.join(folder, `fl_suite${level}`);
    compile([level, ...sources(), '-o', program]);
    const { stdout } = run(program, ['--suite', suite, '--seeds', '1000']);
    return JSON.parse(stdout).traceHash;
  }

  test.each(['chaos', 'drift'])(
    '%s',
    (suite) => {
      mkdirSync(folder, { recursive: true });
      const { traceHash } = runSuite(suite, { seeds: 1000 });
      expect(buildAndRun('-O0', suite)).toBe(traceHash);
      expect(buildAndRun('-O2', suite)).toBe(traceHash);
    },
    MINUTES,
  );
});
