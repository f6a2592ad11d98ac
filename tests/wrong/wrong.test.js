// Proof that the suites can fail: each wrong variant is caught, by the invariant that is named.

import { beforeAll, describe, expect, test } from '@jest/globals';
import { variants } from './variants.js';
import { buildBase, buildVariant, runUntilCaught } from './runner.js';

const SEEDS_MAX = 10_000;
const MINUTES = 5;

const rows = [];
let base;

function row(columns) {
  const widths = [44, 9, 6, 9, 6];
  return columns.map((column, i) => String(column ?? '-').padEnd(widths[i])).join(' ');
}

function printTable() {
  const head = row(['wrong variant', 'caught by', 'suite', 'rule', 'seeds']);
  process.stderr.write(`\n${[head, ...rows].join('\n')}\n\n`);
}

beforeAll(() => {
  base = buildBase();
}, MINUTES * 60_000);

describe('the suites on variants', () => {
  test('there are at least 14 wrong ones, and one harmless', () => {
    expect(variants.filter(({ invariant }) => invariant !== null).length).toBeGreaterThanOrEqual(
      14,
    );
    expect(variants.filter(({ invariant }) => invariant === null)).toHaveLength(1);
  });

  test.each(variants.map((variant, i) => [variant.name, i, variant]))(
    '%s',
    (name, i, variant) => {
      const { invariant, suite, rule, seeds } = runUntilCaught(
        buildVariant(base, i, variant),
        SEEDS_MAX,
      );
      rows.push(row([name, invariant, suite, rule, seeds]));
      expect(invariant ?? null).toBe(variant.invariant);
    },
    MINUTES * 60_000,
  );

  test('the table', () => {
    printTable();
    expect(rows).toHaveLength(variants.length);
  });

  test('a text that is not found any more is an error', () => {
    const gone = { edits: [['lock_service.c', 'a text that is not there', '']] };
    expect(() => buildVariant(base, 'gone', gone)).toThrow(
      /expected this text once, found it 0 times/,
    );
  });
});
