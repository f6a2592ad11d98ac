// What a lock service answers: at once, or by a promise.

/**
 * A promise for an answer that is promised; undefined for one that is there. A foreign promise may
 * settle twice, or throw: what this gives does neither.
 */
export function promised(answer) {
  return typeof answer?.then === 'function' ? Promise.resolve(answer) : undefined;
}
