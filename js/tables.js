// The names of what the simulator's core counts: it keeps the only list of them.

import { loadCore, textAt } from './simulator-wasm.js';

// In the order of simulatorText (c/wasm/simulator_exports.c).
const TABLES = [
  'events',
  'operations',
  'outcomes',
  'reasons',
  'faults',
  'fencing',
  'suites',
  'tally',
  'rules',
  'violations',
];

let tables;

/** The tables by name, each a list of texts. */
export function coreTables() {
  if (tables !== undefined) return tables;
  const core = loadCore();
  tables = Object.fromEntries(
    TABLES.map((name, table) => {
      const texts = [];
      for (let at; (at = core.simulatorText(table, texts.length)) !== 0;) texts.push(textAt(at));
      return [name, texts];
    }),
  );
  return tables;
}
