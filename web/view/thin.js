// A long run has more in it than a picture has pixels. What would be drawn where something of the
// same kind is drawn already is left out, so that a picture costs what its size does.

const FEW = 600;

/** What is left of `list` when of those in one pixel column, and too short to tell, one is kept. */
function thinList(list, geometry, groupOf, from = 'from', to = 'to') {
  if (list.length <= FEW) return list;
  const last = new Map();
  return list.filter((thing) => {
    const ends = thing[to] ?? thing[from];
    if (!geometry.isVisible(thing[from], ends)) return false;
    const a = geometry.clamp(thing[from]);
    const b = geometry.clamp(ends);
    const group = groupOf(thing);
    const column = Math.floor(a);
    if (b - a < 1 && last.get(group) === column) return false;
    last.set(group, column);
    return true;
  });
}

const MANY_MESSAGES = 4000;
const COARSEST = 4; // pixels

/** The same for messages, whose two ends may be in different columns. */
function thinMessages(messages, geometry) {
  if (messages.length <= FEW) return messages;
  const shown = messages.filter(({ sent, arrives }) => geometry.isVisible(sent, arrives));
  const coarse = Math.min(COARSEST, Math.ceil(shown.length / MANY_MESSAGES));
  const seen = new Set();
  return shown.filter((message) => {
    const from = geometry.along(message.sent);
    const length = Math.round((geometry.along(message.arrives) - from) / coarse);
    const { lost, reply, operation, outcome = '' } = message;
    const look = `${lost ? 'x' : ''}${reply ? `r${outcome}` : operation}`;
    const place = `${Math.floor(from / coarse)} ${length}`;
    const name = `${message.from}\n${message.to}\n${look} ${place}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

/** A model with only what can be told apart at a geometry's size. */
export function thinned(model, geometry) {
  const thin = (name, groupOf, from, to) => thinList(model[name], geometry, groupOf, from, to);
  return {
    ...model,
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
    messages: thinMessages(model.messages, geometry),
  };
}

const MANY_SHAPES = 1500;

const outline = ({ x, y, width, height }) =>
  `M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${-width.toFixed(1)}z`;

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
