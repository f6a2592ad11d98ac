// What a history that was opened was judged by, in words: that nothing was found says no more.

import { whatWasJudged } from '../../js/judged.js';
import { lateBy } from './text.js';

const RULES = /^(?:[IR]\d+(?: to [IR]\d+)?(?:, (?=[IR]\d))?)+/;

const numberOf = (rule) => Number(/\d+/.exec(rule)[0]);

/** The rules that sentences begin with, once each and in order: `I1`, `I5`, `R4`. */
function rulesOf(sentences) {
  const rules = sentences.flatMap((sentence) => RULES.exec(sentence)?.[0].split(', ') ?? []);
  rules.sort((a, b) => a.charCodeAt(0) - b.charCodeAt(0) || numberOf(a) - numberOf(b));
  return new Set(rules);
}

/**
 * @returns {{ short: string, judged: string[], notJudged: string[] } | null} null for a run of our own,
 *   which is judged by all that its scenario promises
 */
export function judgedWords({ model: { judged: counts, violations }, trace }) {
  if (!counts) return null;
  const { judged, notJudged } = whatWasJudged({ judged: counts });
  const by = rulesOf(judged);
  const notBy = [...rulesOf(notJudged)].filter((rule) => !by.has(rule));
  const found = trace.violationCount ?? violations.length;
  const many = `${found.toLocaleString('en-US')} violation${found === 1 ? '' : 's'}`;
  const result = found > 0 ? `${many} found.` : 'No violation found.';
  const rules = by.size > 0 ? `Judged: ${[...by].join(', ')}.` : 'Nothing could be judged.';
  const short = `${result} ${rules} Not judged: ${notBy.join(', ')}.`;
  const from = trace.startTime ? ` Times count from ${trace.startTime} s.` : '';
  return { short: short + from, judged, notJudged };
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
