// Undo and redo: two stacks about the present entry, which is a scenario document and what it was
// loaded as. A drag is one entry, and so is loading another document.

const LONGEST = 200;

export function createHistory(present) {
  return { past: [], present, future: [] };
}

/** The history once `present` has been edited into `next`. */
export function edited(history, next) {
  const past = [...history.past, history.present].slice(-LONGEST);
  return { past, present: next, future: [] };
}

/** The same entry, changed further, as while a drag goes on. */
export function amended(history, next) {
  return { ...history, present: next };
}

export function undone(history) {
  if (history.past.length === 0) return history;
  const present = history.past.at(-1);
  return {
    past: history.past.slice(0, -1),
    present,
    future: [history.present, ...history.future],
  };
}

export function redone(history) {
  if (history.future.length === 0) return history;
  const [present, ...future] = history.future;
  return { past: [...history.past, history.present], present, future };
}
