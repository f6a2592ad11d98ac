// The whole picture of a run: a pure function of the trace, the story told about it, and the view.

import { createGeometry } from './geometry.js';
import { Labels } from './labels.js';
import { estimateWidth } from './text.js';
import * as bars from './bars.js';
import * as wires from './wires.js';
import { captions } from './captions.js';
import { condensed, thinned } from './thin.js';

/**
 * @param {object} whole the model of the run, as a Reader has read it (model.js)
 * @param {{ width: number, tall: boolean, domain?: [number, number], story?: object[],
 *   measure?: (text: string, size: number, bold: boolean) => number }} view
 */
export function drawFigure(whole, view) {
  const geometry = createGeometry(whole, view);
  const model = thinned(whole, geometry);
  const { width, height } = geometry;
  const labels = new Labels({ x: 0, y: 0, width, height }, view.measure ?? estimateWidth);
  const axis = geometry.tall
    ? { x: 0, y: geometry.start - 8, width: geometry.style.before - 24, height: height }
    : { x: geometry.start - 8, y: geometry.across.to + 14, width: width, height: 60 };
  labels.reserve(axis);
  const flag = geometry.tall
    ? { x: 0, y: 0, width: 0, height: 0 }
    : { x: geometry.start - 30, y: 0, width: width, height: 24 };
  labels.reserve(flag);
  const leaders = captions(geometry, model, labels, view);
  return {
    geometry,
    model,
    width,
    height,
    layers: [
      { name: 'tracks', shapes: bars.tracks(geometry) },
      { name: 'gaps', shapes: bars.gaps(geometry, model) },
      { name: 'leaders', shapes: leaders.map((mark) => leader(geometry, mark)) },
      { name: 'messages', shapes: condensed(wires.messages(geometry, model)) },
      { name: 'cuts', shapes: wires.partitions(geometry, model) },
      {
        name: 'bars',
        shapes: condensed([
          ...bars.leases(geometry, model),
          ...bars.beliefs(geometry, model),
          ...bars.values(geometry, model),
        ]),
      },
      { name: 'through', shapes: wires.passing(geometry, model) },
      { name: 'rulers', shapes: bars.rulers(geometry, model) },
      { name: 'absences', shapes: bars.absences(geometry, model) },
      { name: 'false-beliefs', shapes: bars.falseBeliefs(geometry, model) },
      { name: 'repeats', shapes: condensed(bars.repeats(geometry, model)) },
      { name: 'bounces', shapes: bars.bounces(geometry, model) },
    ],
    texts: labels.texts,
    marks: leaders.map(({ x, y, size, index }) => ({ x, y, r: size * 0.85, index })),
  };
}

/** The thin line from a numbered mark to the lane that it speaks of. */
function leader(geometry, mark) {
  const lane = geometry.lane(mark.node);
  const to = lane ? (lane.from + lane.to) / 2 : geometry.across.to;
  const start = geometry.tall
    ? { x: mark.box.x + mark.box.width, y: mark.y }
    : { x: mark.x, y: mark.box.y + mark.box.height };
  const bend = geometry.point(mark.time, geometry.style.before + (geometry.tall ? 6 : 4));
  const end = geometry.point(mark.time, to);
  return {
    tag: 'path',
    class: 'leader',
    d: `M${start.x} ${start.y}L${bend.x} ${bend.y}L${end.x} ${end.y}`,
  };
}

const outlines = (geometry, model) => [
  ...bars.leases(geometry, model),
  ...bars.beliefs(geometry, model),
  ...bars.values(geometry, model),
  ...bars.absences(geometry, model),
];

/** What a shape looks like, to a tenth of a pixel: two of one look can't be told apart. */
const lookOf = ({ class: kind, x, y, width, height, d }) =>
  d === undefined
    ? `${kind} ${[x, y, width, height].map((one) => one.toFixed(1)).join(' ')}`
    : `${kind} ${d.replace(/\d+\.\d+/g, (one) => Number(one).toFixed(1))}`;

/**
 * The outlines of an earlier run, to lie under the present one as `drawn`: only those that the
 * present run has not, since what stays the same needs no ghost.
 */
export function drawGhost(before, { geometry, model }) {
  const present = new Set(outlines(geometry, model).map(lookOf));
  return outlines(geometry, thinned(before, geometry))
    .filter((shape) => !present.has(lookOf(shape)))
    .map(({ index: _, ...shape }) => ({ ...shape, class: `ghost ${shape.class}` }));
}
