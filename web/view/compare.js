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

/** The number of the first event of a run that differs from the ghost, or else from the twin. */
export function differenceIn({ run, ghost, twin }) {
  const other = ghost ?? twin;
  return other ? firstDifference(run.model.events, other.model.events) : null;
}

/** When two runs part: at the earlier of the two events that differ, or null. */
export function differenceTime(events, others) {
  const at = firstDifference(events, others);
  return at === null ? null : Math.min(events[at]?.time ?? Infinity, others[at]?.time ?? Infinity);
}
