// What a broken rule is in plain words: who, from when to when, and what came of it.

import { clock } from './text.js';

const TITLES = {
  I1: 'A wrong grant.',
  I2: 'Changed out of order.',
  I3: 'A lost update.',
  I4: 'Two holders.',
  I5: 'Lost without need.',
  I6: 'Nobody gets the lock.',
};

export function brokenTitle({ violations: [{ invariant, peer }] }) {
  if (invariant === 'I1' && peer) return 'Granted twice.';
  return TITLES[invariant] ?? 'A rule is broken.';
}

/** From when to when two clients trusted the lock at once: [from, to], or null. */
export function overlapOf(model, { node, peer, token, other, time }) {
  const trustOf = (client, held) =>
    model.beliefs.find(
      (one) =>
        one.client === client &&
        (held === undefined || one.token === held) &&
        one.from <= time &&
        one.to >= time,
    );
  const [one, two] = [trustOf(node, token), trustOf(peer, other)];
  if (!one || !two) return null;
  const [from, to] = [Math.max(one.from, two.from), Math.min(one.to, two.to)];
  return from < to ? [from, to] : null;
}

/** Why the one that should have let go held on, where that was its clock. */
function clockAtFault(model, { node, peer, token, other }) {
  const older = token < other ? node : peer;
  const rate = model.scenario?.clients.find(({ id }) => id === older)?.clock?.rate ?? 1;
  return rate < 1 ? `: ${older}’s clock is slower than the allowed clock skew makes up for` : '';
}

function twoHolders(model, violation) {
  const { node, peer, lock, time } = violation;
  const overlap = overlapOf(model, violation);
  const when = overlap
    ? `From ${clock(overlap[0])} s to ${clock(overlap[1])} s`
    : `At ${clock(time)} s`;
  const why = clockAtFault(model, violation);
  return `${when} both ${node} and ${peer} trusted ${lock}${why}.`;
}

/** The first violation in words; of a history with its rule, as the list of those judged has it. */
export function brokenWords(model) {
  const [violation] = model.violations;
  const { invariant, time, text } = violation;
  const words = invariant === 'I4' ? twoHolders(model, violation) : `At ${clock(time)} s ${text}.`;
  return model.judged ? `${words} (${invariant})` : words;
}

/** When it was, or from when to when. */
export function brokenGist(model) {
  const [violation] = model.violations;
  const overlap = violation.invariant === 'I4' ? overlapOf(model, violation) : null;
  return overlap
    ? `${clock(overlap[0])} s to ${clock(overlap[1])} s`
    : `At ${clock(violation.time)} s`;
}

/** What came of an accepted stale write that a later value knew nothing of. */
export function lostUpdate(model, { time, key }) {
  const lost = model.violations.find(
    (one) => one.invariant === 'I3' && one.key === key && one.time > time,
  );
  if (!lost) return '';
  return ` At ${clock(lost.time)} s ${lost.node}’s value, computed from the old one, replaces it.`;
}
