// What the page says of writes that are late, of clocks that are off, and of values that were lost.

import * as core from 'fencelock/simulator';
import { runOf } from '../../web/run.js';
import { drawFigure } from '../../web/view/figure.js';
import { outcomeOf } from '../../web/view/map.js';
import { briefWords, sameRunWords, verdictWords } from '../../web/view/verdict.js';

const { presets, simulate, suiteScenario } = core;
globalThis.fencelockCore = core;
const { FIRST_SEED, hintOf } = await import('../../web/view/hint.js');

const scenarioOf = (name) => presets.find((preset) => preset.name === name).scenario;
const run = (name, changes = {}) => runOf(simulate({ ...scenarioOf(name), ...changes }));
const lessonTo = (to, changes = {}) =>
  run('lesson', { ...changes, faults: [{ ...scenarioOf('lesson').faults[0], to }] });

const VIEWS = [
  { width: 360, tall: true },
  { width: 728, tall: false },
  { width: 1000, tall: false },
];

const labelsOf = ({ model, story }, view, kind) =>
  drawFigure(model, { ...view, story })
    .texts.filter((text) => text.kind === kind)
    .map((text) => text.lines.join(' '));

const shapesOf = ({ model, story }, view) =>
  drawFigure(model, { ...view, story }).layers.flatMap((layer) => layer.shapes);

describe('a write that is accepted after its lease', () => {
  test('is in order while nobody newer has the lock, but said to be late', () => {
    for (const fencing of ['at-least', 'off']) {
      const late = lessonTo(10.5, { fencing });
      expect(late.verdict.kind).toBe('late');
      const { tone, title, text } = verdictWords(late);
      expect([tone, title]).toEqual(['', 'In order, but late.']);
      expect(text).toBe(
        'At 10.53 s client 1’s write came 0.51 s after its lease; nobody newer had the lock, so ' +
          'its token 33 was still the highest: a storage knows no leases, only tokens it has seen.',
      );
      expect(briefWords(late).gist).toBe('By 0.51 s, at 10.53 s');
      expect(outcomeOf(late)).toBe('lost');
    }
  });

  test('is not late while the lease lasts', () => {
    const inTime = lessonTo(9);
    expect(inTime.model.writes.map((write) => write.late)).toEqual([null, null]);
    expect(inTime.verdict.kind).toBe('quiet');
    expect(inTime.findings.size).toBe(0);
  });

  test('may come after the lock was given back', () => {
    const late = lessonTo(10.5);
    const writes = [{ ...late.verdict.writes[0], late: { by: 0.02, end: 'released' } }];
    const { text } = verdictWords({ ...late, verdict: { kind: 'late', writes } });
    expect(text).toContain('0.02 s after it gave the lock back;');
  });

  test.each([10.5, 12])('is a step of the story, and told in the list, to %d s', (to) => {
    const late = lessonTo(to);
    const [write] = late.verdict.writes;
    expect(late.story.map(({ index }) => index)).toContain(write.index);
    const { brief, texts } = late.findings.get(write.index);
    expect(brief).toEqual(['Late.']);
    expect(texts).toEqual([to === 12 ? 'Late, by 2.01 s.' : 'Late, by 0.51 s.']);
  });

  test.each(VIEWS)('has a mark, a dashed value and a word on the picture, $width', (view) => {
    for (const to of [10.5, 12]) {
      const late = lessonTo(to);
      const [{ index }] = late.verdict.writes;
      expect(labelsOf(late, view, 'amiss-label')).toEqual(['late']);
      const marked = shapesOf(late, view).filter((shape) => /amiss/.test(shape.class));
      expect(marked.map((shape) => [shape.class, shape.index])).toEqual([
        ['value c0 amiss', index],
        ['amiss-mark', index],
      ]);
    }
    expect(shapesOf(run('lesson'), view).some((shape) => /amiss/.test(shape.class))).toBe(false);
  });
});

describe('two holders', () => {
  const holder = { maxClockSkew: 0.1 };

  test('are told with the span of time, and whose clock was slow', () => {
    const two = run('clock-skew', { holder });
    expect(verdictWords(two)).toEqual({
      tone: 'bad',
      title: 'Two holders.',
      text:
        'From 5.11 s to 5.16 s both client 1 and client 2 trusted the lock: client 1’s clock is ' +
        'slower than the allowed clock skew makes up for.',
    });
    expect(briefWords(two)).toEqual({
      tone: 'bad',
      title: 'Two holders.',
      gist: '5.11 s to 5.16 s',
    });
    expect(two.model.violations[0].text).toMatch(
      /, as their clocks came further apart than is allowed for$/,
    );
  });

  test('are told without a cause and an end where none is known', () => {
    const { model } = run('lesson');
    const violation = { invariant: 'I4', time: 3, node: 'a', peer: 'b', lock: 'x', text: '' };
    const broken = { ...model, scenario: null, judged: {}, violations: [violation] };
    const { text } = verdictWords({ model: broken, verdict: { kind: 'broken', writes: [] } });
    expect(text).toBe('At 3.00 s both a and b trusted x. (I4)');
  });

  test.each(VIEWS)('the ruler of a clock that is off is named, $width', (view) => {
    const names = labelsOf(run('clock-skew'), view, 'ruler-name');
    expect(names).toEqual([
      view.tall ? 'its clock' : expect.stringMatching(/^(client 1’s|its) clock$/),
    ]);
    expect(labelsOf(run('lesson'), view, 'ruler-name')).toEqual([]);
  });
});

describe('a lost update', () => {
  const lost = () => run('lost-update', { fencing: 'off' });

  test('is named in the verdict and at its event', () => {
    expect(verdictWords(lost()).text).toMatch(
      / At 7\.49 s client 2’s value, computed from the old one, replaces it\.$/,
    );
    const told = [...lost().findings.values()].map(({ brief }) => brief);
    expect(told).toEqual([['Its value was computed from the old one.']]);
    expect(verdictWords(run('lost-update')).text).not.toContain('computed');
  });

  test.each(VIEWS)('is marked on the picture, where reads are named too, $width', (view) => {
    const [label, ...others] = labelsOf(lost(), view, 'amiss-label');
    expect(label).toMatch(/^(from the old value|from old|old)$/);
    expect(others).toEqual([]);
    if (view.tall) return;
    expect(labelsOf(lost(), view, 'message-label')).toContain('read');
  });
});

test('the story has the grant that follows a lease that ran out', () => {
  const grants = (name) => {
    const { story, model } = run(name);
    return story.map(({ index }) => model.events[index]).filter(({ kind }) => kind === 'acquire');
  };
  expect(grants('crash').map(({ token }) => token)).toEqual([1, 2]);
  const faults = [
    ...scenarioOf('crash').faults,
    { kind: 'pause', node: 'client 2', from: 15, to: 16 },
    { kind: 'clock-step', node: 'client 2', at: 16, by: 0.1 },
  ];
  const { story, model } = run('crash', { faults });
  expect(story.map(({ index }) => model.events[index].token)).toContain(2);
});

describe('what one may try next', () => {
  const lesson = presets[0];
  const hint = (shown, source = { preset: 'lesson' }) => hintOf(source, shown);

  test('is what the scenario says, until something came of it', () => {
    expect(hint(run('lesson'))).toBe(lesson.text);
    for (const { name, text } of presets) expect(hint(run(name), { preset: name })).toBe(text);
    expect(hint(run('lesson'), { suite: 'chaos', seed: 23 })).toMatch(/drawn from a seed/);
    expect(hint(run('lesson'), { file: 'a.json' })).toBe('');
    expect(hint(run('lesson', { faults: [] }))).toBe(lesson.text);
  });

  test('follows the end of the pause, and the rule', () => {
    expect(hint(lessonTo(9))).toBe(
      'The pause ends before the lease does: no write is late. Drag its end out again.',
    );
    expect(hint(lessonTo(10.5))).toBe(
      'Late, but nobody newer had the lock. Drag the end past 12 s, when 34 is granted.',
    );
    expect(hint(lessonTo(12))).toBe(
      '34 is granted, but was not yet at the storage. Drag the end past 14 s, when it is.',
    );
    expect(hint(run('lesson', { fencing: 'off' }))).toMatch(/switch fencing on/);
    for (const to of [12, 14])
      expect(lessonTo(to).verdict.kind).toBe(to === 12 ? 'uncaught' : 'fenced');
    expect(lessonTo(12.01, {}).verdict.kind).not.toBe('late');
  });

  test('where fencing changes nothing, why', () => {
    expect(sameRunWords(run('delayed-duplicate', { fencing: 'off' }))).toBe(
      'The same run: a copy of a write is answered as before under either rule.',
    );
    expect(sameRunWords(lessonTo(10.5))).toBe('The same run: nobody newer had the lock.');
  });
});

test('fencing makes a difference in the first of the random runs', () => {
  const [on, off] = ['at-least', 'off'].map((fencing) =>
    runOf(simulate({ ...suiteScenario('chaos', FIRST_SEED), fencing })),
  );
  expect([on.verdict.kind, off.verdict.kind]).toEqual(['fenced', 'corrupted']);
});
