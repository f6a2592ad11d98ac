// What goes between the lanes: messages, and the cuts that keep them from going.

import { STORAGE } from './model.js';
import { colour } from './bars.js';

const HEAD = 5;

/** The sides of two lanes that face each other. */
function facing(geometry, from, to) {
  return from.from < to.from ? [from.to, to.from] : [from.from, to.to];
}

function kindOf(message, model) {
  const client = message.reply ? message.to : message.from;
  const kinds = ['message', colour(model, client)];
  if (message.reply) kinds.push('reply');
  if (message.operation === 'write' && !message.reply) kinds.push('carries-write');
  if (message.outcome === 'refused' || message.outcome === 'rejected') kinds.push('refused');
  if (message.lost) kinds.push('lost');
  if (message.copy) kinds.push('copy');
  return kinds.join(' ');
}

function head(a, b) {
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  if (length < 14) return '';
  const ux = (b.x - a.x) / length;
  const uy = (b.y - a.y) / length;
  const back = { x: b.x - ux * HEAD * 1.4, y: b.y - uy * HEAD * 1.4 };
  const side = { x: -uy * HEAD * 0.55, y: ux * HEAD * 0.55 };
  return `M${b.x} ${b.y}L${back.x + side.x} ${back.y + side.y}L${back.x - side.x} ${back.y - side.y}Z`;
}

/** A lost message ends half way. */
const lostAt = (a, b) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

/** The two ends of a message's line; null when it is not to be seen. */
export function endsOf(geometry, message) {
  const from = geometry.lane(message.from);
  const to = geometry.lane(message.to);
  if (!from || !to || from === to) return null;
  const last = Math.min(message.arrives, geometry.whole[1]);
  if (!geometry.isVisible(message.sent, last)) return null;
  const [near, far] = facing(geometry, from, to);
  const a = geometry.point(message.sent, near);
  const b = geometry.point(message.arrives, far);
  return message.lost ? [a, lostAt(a, b)] : [a, b];
}

/** The stretches of a line that lie in lanes which are neither its beginning nor its end. */
function passages(geometry, [a, b]) {
  const side = geometry.tall ? 'x' : 'y';
  const [low, high] = a[side] < b[side] ? [a, b] : [b, a];
  const at = (across) => {
    const share = (across - low[side]) / (high[side] - low[side]);
    return { x: low.x + share * (high.x - low.x), y: low.y + share * (high.y - low.y) };
  };
  return geometry.lanes
    .filter((lane) => lane.to > low[side] && lane.from < high[side])
    .filter((lane) => lane.from >= low[side])
    .map((lane) => [at(lane.from), at(Math.min(lane.to, high[side]))]);
}

const line = (points) => `M${points.map(({ x, y }) => `${x} ${y}`).join('L')}`;

/** A line with gaps where it passes a lane. */
function interrupted([a, b], gaps, tall) {
  const side = tall ? 'x' : 'y';
  const forth = a[side] < b[side];
  const stops = forth ? gaps.flat() : gaps.flat().reverse();
  const points = [a, ...stops, b];
  return points.map((_, i) => (i % 2 ? '' : line(points.slice(i, i + 2)))).join('');
}

/** Where messages pass the lanes of others: seen through what is there, so that they go on. */
export function passing(geometry, model) {
  const paths = new Map();
  for (const message of model.messages) {
    const ends = endsOf(geometry, message);
    if (!ends) continue;
    const kind = kindOf(message, model).replace('message', 'through');
    for (const passage of passages(geometry, ends))
      paths.set(kind, (paths.get(kind) ?? '') + line(passage));
  }
  return [...paths].map(([kind, d]) => ({ tag: 'path', class: kind, d }));
}

const STRIP = 10;

/** Small boxes that a message's line lies in, or the part of it that is `within` an extent across. */
export function pathBoxes(geometry, message, within = [-Infinity, Infinity]) {
  const ends = endsOf(geometry, message);
  if (!ends) return [];
  const [a, b] = ends;
  const side = geometry.tall ? 'x' : 'y';
  const other = geometry.tall ? 'y' : 'x';
  const [low, high] = a[side] < b[side] ? [a, b] : [b, a];
  const slope = (high[other] - low[other]) / (high[side] - low[side]);
  const boxes = [];
  const last = Math.min(high[side], within[1]);
  for (let from = Math.max(low[side], within[0]); from < last; from += STRIP) {
    const to = Math.min(from + STRIP, last);
    const [start, end] = [from, to].map((at) => low[other] + slope * (at - low[side]));
    const box = { [side]: from, [other]: Math.min(start, end) - 1 };
    const [long, wide] = [to - from, Math.abs(end - start) + 2];
    boxes.push(
      geometry.tall ? { ...box, width: long, height: wide } : { ...box, width: wide, height: long },
    );
  }
  return boxes;
}

export function messages(geometry, model) {
  const shapes = [];
  const heads = new Map();
  for (const message of model.messages) {
    const ends = endsOf(geometry, message);
    if (!ends) continue;
    const [a, b] = ends;
    const kind = kindOf(message, model);
    const d = interrupted(ends, passages(geometry, ends), geometry.tall);
    shapes.push({ tag: 'path', class: kind, d, index: message.last });
    if (message.lost) {
      const d = `M${b.x - 3.5} ${b.y - 3.5}l7 7m0 -7l-7 7`;
      shapes.push({ tag: 'path', class: `lost-cross ${kind}`, d, index: message.last });
    } else {
      const family = kind.replace('message', 'head');
      heads.set(family, (heads.get(family) ?? '') + head(a, b));
    }
  }
  for (const [family, d] of heads) if (d) shapes.push({ tag: 'path', class: family, d });
  return shapes;
}

/** Which side of a client's lane a cut lies on, and where. */
export function cutBetween(geometry, cut) {
  const lanes = cut.between.map((name) => geometry.lane(name));
  if (lanes.some((lane) => !lane)) return null;
  const [a, b] = lanes[0].from < lanes[1].from ? lanes : [lanes[1], lanes[0]];
  const depth = Math.min(12, b.gap / 2);
  return b.name === STORAGE || b.role === 'client'
    ? { near: a.to + (b.gap - depth) / 2, far: a.to + (b.gap + depth) / 2 }
    : { near: b.from - (b.gap + depth) / 2, far: b.from - (b.gap - depth) / 2 };
}

export function partitions(geometry, model) {
  return model.partitions.flatMap((cut) => {
    const side = cutBetween(geometry, cut);
    if (!side || !geometry.isVisible(cut.from, cut.to)) return [];
    const box = geometry.rectangle(cut.from, cut.to, side.near, side.far);
    return [{ tag: 'rect', class: 'partition', ...box, index: cut.index }];
  });
}
