// A right history gives no finding, whatever a service and its clients may do for good reasons.

import { checkHistory } from 'fencelock/simulator';
import { rightHistory } from './right.js';

const SEEDS = 4000;

test(`no false alarm in ${SEEDS} right histories`, () => {
  const judged = { decisions: 0, tokens: 0, values: 0, rejections: 0, updates: 0 };
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const result = checkHistory(rightHistory(seed), { fencing: 'at-least' });
    if (result.violationCount > 0) throw new Error(`seed ${seed}: ${result.violations[0].text}`);
    for (const name of Object.keys(judged)) judged[name] += result.judged[name];
  }
  for (const count of Object.values(judged)) expect(count).toBeGreaterThan(SEEDS / 10);
});
