// The sentence that says what to try: of a scenario, and in the lesson also of what was tried.

import { presets } from '../simulation.js';

/** The random run to begin with: fencing makes a difference in it that is easy to see. */
export const FIRST_SEED = 23;

const OF_SEEDS =
  'Three clients, a 3-second lease, and faults drawn from a seed. See the next seed, or switch fencing off.';
const LESSONS = ['lesson', 'unfenced'];

const whole = (time) => `${Math.ceil(time)} s`;

/** What the lesson says next, once its pause no longer ends in a write that is rejected. */
function nextOfLesson({ model, verdict: { kind, writes } }) {
  const [late] = writes;
  const newer = late && model.leases.find(({ token }) => token > late.token);
  if (kind === 'late' && newer) {
    const when = `past ${whole(newer.from)}, when ${newer.token} is granted`;
    return `Late, but nobody newer had the lock. Drag the end ${when}.`;
  }
  const arrival = newer && model.writes.find(({ token }) => token === newer.token);
  if (kind === 'uncaught' && arrival) {
    const when = `past ${whole(arrival.time)}, when it is`;
    return `${newer.token} is granted, but was not yet at the storage. Drag the end ${when}.`;
  }
  const [pause] = model.absences;
  const lease = model.leases.find(({ client }) => client === pause?.node);
  if (kind === 'quiet' && pause?.kind === 'pause' && pause.to < lease?.planned) {
    return 'The pause ends before the lease does: no write is late. Drag its end out again.';
  }
  return '';
}

/** @returns {string} '' where there is nothing to say */
export function hintOf({ preset, suite }, run) {
  if (suite) return OF_SEEDS;
  const textOf = (name) => presets.find((one) => one.name === name)?.text ?? '';
  if (!LESSONS.includes(preset)) return textOf(preset);
  const { kind } = run.verdict;
  if (kind === 'corrupted') return textOf('unfenced');
  return (kind === 'fenced' ? '' : nextOfLesson(run)) || textOf('lesson');
}
