// Pictures stay clear: what a dense run leaves out, and what no word or arrow lies on.

import { presets, simulate, suiteScenario } from 'fencelock/simulator';
import { runOf } from '../../web/run.js';
import { absences, beliefs } from '../../web/view/bars.js';
import { drawFigure } from '../../web/view/figure.js';

const lesson = presets.find(({ name }) => name === 'lesson').scenario;
const unfenced = runOf(simulate({ ...lesson, fencing: 'off' }));
const fenced = runOf(simulate(lesson));
const SEEDS = Array.from({ length: 12 }, (_, seed) =>
  runOf(simulate(suiteScenario('chaos', seed))),
);

const TALL = { width: 328, tall: true };
const NARROW = { width: 328, tall: false, low: true };
const draw = ({ model, story }, view) => drawFigure(model, { ...view, story });
const layer = ({ layers }, name) => layers.find((one) => one.name === name).shapes;
const textsOf = ({ texts }, kind) => texts.filter((text) => text.kind === kind);

const meet = (a, b) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
const laneBox = ({ domain, rectangle }, { from, to }) => rectangle(...domain, from, to);
const barsOf = ({ geometry, model }) =>
  [...beliefs(geometry, model), ...absences(geometry, model)].filter(({ tag }) => tag === 'rect');

describe('a dense run', () => {
  const [dense] = SEEDS.slice(3);

  test('leaves out asking for the lock in vain', () => {
    const routine = dense.model.messages.filter((one) => one.routine);
    expect(routine.length).toBeGreaterThan(150);
    expect(routine.every(({ operation }) => operation === 'acquire')).toBe(true);
    const granted = dense.model.leases.map(({ token }) => token);
    const { model } = draw(dense, { width: 1000, tall: false });
    expect(model.crowded).toBe('refused requests');
    expect(model.messages.some((one) => one.routine)).toBe(false);
    const answers = model.messages.filter(({ outcome }) => outcome === 'granted');
    expect(answers.map(({ token }) => token)).toEqual(expect.arrayContaining(granted));
  });

  test('shows all of it nearer', () => {
    const { model } = draw(dense, { width: 1000, tall: false, domain: [8, 10] });
    expect(model.crowded).toBe(null);
    expect(model.messages.some((one) => one.routine)).toBe(true);
  });

  test('a request is refused by its own answer, and a granted one is none', () => {
    const { messages } = fenced.model;
    const asked = messages.filter(({ operation, reply }) => operation === 'acquire' && !reply);
    expect(asked.map(({ from, routine }) => [from, routine])).toEqual([
      ['client 1', false],
      ['client 2', true],
      ['client 2', true],
      ['client 2', false],
    ]);
  });
});

describe.each([
  ['wide', { width: 1000, tall: false }],
  ['on a tablet', { width: 700, tall: false }],
  ['tall', TALL],
])('%s', (_, view) => {
  const pictures = SEEDS.map((run) => draw(run, view));

  test('what a message carries stands on no other client’s lane', () => {
    const found = pictures.flatMap((picture) => {
      const { geometry, model } = picture;
      return textsOf(picture, 'message-label').flatMap(({ box, index, lines }) => {
        const message = model.messages.find(({ last }) => last === index);
        return geometry.lanes
          .filter(
            ({ role, name }) => role === 'client' && ![message.from, message.to].includes(name),
          )
          .filter((lane) => meet(box, laneBox(geometry, lane)))
          .map((lane) => `${lines} on ${lane.name}`);
      });
    });
    expect(found).toEqual([]);
  });

  test('a clock’s reading stands beside its lane, and on no pause or other lane', () => {
    let readings = 0;
    for (const picture of pictures) {
      const { geometry, model } = picture;
      const blocks = absences(geometry, model).filter(({ tag }) => tag === 'rect');
      const lanes = geometry.lanes.filter(({ role }) => role === 'client');
      for (const { box } of textsOf(picture, 'ruler-label')) {
        readings += 1;
        const near = lanes.filter((lane) => meet(box, laneBox(geometry, lane)));
        expect(near).toEqual([]);
        expect(blocks.filter((block) => meet(box, block))).toEqual([]);
      }
    }
    expect(readings).toBeGreaterThan(0);
  });

  test('whose clock it is stands on no other client’s lane', () => {
    for (const picture of pictures) {
      const { geometry } = picture;
      const lanes = geometry.lanes.filter(({ role }) => role === 'client');
      for (const { box, node } of textsOf(picture, 'ruler-name')) {
        const others = lanes.filter(({ name }) => name !== node);
        expect(others.filter((lane) => meet(box, laneBox(geometry, lane)))).toEqual([]);
      }
    }
  });

  test('a message goes on behind the lane that it passes', () => {
    const picture = draw(fenced, view);
    const { geometry } = picture;
    const { from, to } = geometry.lane('client 1');
    const side = geometry.tall ? 0 : 1;
    const segments = (shapes) =>
      shapes.flatMap(({ d }) =>
        [...d.matchAll(/M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)(?![^M]*Z)/g)].map((found) => {
          const numbers = found.slice(1).map(Number);
          return [numbers[side], numbers[side + 2]].sort((a, b) => a - b);
        }),
      );
    const through = ([low, high]) => low < from + 1 && high > to - 1;
    const green = (shapes) => shapes.filter((one) => one.class.includes('c1'));
    expect(segments(green(layer(picture, 'messages'))).filter(through)).toEqual([]);
    expect(segments(green(layer(picture, 'through'))).filter(through).length).toBeGreaterThan(4);
    const names = picture.layers.map(({ name }) => name);
    expect(names.indexOf('through')).toBeGreaterThan(names.indexOf('bars'));
  });
});

describe('the words of the lesson', () => {
  test('say “still believes” on a phone with twins, not “stale”', () => {
    for (const run of [fenced, unfenced]) {
      const [words] = textsOf(draw(run, NARROW), 'gap-label');
      expect(words.lines).toEqual(['still believes']);
    }
  });

  test('say of what the belief is where that is but a little too long', () => {
    const [words] = textsOf(draw(fenced, { width: 653, tall: false, low: true }), 'gap-label');
    expect(words.lines).toEqual(['still believes it holds it']);
  });

  test('the comparison stands on no bar of a client', () => {
    const picture = draw(fenced, NARROW);
    const [{ box }] = textsOf(picture, 'comparison');
    expect(barsOf(picture).filter((bar) => meet(box, bar))).toEqual([]);
  });

  test.each([653, 732, 1000])('the stamp covers no client’s bar, %i wide', (width) => {
    for (const low of [false, true]) {
      const picture = draw(unfenced, { width, tall: false, low });
      const [{ box }] = textsOf(picture, 'stamp');
      expect(barsOf(picture).filter((bar) => meet(box, bar))).toEqual([]);
      expect(box.x).toBeGreaterThan(picture.geometry.along(unfenced.model.values.at(-1).from));
    }
  });

  test('on a phone the stamp lies on the stale value, and on no lane of a client', () => {
    const picture = draw(unfenced, { ...TALL, room: 330 });
    const { geometry } = picture;
    const [{ box }] = textsOf(picture, 'stamp');
    const lanes = geometry.lanes.filter(({ role }) => role === 'client');
    expect(lanes.filter((lane) => meet(box, laneBox(geometry, lane)))).toEqual([]);
    expect(box.y).toBeGreaterThan(geometry.along(unfenced.model.values.at(-1).from));
    expect(textsOf(picture, 'value-label').map(({ lines }) => lines.join(' '))).toContain(
      '33 over 34',
    );
  });
});
