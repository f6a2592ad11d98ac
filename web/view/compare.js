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
  'reason',
  'stale',
];

export function sameEvent(a, b) {
  return TOLD.every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));
}

/** The number of the first event that differs, or null when the runs are the same. */
export function firstDifference(events, others) {
  const most = Math.max(events.length, others.length);
  for (let i = 0; i < most; i += 1) {
    if (!events[i] || !others[i] || !sameEvent(events[i], others[i])) return i;
  }
  return null;
}
