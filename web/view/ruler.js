// A client whose clock is off has a ruler of its own: marks where its clock shows round seconds.

import { firstWhere } from '../../js/search.js';

/** The nodes whose clocks are not the true one. */
export function skewedNodes(model) {
  const stepped = new Set(model.steps.map((step) => step.node));
  for (const client of model.scenario?.clients ?? []) {
    const { offset = 0, rate = 1 } = client.clock ?? {};
    if (offset !== 0 || rate !== 1) stepped.add(client.id);
  }
  return stepped;
}

/** What each skewed node's clock showed at its events: [{ time, local }], in the order of time. */
export function readingsOf(model) {
  const readings = new Map([...skewedNodes(model)].map((node) => [node, []]));
  if (readings.size === 0) return readings;
  for (const { node, time, localTime } of model.events) {
    const list = localTime === undefined ? undefined : readings.get(node);
    if (list && list.at(-1)?.time !== time) list.push({ time, local: localTime });
    else if (list) list.at(-1).local = localTime;
  }
  return readings;
}

const firstAfter = (readings, time) => firstWhere(readings.length, (i) => readings[i].time > time);

/** The readings about a stretch of time that are at least `apart`, in seconds. */
export function readingsWithin(readings, [from, to], apart) {
  const near = readings.slice(
    Math.max(0, firstAfter(readings, from) - 1),
    firstAfter(readings, to) + 1,
  );
  let last = -Infinity;
  return near.filter(({ time }, i) => {
    const isKept = time - last >= apart || i === near.length - 1;
    if (isKept) last = time;
    return isKept;
  });
}

// So many marks between two readings tell of a clock that was set, not of one that ran.
const JUMP = 100;

/** When the clock showed each multiple of `step`: [{ time, local }], by what lies between readings. */
export function roundTimes(readings, step) {
  const marks = [];
  for (let i = 1; i < readings.length; i += 1) {
    const [a, b] = [readings[i - 1], readings[i]];
    const rate = (b.local - a.local) / (b.time - a.time);
    if (!(rate > 0) || !Number.isFinite(rate)) continue;
    const first = Math.ceil(a.local / step - 1e-9);
    const last = Math.floor(b.local / step + 1e-9);
    if (last - first > JUMP) continue;
    for (let n = first; n <= last; n += 1) {
      const time = a.time + (n * step - a.local) / rate;
      if (marks.at(-1)?.local !== n * step) marks.push({ time, local: n * step });
    }
  }
  return marks;
}
