// That the table of actions is whole: no action without its ways, no way without its conditions.

import { ACTIONS } from './actions.js';
import { WIDTHS } from './browser.js';
import { casesAt } from './matrix.js';

// Shift and an arrow are all that goes by seconds; others have the slider for that.
const BY_KEYS_ONLY = ['a second on', 'a second back'];

const cases = WIDTHS.flatMap(casesAt);

describe.each(Object.keys(ACTIONS))('%s', (name) => {
  const own = cases.filter((one) => one.name === name);
  const ways = [...new Set(own.map(({ way }) => way))];

  test('is done by mouse, by touch, and by keyboard alone', () => {
    expect(ways.some((way) => /^(keyboard|shortcut)/.test(way))).toBe(true);
    if (BY_KEYS_ONLY.includes(name)) return;
    expect(ways).toContain('mouse');
    expect(ways).toContain('touch');
  });

  test('is done served and from disk, light and dark, with all motion and with less', () => {
    for (const condition of ['disk', 'scheme', 'reduced'])
      expect(new Set(own.map(({ options }) => options[condition])).size).toBe(2);
    expect(new Set(own.map(({ options }) => options.width)).size).toBe(WIDTHS.length);
  });
});
