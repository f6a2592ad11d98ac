// What a history that was opened was judged by, in words: that nothing was found says no more.

import { whatWasJudged } from '../../js/judged.js';

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

/** What was found at each event of a history, by the event's number. */
export function findingsOf({ judged, violations }) {
  const findings = new Map();
  if (!judged) return findings;
  for (const { sequence, invariant, text } of violations) {
    const found = findings.get(sequence) ?? { rules: [], texts: [] };
    if (!found.rules.includes(invariant)) found.rules.push(invariant);
    found.texts.push(`${invariant} is broken: ${text}.`);
    findings.set(sequence, found);
  }
  return findings;
}
