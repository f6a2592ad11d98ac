// The words on the picture, placed in order of importance.

import { SERVICE, STORAGE } from './model.js';
import { absences, beliefs, bounceEnd, isAmiss, keyTrack, lockTrack, rulerMarks } from './bars.js';
import { cutBetween, endsOf, pathBoxes } from './wires.js';
import { about, along, astride } from './spots.js';
import { comparison, seconds, short } from './text.js';

/** A name in as few lines as fit, cut where it must be. */
export function fitName(name, room, size, measure) {
  if (measure(name, size, true) <= room) return [name];
  const words = name.split(' ');
  if (words.length === 2 && words.every((word) => measure(word, size, true) <= room)) return words;
  let end = name.length;
  while (end > 1 && measure(`${name.slice(0, end)}…`, size, true) > room) end -= 1;
  return [`${name.slice(0, end)}…`];
}

const SMALLEST = 10;

function laneNames(geometry, labels, style) {
  const roomOf = (lane) =>
    geometry.tall ? lane.to - lane.from + lane.gap - 3 : geometry.start - 14;
  const linesAt = (size) =>
    geometry.lanes.map((lane) => fitName(lane.name, roomOf(lane), size, labels.measure));
  let { size } = style;
  let names = linesAt(size);
  while (size > SMALLEST && names.some((lines) => lines[0].endsWith('…'))) {
    size -= 1;
    names = linesAt(size);
  }
  for (const [index, lane] of geometry.lanes.entries()) {
    const middle = (lane.from + lane.to) / 2;
    const at = geometry.tall ? { x: middle, y: 22 } : { x: 0, y: middle };
    const anchor = geometry.tall ? 'middle' : 'start';
    const label = { ...style, lines: names[index], size, anchor, ...at };
    labels.place([label], { kind: `lane-name ${lane.role}`, pad: 0, node: lane.name });
  }
}

/** Positions at least `apart` from each other, in order, as near as may be to those wanted. */
export function spread(wanted, apart, low, high) {
  const placed = [];
  for (const want of wanted) {
    placed.push(Math.max(want, low, (placed.at(-1) ?? -Infinity) + apart));
  }
  for (let i = placed.length - 1, limit = high; i >= 0 && placed[i] > limit; i -= 1) {
    placed[i] = limit;
    limit -= apart;
  }
  return placed;
}

function marks(geometry, labels, story, style) {
  const shown = story
    .map((item, number) => ({ ...item, number }))
    .filter((item) => geometry.inside(item.time));
  const wanted = shown.map((item) => geometry.along(item.time));
  const apart = style.size * 1.8;
  const positions = spread(wanted, apart, geometry.start, geometry.end + apart / 4);
  const side = geometry.style.before - (geometry.tall ? 12 : 14);
  return shown.flatMap((item, index) => {
    const at = geometry.place(positions[index], side);
    const lines = [String(item.number + 1)];
    const label = { lines, ...style, anchor: 'middle', ...at };
    const placed = labels.place([label], { kind: 'mark', pad: 4, index: item.index });
    return placed ? [{ ...placed, time: item.time, node: item.node }] : [];
  });
}

/** What clients believe, and while they are away: what no word about another should lie on. */
const clientBars = (geometry, model) =>
  [...beliefs(geometry, model), ...absences(geometry, model)].filter(({ tag }) => tag === 'rect');

/** The lanes of clients but for those named. */
const otherLanes = ({ lanes, domain, rectangle }, ...own) =>
  lanes
    .filter(({ name, role }) => role === 'client' && !own.includes(name))
    .map((lane) => rectangle(...domain, lane.from, lane.to));

function rejections(geometry, model, labels, style) {
  const held = clientBars(geometry, model);
  for (const write of model.writes) {
    if (write.accepted || !geometry.inside(write.time)) continue;
    const end = bounceEnd(geometry, write, keyTrack(geometry, model, write.key).from);
    labels.reserve({ x: end.x - 5, y: end.y - 5, width: 10, height: 10 });
    const tries = [...about(end, [[comparison(write)]], { ...style, bold: true })];
    const placing = { kind: 'comparison', index: write.index };
    labels.place(tries, placing, held) ?? labels.place(tries, placing);
  }
}

/** What is amiss with an accepted value: that it came after its lease, or from an old value. */
function amissLabels(geometry, model, labels, style) {
  if (!geometry.lane(STORAGE)) return;
  const held = clientBars(geometry, model);
  for (const value of model.values) {
    if (!isAmiss(model, value) || !geometry.inside(value.from)) continue;
    const { from } = keyTrack(geometry, model, value.key);
    const at = geometry.point(value.from, from);
    labels.reserve({ x: at.x - 6, y: at.y - 6, width: 12, height: 12 });
    const old = geometry.tall
      ? [['from', 'the old', 'value'], ['old']]
      : [['from the old value'], ['from old']];
    const texts = model.outdated.has(value.index) ? old : [['late']];
    const warning = { ...style, bold: true };
    const tries = [...about(at, texts, warning, [10, 18, 30])];
    const placing = { kind: 'amiss-label', index: value.index };
    labels.place(tries, placing, held) ?? labels.place(tries, placing);
  }
}

function repeatLabels(geometry, model, labels, style) {
  for (const repeat of model.repeats) {
    if (!geometry.lane(STORAGE) || !geometry.inside(repeat.time)) continue;
    const { from } = keyTrack(geometry, model, repeat.key);
    const at = geometry.point(repeat.time, from);
    const texts = geometry.tall
      ? [['=', 'answered', 'before'], ['=']]
      : [['= answered before'], ['=']];
    const placing = { kind: 'repeat-label', index: repeat.index };
    labels.place(about(at, texts, style, [8, 16]), placing, otherLanes(geometry));
  }
}

const stampTexts = ({ tall }) =>
  tall ? [['CORRUPTED', 'DATA']] : [['CORRUPTED DATA'], ['CORRUPTED', 'DATA']];

/** On the value itself; on a narrow column beyond its far side, and as small as it must be. */
function* stampTries(geometry, value, middle, style) {
  for (const size of [style.size, style.size - 1, style.size - 2]) {
    const width = style.measure('CORRUPTED', size, style.bold);
    const side = geometry.tall ? Math.min(middle, geometry.width - width / 2 - 2) : middle;
    yield* along(geometry, value.from, value.to, side, stampTexts(geometry), { ...style, size }, 8);
  }
}

function stamps(geometry, model, labels, style) {
  const bold = { ...style, bold: true };
  const writes = model.messages.filter(({ operation, reply }) => operation === 'write' && !reply);
  const kept = geometry.tall
    ? otherLanes(geometry)
    : [...clientBars(geometry, model), ...writes.flatMap((one) => pathBoxes(geometry, one))];
  for (const value of model.values) {
    if (!value.stale || !geometry.isVisible(value.from, value.to)) continue;
    const { middle } = keyTrack(geometry, model, value.key);
    const placing = { kind: 'stamp', index: value.index, from: value.index + 1 };
    const at = geometry.point(Math.max(value.from, geometry.domain[0]), middle);
    const beside = [...about(at, stampTexts(geometry), bold, [12, 30, 50])];
    labels.place(stampTries(geometry, value, middle, bold), placing, kept) ??
      labels.place(beside, placing, kept) ??
      labels.place(beside, placing);
  }
}

function gapLabels(geometry, model, labels, style) {
  const service = geometry.lane(SERVICE);
  if (!service) return;
  const longest = [...model.gaps].sort((a, b) => b.to - b.from - (a.to - a.from));
  for (const gap of longest) {
    const lane = geometry.lane(gap.client);
    if (!lane || !geometry.isVisible(gap.from, gap.to)) continue;
    const between = (Math.min(service.to, lane.to) + Math.max(service.from, lane.from)) / 2;
    const inLane = (lane.from + lane.to) / 2;
    const texts = geometry.tall
      ? [['still', 'believes', 'it holds', 'the lock'], ['still', 'believes'], ['stale']]
      : [
          [`${gap.client} still believes it holds the lock`],
          ['still believes it holds it'],
          ['still believes'],
          ['stale'],
        ];
    const warning = { ...style, bold: true };
    const placing = { kind: 'gap-label' };
    const middle = geometry.tall ? inLane : Math.min(between, service.to + lane.gap / 2);
    const pad = geometry.tall ? 6 : 10;
    const within = (lines, side, ends) =>
      labels.place(along(geometry, gap.from, gap.to, side, [lines], warning, ends), placing);
    const beyond = (lines) =>
      !geometry.tall &&
      labels.place(astride(geometry, gap.from, gap.to, middle, [lines], warning), placing);
    texts.some((lines) => within(lines, middle, pad) || beyond(lines) || within(lines, inLane));
  }
}

/** Which lock or key each track of a lane is of, where a lane has several. */
function trackNames(geometry, model, labels, style) {
  const [from, to] = geometry.domain;
  const name = (names, trackOf) => {
    if (names.length < 2) return;
    for (const one of names) {
      const { middle } = trackOf(geometry, model, one);
      const tries = along(geometry, from, to, middle, [[short(one, 16)]], style, 4);
      labels.place(tries, { kind: 'track-name' });
    }
  };
  if (geometry.lane(SERVICE)) name(model.locks, lockTrack);
  if (geometry.lane(STORAGE)) name(model.keys, keyTrack);
}

// The histories of other systems need not tell tokens and values.
const isTold = (one) => one !== undefined && one !== null;

function leaseTexts({ token, client }, tall) {
  if (!isTold(token)) return [[client]];
  if (tall) return [['token', `${token}`], [`${token}`]];
  return [[`token ${token} · ${client}`], [`${token} · ${client}`], [`${token}`]];
}

function valueTexts({ token, value }, tall) {
  if (!isTold(token)) return value === undefined ? [] : [[short(value)]];
  if (tall) return [[`${token}`]];
  const shorter = [[`fence_token ${token}`], [`${token}`]];
  return value === undefined ? shorter : [[`${short(value)} · fence_token ${token}`], ...shorter];
}

function beliefTexts({ token }, tall) {
  if (!isTold(token)) return [['holds it']];
  if (tall) return [['believes', 'it holds', `${token}`], ['holds', `${token}`], [`${token}`]];
  return [[`believes it holds ${token}`], [`holds ${token}`], [`${token}`]];
}

/** Which token a stale value has, and over which: on it, or as near as may be. */
function staleLabel(geometry, value, { from, to, middle }, labels, style) {
  const { token } = value;
  const lines = [`${token} over ${value.over}`];
  const placing = { kind: 'value-label', index: value.index };
  const inBar = (side, texts, pad, room) =>
    along(geometry, value.from, value.to, side, texts, { ...style, room }, pad);
  const at = geometry.point(Math.max(value.from, geometry.domain[0]), middle);
  if (geometry.tall) {
    const beyond = geometry.width - labels.measure(lines[0], style.size, false) / 2 - 2;
    const broken = [`${token}`, `over ${value.over}`];
    const y = at.y + style.size * 1.2 + 2;
    const left = { lines: broken, ...style, anchor: 'end', y };
    const tries = [
      ...inBar(middle, [lines, broken], 7, to - from),
      ...inBar(Math.min(middle, beyond), [lines], 3),
      ...[50, 70].map((by) => ({ ...left, x: at.x - by })),
    ];
    labels.place(tries, placing, otherLanes(geometry)) ?? labels.place(tries, placing);
    return;
  }
  const above = { lines, ...style, anchor: 'start', x: at.x + 8, y: from - 10 };
  labels.place(inBar(middle, [lines], 7), placing) ??
    labels.place([above, ...about(at, [lines], style, [14, 30, 46])], placing);
}

function barLabels(geometry, model, labels, style) {
  for (const lease of model.leases) {
    if (!geometry.lane(SERVICE) || !geometry.isVisible(lease.from, lease.to)) continue;
    const { middle, from, to } = lockTrack(geometry, model, lease.lock);
    const texts = leaseTexts(lease, geometry.tall);
    const tries = along(
      geometry,
      lease.from,
      lease.to,
      middle,
      texts,
      { ...style, bold: true, room: to - from },
      5,
    );
    labels.place(tries, { kind: 'token', index: lease.index });
  }
  for (const value of model.values) {
    if (!geometry.lane(STORAGE) || !geometry.isVisible(value.from, value.to)) continue;
    const { middle, from, to } = keyTrack(geometry, model, value.key);
    if (value.stale) {
      staleLabel(geometry, value, { from, to, middle }, labels, style);
      continue;
    }
    const texts = valueTexts(value, geometry.tall);
    const tries = along(
      geometry,
      value.from,
      value.to,
      middle,
      texts,
      { ...style, room: to - from },
      7,
    );
    labels.place(tries, { kind: 'value-label', index: value.index });
  }
}

const AWAY = { pause: 'paused', suspend: 'asleep', crash: 'crashed' };

function laneLabels(geometry, model, labels, style) {
  const gapStarts = new Map(model.gaps.map((gap) => [`${gap.client}\n${gap.token}`, gap.from]));
  for (const belief of model.beliefs) {
    const lane = geometry.lane(belief.client);
    if (!lane || !geometry.isVisible(belief.from, belief.to)) continue;
    const middle = (lane.from + lane.to) / 2;
    const texts = beliefTexts(belief, geometry.tall);
    const gap = gapStarts.get(`${belief.client}\n${belief.token}`);
    const to = gap > belief.from ? gap : belief.to;
    const fitting = { ...style, room: lane.to - lane.from };
    const tries = along(geometry, belief.from, to, middle, texts, fitting, 5);
    labels.place(tries, { kind: 'belief-label', index: belief.index });
  }
  for (const absence of model.absences) {
    const lane = geometry.lane(absence.node);
    if (!lane || !geometry.isVisible(absence.from, absence.to)) continue;
    const word = AWAY[absence.kind];
    const time = `${seconds(absence.to - absence.from)} s`;
    const texts = geometry.tall ? [[word, time], [word]] : [[`${word} ${time}`], [word]];
    const middle = geometry.tall ? (lane.from + lane.to) / 2 : lane.to + 10;
    const fitting = { ...style, room: lane.to - lane.from + 8 };
    const tries = along(geometry, absence.from, absence.to, middle, texts, fitting, 4);
    labels.place(tries, { kind: 'away-label', index: absence.index });
  }
  for (const cut of model.partitions) {
    const side = cutBetween(geometry, cut);
    if (!side || !geometry.isVisible(cut.from, cut.to)) continue;
    const middle = (side.near + side.far) / 2;
    const texts = geometry.tall ? [['cut']] : [['network cut'], ['cut']];
    const tries = along(geometry, cut.from, cut.to, middle, texts, style, 4);
    labels.place(tries, { kind: 'cut-label', index: cut.index });
  }
}

/** Keeps words off the knobs of pauses. */
function keepKnobsFree(geometry, model, labels) {
  for (const absence of model.absences) {
    const lane = geometry.lane(absence.node);
    if (!lane) continue;
    for (const time of [absence.from, absence.to]) {
      if (!geometry.inside(time)) continue;
      const { x, y } = geometry.point(time, (lane.from + lane.to) / 2);
      const half = geometry.tall ? [(lane.to - lane.from) / 2 - 4, 5] : [5, 11];
      labels.reserve({ x: x - half[0], y: y - half[1], width: 2 * half[0], height: 2 * half[1] });
    }
  }
}

/** Keeps words off the ends of lost messages. */
function keepCrossesFree(geometry, model, labels) {
  for (const message of model.messages) {
    const ends = message.lost && endsOf(geometry, message);
    if (ends) labels.reserve({ x: ends[1].x - 5, y: ends[1].y - 5, width: 10, height: 10 });
  }
}

function fenceLabels(geometry, model, labels, style) {
  for (const fence of model.fences) {
    if (!geometry.lane(STORAGE) || !geometry.inside(fence.time)) continue;
    const { from, to } = keyTrack(geometry, model, fence.key);
    const texts = fence.holds
      ? [[`fence ${fence.token}`], [`${fence.token}`]]
      : [[`no fence ${fence.token}`]];
    const at = geometry.point(fence.time, (from + to) / 2);
    const placing = { kind: 'fence-label', index: fence.index };
    labels.place(about(at, texts, style, [6]), placing, otherLanes(geometry));
  }
}

/** Says what the line is at which two runs part. */
function differenceLabel(geometry, labels, time, style) {
  if (time === undefined || time === null || !geometry.inside(time)) return;
  const { lanes } = geometry;
  const sides = lanes.slice(0, -1).map((lane, i) => (lane.to + lanes[i + 1].from) / 2);
  const texts = geometry.tall ? [['first', 'change'], ['changed']] : [['first difference']];
  const tries = sides
    .reverse()
    .flatMap((side) => [...about(geometry.point(time, side), texts, style, [6, 14])]);
  labels.place(tries, { kind: 'difference-label' });
}

/**
 * Whose clock a ruler shows: before it on a wide picture; on a tall one in its lane, or else between
 * its marks.
 */
function rulerNames(geometry, model, labels, style) {
  const lanes = new Set(rulerMarks(geometry, model).map(({ lane }) => lane));
  for (const lane of lanes) {
    const tries = [];
    if (geometry.tall) {
      const [from, to] = geometry.domain;
      const texts = [['its', 'clock']];
      const fitting = { ...style, room: lane.to - lane.from - 2 };
      tries.push(...along(geometry, from, to, (lane.from + lane.to) / 2, texts, fitting, 4));
      for (const one of along(geometry, from, to, lane.to + 7, texts, style, 4))
        tries.push({ ...one, anchor: 'start' });
    } else {
      for (const text of [`${lane.name}’s clock`, 'its clock'])
        tries.push({ lines: [text], ...style, anchor: 'start', x: 0, y: lane.to + 12 });
    }
    const fitting = tries.filter(
      ({ lines }) => geometry.tall || labels.measure(lines[0], style.size) < geometry.start - 10,
    );
    const placing = { kind: 'ruler-name', pad: geometry.tall ? 3 : 0, node: lane.name };
    labels.place(fitting, placing, clientBars(geometry, model));
  }
}

/** A reading stands beside its own lane and across nothing else, or not at all. */
function rulerLabels(geometry, model, labels, style) {
  const wires = new Map();
  const away = absences(geometry, model).filter(({ tag }) => tag === 'rect');
  const kept = ({ name, to, gap }) => {
    if (!wires.has(name)) {
      const near = model.messages.flatMap((message) =>
        pathBoxes(geometry, message, [to, to + gap]),
      );
      wires.set(name, [...near, ...away, ...otherLanes(geometry, name)]);
    }
    return wires.get(name);
  };
  for (const { lane, time, local } of rulerMarks(geometry, model)) {
    const text = seconds(local);
    const at = geometry.point(time, lane.to + (geometry.tall ? 7 : 12));
    const anchor = geometry.tall ? 'start' : 'middle';
    const label = { lines: [text], ...style, anchor, ...at };
    labels.place([label], { kind: 'ruler-label', pad: 1 }, kept(lane));
  }
}

const MOST_MESSAGE_LABELS = 200;
const FEW_READS = 4;

/** Where a message is between two lanes: in the middle of the way, and at each gap that it crosses. */
function betweenLanes({ tall, lanes }, [a, b]) {
  const side = tall ? 'x' : 'y';
  const [low, high] = [a[side], b[side]].sort((one, other) => one - other);
  const gaps = lanes
    .map(({ to, gap }) => to + gap / 2)
    .filter((across) => across > low && across < high)
    .map((across) => (across - a[side]) / (b[side] - a[side]));
  return [...gaps, 0.5].map((share) => ({
    x: a.x + share * (b.x - a.x),
    y: a.y + share * (b.y - a.y),
  }));
}

/** What messages carry, where there is room for it, as there is when a stretch is magnified. */
function messageLabels(geometry, model, labels, style) {
  if (model.messages.length > 10 * MOST_MESSAGE_LABELS) return;
  const shown = model.messages.filter((message) => endsOf(geometry, message));
  if (shown.length > MOST_MESSAGE_LABELS) return;
  const { start, height } = geometry;
  const names = geometry.tall
    ? { x: 0, y: 0, width: 0, height: 0 }
    : { x: 0, y: 0, width: start - 2, height };
  const isRead = ({ operation, reply }) => operation === 'read' && !reply;
  const named = new Set(['write']);
  if (model.messages.filter(isRead).length <= FEW_READS) named.add('read');
  for (const message of shown) {
    const [a, b] = endsOf(geometry, message);
    const length = geometry.tall ? b.y - a.y : b.x - a.x;
    const isNamed = named.has(message.operation) && !message.reply;
    if (length < 24 && (!isNamed || geometry.tall)) continue;
    const token = message.token === undefined || isRead(message) ? '' : ` ${message.token}`;
    const text = message.reply
      ? `${message.outcome ?? 'answer'}${token}`
      : `${message.operation}${token}`;
    const tries = betweenLanes(geometry, [a, b]).flatMap((at) => [
      ...about(at, [[text]], style, [7]),
    ]);
    const placing = { kind: 'message-label', index: message.last };
    const kept = [...otherLanes(geometry, message.from, message.to), names];
    labels.place(tries, placing, kept);
  }
}

/** Places all words; gives them, and the marks whose leaders are to be drawn. */
export function captions(geometry, model, labels, view) {
  const size = geometry.style.font;
  const small = geometry.style.small;
  const normal = { size, bold: false, measure: labels.measure };
  const little = { size: small, bold: false, measure: labels.measure };
  laneNames(geometry, labels, { ...normal, bold: true });
  const leaders = marks(geometry, labels, view.story ?? [], { ...little, bold: true });
  keepKnobsFree(geometry, model, labels);
  keepCrossesFree(geometry, model, labels);
  rejections(geometry, model, labels, normal);
  stamps(geometry, model, labels, normal);
  amissLabels(geometry, model, labels, normal);
  repeatLabels(geometry, model, labels, little);
  gapLabels(geometry, model, labels, normal);
  barLabels(geometry, model, labels, little);
  trackNames(geometry, model, labels, little);
  laneLabels(geometry, model, labels, little);
  fenceLabels(geometry, model, labels, little);
  differenceLabel(geometry, labels, view.difference, little);
  rulerNames(geometry, model, labels, { ...little, size: small - 1 });
  rulerLabels(geometry, model, labels, { ...little, size: small - 1 });
  messageLabels(geometry, model, labels, little);
  return leaders;
}
