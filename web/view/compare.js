// Where two runs part.

// Values and outcomes tell runs apart; sequence numbers merely follow.
const TOLD = [
  'time',
  'node',
  'kind',
  'peer',
  'message',
  'copy',
  'operation',
  'outcome',
  'token',
  'highest',
  'value',
  'until',
  'by',
  'reason',
  'stale',
];

// How long a fault is to last shows when it ends, and not before.
const PLANNED = new Set(['pause', 'suspend', 'crash', 'partition']);

export function sameEvent(a, b) {
  return TOLD.every((name) => a[name] === b[name] || (name === 'until' && PLANNED.has(a.kind)));
}

/** The number of the first event that differs, or null when the runs are the same. */
export function firstDifference(events, others) {
  const most = Math.max(events.length, others.length);
  for (let i = 0; i < most; i += 1) {
    if (!events[i] || !others[i] || !sameEvent(events[i], others[i])) return i;
  }
  return null;
}

/**
 * Where a run parts from another: { differsIn, differsAt }, the number of the first event that
 * differs, and when the earlier of the two happens; both null when the runs are the same.
 */
export function parting(events, others) {
  const differsIn = firstDifference(events, others);
  const timeOf = (list) => list[differsIn]?.time ?? Infinity;
  const differsAt = differsIn === null ? null : Math.min(timeOf(events), timeOf(others));
  return { differsIn, differsAt };
}
