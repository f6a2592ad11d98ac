// A failure is a gift: what a failing seed is turned into for whoever has to find the cause.

import { describe } from './describe.js';
import { toLink } from './link.js';
import { shrink } from './shrink.js';
import { suiteScenario } from './simulator.js';

const MATTERS = new Set([
  'acquire',
  'release',
  'expire',
  'write',
  'fence',
  'trust',
  'distrust',
  'pause',
  'resume',
  'suspend',
  'wake',
  'crash',
  'restart',
  'partition',
  'heal',
  'clock-step',
]);

/** The events that matter; of a client that asks again and again, only the first refusal. */
function whatMatters(events) {
  const refused = new Set();
  return events.filter(({ kind, outcome, peer, reason }) => {
    if (kind !== 'acquire') return MATTERS.has(kind);
    if (outcome === 'granted') refused.clear();
    const asked = `${peer}: ${reason}`;
    const isNew = !refused.has(asked);
    if (outcome === 'refused') refused.add(asked);
    return isNew;
  });
}

/** A trace as lines of text: `all` of its events, or those that matter. */
export function story(trace, { all = false } = {}) {
  const { events } = trace;
  return (all ? events : whatMatters(events)).map((event) => {
    const mark = event.stale ? '!!' : event.outcome === 'rejected' ? 'x ' : '  ';
    return `${event.time.toFixed(3).padStart(9)} s  ${mark} ${describe(event, trace)}`;
  });
}

/** What a trace breaks, a line each. */
export function causes({ violations }) {
  return violations.map(
    ({ invariant, time, text }) => `${invariant} is broken at ${time} s: ${text}`,
  );
}

/** The part from # on of the address that opens a trace on the page, at its first violation. */
export function linkOf({ hash, violations }, document) {
  const { time = 0, sequence = -1 } = violations[0] ?? {};
  return toLink({ document, time, index: sequence + 1, hash });
}

const plural = (number, one) => `${number} ${one}${number === 1 ? '' : 's'}`;

/**
 * Shrinks a seed that fails, and explains it: gives the simplest scenario found with its trace, and a
 * text with the story, the cause, the command that replays it, and a link that opens it on the page.
 * Null when the seed does not fail.
 * @param {'chaos' | 'drift'} suite
 * @param {number} seed
 * @param {{ fencing?: string, page?: string, command?: string, onProgress?: Function }} [options]
 *   `page` is the address of the page; `command` replays the failure in place of the seed's own.
 */
export function explainFailure(suite, seed, options = {}) {
  const { fencing = 'at-least', page = 'fencelock.html', onProgress } = options;
  const small = shrink(suiteScenario(suite, seed, { fencing }), { onProgress });
  if (small === null) return null;
  const { scenario, trace, runs } = small;
  const { clients, faults = [] } = scenario;
  const { command = `npx fencelock run --suite ${suite} --seed ${seed} --fencing ${fencing}` } =
    options;
  const text = [
    `Seed ${seed} of ${suite} fails. Shrunk in ${plural(runs, 'run')} to ${plural(clients.length, 'client')}`,
    `and ${plural(faults.length, 'fault')}, its story is`,
    '',
    ...story(trace),
    '',
    ...causes(trace),
    '',
    `Replay it:  ${command}`,
    'The shrunk scenario on the page:',
    `${page}${linkOf(trace, scenario)}`,
  ].join('\n');
  return { scenario, trace, runs, text };
}
