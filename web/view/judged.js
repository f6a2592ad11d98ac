// What a history that was opened was judged by, in words: that nothing was found says no more.

import { whatWasJudged } from '../../js/judged.js';
import { lateBy } from './text.js';

const count = (number, one) => `${number.toLocaleString('en-US')} ${one}${number === 1 ? '' : 's'}`;

/**
 * @returns {{ short: string, judged: string[], notJudged: string[] } | null} null for a run of our own,
 *   which is judged by all that its scenario promises
 */
export function judgedWords({ model: { judged: counts, violations, events }, trace }) {
  if (!counts) return null;
  const { judged, notJudged } = whatWasJudged({ judged: counts });
  const found = trace.violationCount ?? violations.length;
  const result = found > 0 ? count(found, 'violation') : 'No violation';
  const from = trace.startTime ? ` Times count from ${trace.startTime} s.` : '';
  const what = judged.length > 0 ? 'What was judged, and what not' : 'Nothing could be judged';
  const short = `${result} in ${count(events.length, 'event')}.${from} ${what}`;
  return { short, judged, notJudged };
}

/**
 * What was found at an event, by the event's number, `brief` and in full: in a history the rules that
 * are broken, and of each run the accepted writes that came late or from an old value.
 */
export function findingsOf(model) {
  const { judged, violations, writes, outdated } = model;
  const findings = new Map();
  const add = (index, brief, text) => {
    const found = findings.get(index) ?? { brief: [], texts: [] };
    if (!found.brief.includes(brief)) found.brief.push(brief);
    found.texts.push(text);
    findings.set(index, found);
  };
  for (const { sequence, invariant, text } of judged ? violations : []) {
    add(sequence, `${invariant} broken.`, `${invariant} is broken: ${text}.`);
  }
  for (const write of writes) {
    if (write.late) add(write.index, 'Late.', `Late, by ${lateBy(write)}.`);
  }
  for (const index of judged ? [] : outdated) {
    const computed = 'Its value was computed from the old one.';
    add(index, computed, computed);
  }
  return findings;
}
