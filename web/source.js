// Where a document comes from, and how it is run elsewhere.

import { presets, suiteScenario } from './simulation.js';

/** The document that a source stands for; null when it is a file or a link. */
export function originalOf({ preset, suite, seed }) {
  if (suite) return suiteScenario(suite, seed);
  return presets.find((one) => one.name === preset)?.scenario ?? null;
}

/** Whether two documents, or two sources, say the same. */
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const ruleOf = (document) => document.fencing ?? 'at-least';
const withoutRule = ({ fencing: _fencing, ...rest }) => rest;

export function isEdited(document, source) {
  const original = originalOf(source);
  if (original === null || document === null) return false;
  const isSame = same(withoutRule(original), withoutRule(document));
  return !isSame || ruleOf(original) !== ruleOf(document);
}

/** The command line that runs what is shown; an edited scenario has to be saved first. */
export function commandFor(document, source) {
  const original = originalOf(source);
  const { preset, suite, seed } = source;
  if (!original || !same(withoutRule(original), withoutRule(document))) {
    return 'npx fencelock run scenario.json';
  }
  const what = suite ? `--suite ${suite} --seed ${seed}` : preset;
  const rule = ruleOf(document) === ruleOf(original) ? '' : ` --fencing ${ruleOf(document)}`;
  return `npx fencelock run ${what}${rule}`;
}
