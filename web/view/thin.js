// A long run has more in it than a picture has pixels. What would be drawn where something of the
// same kind is drawn already is left out, so that a picture costs what its size does.

import { firstWhere } from '../../js/search.js';

const FEW = 600;

const latestEnds = new WeakMap();

/** For each thing of a list that is in the order of its beginnings: when the last so far ends. */
function latestEndsOf(list, from, to) {
  if (!latestEnds.has(list)) {
    let latest = -Infinity;
    const ends = Float64Array.from(list, (thing) => {
      latest = Math.max(latest, thing[to] ?? thing[from]);
      return latest;
    });
    latestEnds.set(list, ends);
  }
  return latestEnds.get(list);
}

/** The things of a long list that are to be seen, found without looking at all of them. */
function visible(list, geometry, from, to) {
  const [begin, end] = geometry.domain;
  const ends = latestEndsOf(list, from, to);
  const first = firstWhere(list.length, (i) => ends[i] >= begin);
  const last = firstWhere(list.length, (i) => list[i][from] > end);
  return list
    .slice(first, last)
    .filter((thing) => geometry.isVisible(thing[from], thing[to] ?? thing[from]));
}

/** What is left of `list` when of those in one pixel column, and too short to tell, one is kept. */
function thinList(list, geometry, groupOf, from = 'from', to = 'to') {
  if (list.length <= FEW) return list;
  const last = new Map();
  return visible(list, geometry, from, to).filter((thing) => {
    const a = geometry.clamp(thing[from]);
    const b = geometry.clamp(thing[to] ?? thing[from]);
    const group = groupOf(thing);
    const column = Math.floor(a);
    if (b - a < 1 && last.get(group) === column) return false;
    last.set(group, column);
    return true;
  });
}

// More lines than this between the lanes tell nothing apart. Nearer, they are drawn.
const MOST_MESSAGES = 1500;

// More than this are a thicket, and asking in vain for the lock, again and again, hides the rest.
const MOST_WITH_ROUTINE = 120;

function thinMessages(all, geometry) {
  if (all.length <= MOST_WITH_ROUTINE) return { messages: all, crowded: null };
  const messages = visible(all, geometry, 'sent', 'arrives');
  if (messages.length > MOST_MESSAGES) return { messages: [], crowded: 'messages' };
  if (messages.length <= MOST_WITH_ROUTINE) return { messages, crowded: null };
  const telling = messages.filter((message) => !message.routine);
  return {
    messages: telling,
    crowded: telling.length < messages.length ? 'refused requests' : null,
  };
}

/**
 * A model with only what can be told apart at a geometry's size; `crowded` says of what there is too
 * much to be drawn: null, 'messages' or 'refused requests'.
 */
export function thinned(model, geometry) {
  const thin = (name, groupOf, from, to) => thinList(model[name], geometry, groupOf, from, to);
  return {
    ...model,
    ...thinMessages(model.messages, geometry),
    leases: thin('leases', (lease) => lease.lock),
    beliefs: thin('beliefs', (belief) => belief.client),
    gaps: thin('gaps', (gap) => gap.client),
    works: thin('works', (work) => work.client),
    absences: thin('absences', (absence) => `${absence.kind} ${absence.node}`),
    partitions: thin('partitions', (cut) => cut.between.join('\n')),
    values: thin('values', (value) => `${value.stale} ${value.key}`),
    writes: thin('writes', (write) => `${write.accepted} ${write.key}`, 'time', 'time'),
    fences: thin('fences', (fence) => fence.key, 'time', 'time'),
    repeats: thin('repeats', (repeat) => repeat.key, 'time', 'time'),
  };
}

const MANY_SHAPES = 800;

/** A rectangle as a path; what is thinner than a pixel stands for all that is in its column. */
function outline({ x, y, width, height }) {
  const [w, h] = [Math.max(1, width), Math.max(1, height)].map((size) => size.toFixed(1));
  return `M${x.toFixed(1)} ${y.toFixed(1)}h${w}v${h}h-${w}z`;
}

/** Shapes of one class drawn as one path, when there are very many; they then take no clicks. */
export function condensed(shapes) {
  if (shapes.length <= MANY_SHAPES) return shapes;
  const paths = new Map();
  for (const shape of shapes) {
    const d = shape.tag === 'rect' ? outline(shape) : shape.d;
    if (!paths.has(shape.class)) paths.set(shape.class, []);
    paths.get(shape.class).push(d);
  }
  return [...paths].map(([name, all]) => ({ tag: 'path', class: name, d: all.join('') }));
}
