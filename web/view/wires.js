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

export function messages(geometry, model) {
  const shapes = [];
  const heads = new Map();
  for (const message of model.messages) {
    const ends = endsOf(geometry, message);
    if (!ends) continue;
    const [a, b] = ends;
    const kind = kindOf(message, model);
    shapes.push({
      tag: 'path',
      class: kind,
      d: `M${a.x} ${a.y}L${b.x} ${b.y}`,
      index: message.last,
    });
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
