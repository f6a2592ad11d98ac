// Exits with 0 when node_modules holds what package-lock.json says, else with 1.

import { readFileSync } from 'node:fs';

function packages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return {};
  }
}

const wanted = packages('package-lock.json');
const installed = packages('node_modules/.package-lock.json');
const missing = Object.entries(wanted).filter(
  ([path, { version, optional, link }]) =>
    path !== '' && !link && installed[path]?.version !== version && !(optional && !installed[path]),
);
process.exitCode = missing.length === 0 ? 0 : 1;
