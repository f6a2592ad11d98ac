// Where lanes and times are. Time runs right on a wide picture, down on a tall one; everything else
// speaks of `along` (time) and `across` (lanes) and need not know which it is.

const WIDE = {
  lead: 112, // room for lane names
  tail: 20,
  before: 52, // the playhead's flag and the marks
  after: 34, // the axis
  thickness: { service: 26, client: 26, storage: 30 },
  gap: 46,
  font: 13,
  small: 12,
};
/** For two pictures in one window, or a window that is low. */
const LOW = {
  ...WIDE,
  before: 50,
  after: 28,
  thickness: { service: 22, client: 22, storage: 24 },
  gap: 26,
};
/** The same in a narrow window. */
const NARROW = {
  ...LOW,
  lead: 58, // lane names, in two lines
  tail: 14,
  before: 46,
  after: 18,
  thickness: { service: 18, client: 18, storage: 20 },
  gap: 16,
  font: 12,
  small: 11,
};
const NARROW_BELOW = 480;
const TALL = {
  lead: 46, // lane names, in two lines
  tail: 12,
  before: 58, // the axis and the marks
  after: 6,
  font: 12,
  small: 11,
  pixelsPerSecond: 11, // at least; where there is room for more, the picture fills it
  shortest: 236,
  longest: 1500,
};

function laneTracks(node, model) {
  if (node.role === 'service') return Math.max(1, model.locks.length);
  if (node.role === 'storage') return Math.max(1, model.keys.length);
  return 1;
}

function wideLanes(model, style) {
  const lanes = [];
  const crowded = model.nodes.length > 6;
  const gap = crowded ? style.gap - (style.gap > 40 ? 10 : 0) : style.gap;
  let at = style.before + 6;
  for (const node of model.nodes) {
    const tracks = laneTracks(node, model);
    const thickness = style.thickness[node.role];
    const size = thickness * tracks + 4 * (tracks - 1);
    lanes.push({ ...node, from: at, to: at + size, thickness, tracks, gap });
    at += size + gap;
  }
  return { lanes, across: at - gap + 20 + style.after };
}

function tallLanes(model, width) {
  const tracks = model.nodes.map((node) => laneTracks(node, model));
  const total = tracks.reduce((sum, count) => sum + count, 0);
  const room = width - TALL.before - TALL.after;
  const step = room / total;
  const gap = Math.min(26, Math.max(12, step * 0.3));
  let at = TALL.before + gap / 2;
  const lanes = model.nodes.map((node, index) => {
    const size = step * tracks[index] - gap;
    const thickness = (size - 4 * (tracks[index] - 1)) / tracks[index];
    const lane = { ...node, from: at, to: at + size, thickness, tracks: tracks[index], gap };
    at += size + gap;
    return lane;
  });
  return { lanes, across: width };
}

function styleFor({ width, tall, low }) {
  if (tall) return TALL;
  if (!low) return WIDE;
  return width < NARROW_BELOW ? NARROW : LOW;
}

/**
 * @param {object} model what a Reader has read (model.js)
 * @param {{ width: number, tall: boolean, low?: boolean, room?: number,
 *   domain?: [number, number] }} view low: thin lanes; room: the height that a tall picture may fill
 */
export function createGeometry(model, view) {
  const { width, tall } = view;
  const style = styleFor(view);
  const whole = [0, Math.max(model.endTime, 0.001)];
  const domain = view.domain ?? whole;
  const { lanes, across } = tall ? tallLanes(model, width) : wideLanes(model, style);
  const natural = (whole[1] - whole[0]) * TALL.pixelsPerSecond;
  const fit = (view.room ?? 0) - TALL.lead - TALL.tail;
  const length = Math.round(Math.min(TALL.longest, Math.max(TALL.shortest, natural, fit)));
  const start = style.lead;
  const end = tall ? start + length : width - style.tail;
  const perSecond = (end - start) / (domain[1] - domain[0]);
  const along = (time) => start + (time - domain[0]) * perSecond;
  const clamp = (position) => Math.min(end, Math.max(start, position));
  const byName = new Map(lanes.map((lane) => [lane.name, lane]));
  return {
    tall,
    style,
    width,
    height: tall ? end + style.tail : across,
    domain,
    whole,
    start,
    end,
    lanes,
    across: { from: lanes[0]?.from ?? 0, to: lanes.at(-1)?.to ?? 0 },
    perSecond,
    along,
    lane: (name) => byName.get(name),
    /** The bounds of one track of a lane. */
    track(lane, index = 0) {
      const from = lane.from + index * (lane.thickness + 4);
      return { from, to: from + lane.thickness, middle: from + lane.thickness / 2 };
    },
    time: (position) => domain[0] + (position - start) / perSecond,
    isVisible: (from, to = from) => to >= domain[0] && from <= domain[1],
    inside: (time) => time >= domain[0] && time <= domain[1],
    clamp: (time) => clamp(along(time)),
    /** A rectangle from one time to another and from one side of the lanes to another. */
    rectangle(from, to, near, far) {
      const a = clamp(along(from));
      const b = clamp(along(to));
      return tall
        ? { x: near, y: a, width: far - near, height: b - a }
        : { x: a, y: near, width: b - a, height: far - near };
    },
    point: (time, position) =>
      tall ? { x: position, y: along(time) } : { x: along(time), y: position },
    place: (position, side) => (tall ? { x: side, y: position } : { x: position, y: side }),
  };
}
