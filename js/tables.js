// The names of what the simulator's core counts: it keeps the only list of them.

import { outOfRange } from './errors.js';
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

/** The core's number for what an option names; throws for what is in no row of its table. */
export function optionNumber(option, value, table = option) {
  const texts = coreTables()[table];
  const number = texts.indexOf(value);
  if (number < 0) throw outOfRange('INVALID_OPTIONS', option, texts.join(' or '), value);
  return number;
}
