// Which browser the tests, the pictures and the measurements of the page use: the one that
// FENCELOCK_BROWSER names, or else the first of these that is there.

import { spawnSync } from 'node:child_process';

export const BROWSERS = process.env.FENCELOCK_BROWSER
  ? [process.env.FENCELOCK_BROWSER]
  : ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of the browser; throws where there is none. */
export function findBrowser() {
  for (const name of BROWSERS) {
    const { status, stdout } = spawnSync('sh', ['-c', 'command -v "$1"', 'sh', name]);
    if (status === 0) return stdout.toString().trim();
  }
  throw new Error(`no browser: none of ${BROWSERS.join(', ')} is on the PATH`);
}
