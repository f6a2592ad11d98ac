// The map: pause start against pause length, each cell told by what becomes of it.

import { clean, withFault, withNewFault } from '../edits.js';

export const OUTCOMES = {
  kept: { sign: '', text: 'in order' },
  lost: { sign: '·', text: 'in order, though the lease is lost while its holder believes in it' },
  repeated: { sign: '=', text: 'a copy of a write comes late, and is answered as before' },
  rejected: { sign: '×', text: 'a stale write is rejected' },
  uncaught: { sign: '!', text: 'a late write is accepted: the newer token has not been there' },
  broken: { sign: '#', text: 'a promise is broken' },
  corrupted: { sign: '■', text: 'a stale write is accepted' },
};

/** Those of the outcomes that are explained wherever a map is; the others only where they occur. */
const ALWAYS = ['kept', 'lost', 'rejected', 'corrupted'];

export function outcomesShown(rows) {
  const found = new Set([...ALWAYS, ...rows.flat()]);
  return Object.keys(OUTCOMES).filter((name) => found.has(name));
}

/** How many cells, so that each has room for a finger: a picture `wide` or narrow, `low` or not. */
export const gridSize = ({ wide, low }) => ({
  columns: wide ? 24 : 12,
  rows: wide && !low ? 12 : 8,
});

/** The client whose pause is varied, and which fault that is; a pause is added where none is. */
export function variedPause(document) {
  const faults = document.faults ?? [];
  const index = faults.findIndex((fault) => fault.kind === 'pause');
  if (index >= 0) return { index, node: faults[index].node, document };
  const node = document.clients[0].id;
  const pause = { kind: 'pause', node, from: 0, to: 0.01 };
  return { index: faults.length, node, document: withNewFault(document, pause) };
}

/** The grid of a document, of a size: which starts, which lengths, longest first. */
export function gridOf(document, { columns, rows }) {
  const lease = document.lease ?? 10;
  const tidy = (step) => {
    const size = 10 ** Math.floor(Math.log10(step));
    return clean([1, 2, 2.5, 5, 10].find((one) => one * size >= step * 0.999) * size);
  };
  const across = tidy((lease * 1.2) / columns);
  const up = tidy((lease * 2) / rows);
  return {
    starts: Array.from({ length: columns }, (_, i) => clean(i * across)),
    lengths: Array.from({ length: rows }, (_, i) => clean((rows - i) * up)),
  };
}

/** The scenario of one cell. */
export function cellDocument(pause, start, length) {
  return withFault(pause.document, pause.index, { from: start, to: clean(start + length) });
}

/** What became of a run. */
export function outcomeOf(run) {
  const { kind } = run.verdict;
  if (kind === 'fenced') return 'rejected';
  if (OUTCOMES[kind]) return kind;
  return run.model.gaps.some((gap) => gap.to - gap.from > 0.001) ? 'lost' : 'kept';
}
