// The kinds of events that a history is judged by, and where they happen.

export const AT_SERVICE = new Set(['acquire', 'renew', 'release', 'expire']);
export const AT_STORAGE = new Set(['write', 'fence', 'read']);
export const AT_CLIENT = new Set(['trust', 'distrust']);
export const OF_NODES = new Set(['crash', 'suspend', 'wake', 'clock-step']);

// The outcomes that can be judged. Of any other (an error, a timeout) nobody knows what it did.
export const OUTCOMES = {
  acquire: ['granted', 'refused'],
  renew: ['ok', 'refused'],
  release: ['ok', 'refused'],
  write: ['accepted', 'rejected'],
  fence: ['accepted', 'rejected'],
};

/** Whether an event tells an outcome of which nobody knows what it did. */
export function isUnknown({ kind, outcome }) {
  return Object.hasOwn(OUTCOMES, kind) && !OUTCOMES[kind].includes(outcome);
}
