// Reads what the checker found (c/sim/invariants.h): three doubles, five words, then a byte each.

import { coreTables } from './tables.js';

const VIOLATION_SIZE = 48;

/**
 * @param {{ nodes: string[], locks: string[], keys: string[] }} names what its numbers stand for
 * @param {(time: number) => number} seconds of a time as the core counts it
 */
export function readViolations(buffer, address, count, names, seconds) {
  const view = new DataView(buffer, address, count * VIOLATION_SIZE);
  return Array.from({ length: count }, (_, i) =>
    readViolation(view, i * VIOLATION_SIZE, names, seconds),
  );
}

function readViolation(view, at, { nodes, locks, keys }, seconds) {
  const tables = coreTables();
  const kind = view.getUint8(at + 44);
  const token = view.getFloat64(at + 8, true);
  const other = view.getFloat64(at + 16, true);
  const named = (list, offset) => list[view.getUint32(at + offset, true)];
  const found = {
    invariant: tables.rules[kind],
    time: seconds(view.getFloat64(at, true)),
    sequence: view.getUint32(at + 24, true),
    node: named(nodes, 28),
    peer: named(nodes, 32),
    lock: named(locks, 36),
    key: named(keys, 40),
    token: token < 0 ? undefined : token,
    other: other < 0 ? undefined : other,
  };
  found.text = tables.violations[kind]
    .replace(other < 0 || token < 0 ? ', with tokens {token} and {other}' : '', '')
    .replaceAll(/ with token \{(\w+)\}/g, (told, name) => (found[name] === undefined ? '' : told))
    .replaceAll(/\{(\w+)\}/g, (_, name) => found[name] ?? 'none');
  for (const name of Object.keys(found)) if (found[name] === undefined) delete found[name];
  return found;
}
