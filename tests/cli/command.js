// The command line, as a user runs it.

import { spawnSync } from 'node:child_process';

export const CLI = 'dist/cli.mjs';

export function fencelock(parameters, input) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...parameters], {
    encoding: 'utf8',
    input,
  });
  return { status, stdout, stderr };
}
