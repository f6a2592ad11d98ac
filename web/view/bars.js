// The things that last: lanes, leases, beliefs, gaps, values, and nodes that are away.
//
// A shape is { tag, class, attributes..., index? }: index is the event that a click goes to.

import { roundStep, SERVICE, STORAGE } from './model.js';
import { readingsWithin, roundTimes } from './ruler.js';

const rect = (box, kind, more = {}) => ({ tag: 'rect', class: kind, ...box, ...more });

/** A line across the lanes at an instant. */
export function instantLine(geometry, time, near, far, kind, more = {}) {
  const a = geometry.point(time, near);
  const b = geometry.point(time, far);
  return { tag: 'path', class: kind, d: `M${a.x} ${a.y}L${b.x} ${b.y}`, ...more };
}

const clientNumbers = new WeakMap();

/** The class that gives a client its colour. */
export function colour(model, client) {
  let numbers = clientNumbers.get(model.nodes);
  if (!numbers) {
    const clients = model.nodes.filter((node) => node.role === 'client');
    numbers = new Map(clients.map((node, index) => [node.name, index]));
    clientNumbers.set(model.nodes, numbers);
  }
  return numbers.has(client) ? `c${numbers.get(client) % 6}` : 'c-none';
}

export const lockTrack = (geometry, model, lock) => {
  const lane = geometry.lane(SERVICE);
  return geometry.track(lane, Math.max(0, model.locks.indexOf(lock)));
};

export const keyTrack = (geometry, model, key) => {
  const lane = geometry.lane(STORAGE);
  return geometry.track(lane, Math.max(0, model.keys.indexOf(key)));
};

export function tracks(geometry) {
  const [from, to] = geometry.domain;
  return geometry.lanes.flatMap((lane) =>
    Array.from({ length: lane.tracks }, (_, index) => {
      const track = geometry.track(lane, index);
      return rect(geometry.rectangle(from, to, track.from, track.to), `track ${lane.role}`);
    }),
  );
}

/** The gap between belief and truth, from the client's lane to the service's. */
export function gaps(geometry, model) {
  const service = geometry.lane(SERVICE);
  if (!service) return [];
  return model.gaps.flatMap((gap) => {
    const lane = geometry.lane(gap.client);
    if (!lane || !geometry.isVisible(gap.from, gap.to)) return [];
    const near = Math.min(service.from, lane.from);
    const far = Math.max(service.to, lane.to);
    const box = geometry.rectangle(gap.from, gap.to, near, far);
    const edges = [gap.from, gap.to]
      .filter(geometry.inside)
      .map((time) => instantLine(geometry, time, near, far, 'gap-edge'));
    return [rect(box, 'gap'), ...edges];
  });
}

export function leases(geometry, model) {
  if (!geometry.lane(SERVICE)) return [];
  return model.leases.flatMap((lease) => {
    if (!geometry.isVisible(lease.from, lease.to)) return [];
    const { from, to } = lockTrack(geometry, model, lease.lock);
    const hue = colour(model, lease.client);
    const shapes = [];
    shapes.push(
      rect(geometry.rectangle(lease.from, lease.to, from, to), `lease ${hue}`, {
        index: lease.index,
      }),
    );
    for (const renewal of lease.renewals) {
      if (!geometry.inside(renewal.time)) continue;
      const line = instantLine(geometry, renewal.time, to - 6, to, 'renewal');
      shapes.push({ ...line, index: renewal.index });
    }
    if (lease.end === 'expired' && geometry.inside(lease.to)) {
      const line = instantLine(geometry, lease.to, from - 6, to + 6, 'lease-end');
      shapes.push({ ...line, index: lease.last });
    }
    return shapes;
  });
}

export function beliefs(geometry, model) {
  const shapes = [];
  for (const belief of model.beliefs) {
    const lane = geometry.lane(belief.client);
    if (!lane || !geometry.isVisible(belief.from, belief.to)) continue;
    const box = geometry.rectangle(belief.from, belief.to, lane.from, lane.to);
    const hue = colour(model, belief.client);
    shapes.push(rect(box, `belief ${hue}`, { index: belief.index }));
  }
  for (const work of model.works) {
    const lane = geometry.lane(work.client);
    if (!lane || !geometry.isVisible(work.from, work.to)) continue;
    const box = geometry.rectangle(work.from, work.to, lane.to - 5, lane.to);
    shapes.push(rect(box, `work ${colour(model, work.client)}`, { index: work.index }));
  }
  return shapes;
}

/** A belief that is not true: hatched, over all else in its lane. */
export function falseBeliefs(geometry, model) {
  return model.gaps.flatMap((gap) => {
    const lane = geometry.lane(gap.client);
    if (!lane || !geometry.isVisible(gap.from, gap.to)) return [];
    return [rect(geometry.rectangle(gap.from, gap.to, lane.from, lane.to), 'belief-false')];
  });
}

/** Whether a value was accepted, and by its token rightly, though it came late or from an old one. */
export const isAmiss = (model, { late, index }) => Boolean(late) || model.outdated.has(index);

export function values(geometry, model) {
  if (!geometry.lane(STORAGE)) return [];
  const shapes = [];
  for (const value of model.values) {
    if (!geometry.isVisible(value.from, value.to)) continue;
    const { from, to } = keyTrack(geometry, model, value.key);
    const hue = colour(model, value.client);
    const kind = value.stale
      ? 'value stale'
      : `value ${hue}${isAmiss(model, value) ? ' amiss' : ''}`;
    const box = geometry.rectangle(value.from, value.to, from, to);
    shapes.push(rect(box, kind, { index: value.index }));
    if (geometry.inside(value.from)) {
      shapes.push(instantLine(geometry, value.from, from, to, `value-edge ${hue}`));
      if (isAmiss(model, value)) {
        const { x, y } = geometry.point(value.from, from);
        const d = `M${x} ${y - 6}l6 6l-6 6l-6 -6z`;
        shapes.push({ tag: 'path', class: 'amiss-mark', d, index: value.index });
      }
    }
  }
  for (const fence of model.fences) {
    if (!fence.holds || !geometry.inside(fence.time)) continue;
    const { from, to } = keyTrack(geometry, model, fence.key);
    const line = instantLine(geometry, fence.time, from - 4, to + 4, 'fence');
    shapes.push({ ...line, index: fence.index });
  }
  return shapes;
}

/** A rejected write comes back off the storage's edge, and ends in a cross. */
export function bounces(geometry, model) {
  const lane = geometry.lane(STORAGE);
  if (!lane) return [];
  return model.writes.flatMap((write) => {
    if (write.accepted || !geometry.inside(write.time)) return [];
    const { from } = keyTrack(geometry, model, write.key);
    const hit = geometry.point(write.time, from);
    const end = bounceEnd(geometry, write, from);
    const cross = `M${end.x - 4} ${end.y - 4}l8 8m0 -8l-8 8`;
    return [
      {
        tag: 'path',
        class: 'bounce',
        d: `M${hit.x} ${hit.y}L${end.x} ${end.y}`,
        index: write.index,
      },
      { tag: 'path', class: 'bounce-cross', d: cross, index: write.index },
    ];
  });
}

/** A write that comes again leaves only a tick before the storage's edge. */
export function repeats(geometry, model) {
  if (!geometry.lane(STORAGE)) return [];
  return model.repeats.flatMap((repeat) => {
    if (!geometry.inside(repeat.time)) return [];
    const { from } = keyTrack(geometry, model, repeat.key);
    const line = instantLine(geometry, repeat.time, from - 7, from + 5, 'repeat');
    return [{ ...line, index: repeat.index }];
  });
}

/** Where the bounced write ends: a little later, a little before the storage's edge. */
export function bounceEnd(geometry, write, edge) {
  const hit = geometry.point(write.time, edge);
  return geometry.tall ? { x: hit.x - 10, y: hit.y + 14 } : { x: hit.x + 14, y: hit.y - 15 };
}

/** How far a pause's block reaches beyond its lane: on a wide picture its label lies below. */
const awayMargins = (geometry) => (geometry.tall ? [4, 4] : [5, 19]);

export function absences(geometry, model) {
  return model.absences.flatMap((absence) => {
    const lane = geometry.lane(absence.node);
    if (!lane || !geometry.isVisible(absence.from, absence.to)) return [];
    const [before, after] = absence.kind === 'crash' ? [1, 1] : awayMargins(geometry);
    const box = geometry.rectangle(absence.from, absence.to, lane.from - before, lane.to + after);
    const shapes = [rect(box, absence.kind, { index: absence.index })];
    if (absence.kind === 'crash' && geometry.inside(absence.from)) {
      const { x, y } = geometry.point(absence.from, (lane.from + lane.to) / 2);
      const d = `M${x - 5} ${y - 5}l10 10m0 -10l-10 10`;
      shapes.push({ tag: 'path', class: 'crash-cross', d, index: absence.index });
    }
    return shapes;
  });
}

const TICK = 5;

/** The rulers of clocks that are off, along the far side of their lanes. */
export function rulers(geometry, model) {
  return rulerMarks(geometry, model).map(({ lane, time }) =>
    instantLine(geometry, time, lane.to, lane.to + TICK, 'ruler'),
  );
}

/** Where the ruler marks are: [{ lane, time, local }]. */
export function rulerMarks(geometry, model) {
  const step = roundStep(geometry.domain[1] - geometry.domain[0], geometry.tall ? 6 : 9);
  const pixel = 1 / geometry.perSecond;
  const marks = [];
  for (const [node, readings] of model.readings) {
    const lane = geometry.lane(node);
    if (!lane || lane.role !== 'client') continue;
    for (const mark of roundTimes(readingsWithin(readings, geometry.domain, pixel), step)) {
      if (geometry.inside(mark.time)) marks.push({ ...mark, lane });
    }
  }
  return marks;
}
