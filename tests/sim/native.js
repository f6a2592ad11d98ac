// The simulator as a native program: its sources, and the compiler.

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../..');

const PROGRAM = 'tests/c/sim_suite.c';
// As in c/CMakeLists.txt: without fused multiply-add a run is the same everywhere.
const FLAGS = ['-std=c11', '-ffp-contract=off'];

/** All sources, as paths from the root. */
export function sources() {
  const inFolder = (folder) =>
    readdirSync(path.join(ROOT, folder))
      .filter((name) => name.endsWith('.c'))
      .map((name) => path.join(folder, name));
  return [...inFolder('c'), ...inFolder('c/sim'), PROGRAM];
}

/** Runs a command in the root; gives its exit code and what it printed. */
export function run(command, parameters) {
  const { status, stdout, stderr, error } = spawnSync(command, parameters, {
    encoding: 'utf8',
    cwd: ROOT,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

export function compile(parameters) {
  const { status, stderr } = run(process.env.CC ?? 'cc', [...FLAGS, ...parameters]);
  if (status !== 0) throw new Error(stderr);
}
