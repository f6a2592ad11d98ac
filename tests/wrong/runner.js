// Builds wrong variants from copies of the sources, and runs the suites on them until one is caught.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compile, ROOT, run, sources } from '../sim/native.js';

const FOLDER = path.join(ROOT, 'build/wrong');
const FLAGS = ['-O2', `-I${path.join(ROOT, 'c')}`];

function objectOf(folder, source) {
  return path.join(folder, source.replaceAll('/', '_').replace(/\.c$/, '.o'));
}

/** Compiles the sources as they are; gives the object of each. */
export function buildBase() {
  const folder = path.join(FOLDER, 'base');
  mkdirSync(folder, { recursive: true });
  const objects = new Map();
  for (const source of sources()) {
    objects.set(source, objectOf(folder, source));
    compile([...FLAGS, '-c', source, '-o', objects.get(source)]);
  }
  return objects;
}

/** The text of a source with its edits made. An edit that does not fit exactly once is an error. */
function edited(source, edits) {
  let text = readFileSync(path.join(ROOT, source), 'utf8');
  for (const [from, to] of edits) {
    const found = text.split(from).length - 1;
    if (found !== 1) {
      throw new Error(`${source}: expected this text once, found it ${found} times:\n${from}`);
    }
    text = text.replace(from, () => to);
  }
  return text;
}

/** Builds a variant; gives the path of its program. */
export function buildVariant(base, number, { edits }) {
  const folder = path.join(FOLDER, String(number));
  mkdirSync(folder, { recursive: true });
  const objects = new Map(base);
  for (const file of new Set(edits.map(([name]) => name))) {
    const source = path.join('c', file);
    const own = edits.filter(([name]) => name === file).map(([, ...edit]) => edit);
    // The copy includes its headers as if it lay where the original does.
    const copy = path.join(folder, path.basename(file));
    writeFileSync(copy, edited(source, own));
    objects.set(source, objectOf(folder, source));
    const beside = `-I${path.join(ROOT, path.dirname(source))}`;
    compile([...FLAGS, beside, '-c', copy, '-o', objects.get(source)]);
  }
  const program = path.join(folder, 'fl_suite');
  compile([...objects.values(), '-o', program]);
  return program;
}

const ROUNDS = ['at-least', 'above'].flatMap((rule) =>
  ['chaos', 'drift'].map((suite) => [suite, rule]),
);

/**
 * Runs the suites in turns, ever more seeds of each, until a violation.
 * @returns {{ invariant?: string, suite?: string, rule?: string, seeds: number }} `seeds` of the suite
 * that caught it, or of each that did not
 */
export function runUntilCaught(program, mostSeeds) {
  for (let done = 0, next = 100; done < mostSeeds; done = next, next *= 10) {
    const seeds = Math.min(next, mostSeeds) - done;
    for (const [suite, rule] of ROUNDS) {
      const range = ['--seed', String(done + 1), '--seeds', String(seeds)];
      const args = ['--suite', suite, '--rule', rule, ...range, '--until-violation'];
      const { status, stdout, stderr } = run(program, args);
      if (status !== 0 && status !== 1) throw new Error(`exit ${status}: ${stderr}`);
      const { invariant, seeds: tried } = JSON.parse(stdout);
      if (status === 1) return { invariant, suite, rule, seeds: done + tried };
    }
  }
  return { seeds: mostSeeds };
}
