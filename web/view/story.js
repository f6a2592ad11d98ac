// The few events that tell what happened: what is numbered on the picture and told below it.

import { STORAGE } from './model.js';

const MOST = 5;
const SURELY = 200;

/** How much each event matters to someone who sees the run for the first time. */
function weights(model) {
  const told = verdict(model).writes;
  const late = model.repeats.filter((repeat) => repeat.newer !== null);
  const repeated = new Set(late.map((repeat) => repeat.message));
  const repeats = new Set(late.map((repeat) => repeat.index));
  const uncaught = new Set(model.writes.filter((write) => write.newer).map(({ index }) => index));
  const decisive = [
    ...model.writes.filter((write) => !write.accepted || write.stale || write.newer),
    ...late,
  ];
  const newest = ({ newer, highest: seen }) => newer?.token ?? newer ?? seen;
  const tokens = new Set(decisive.flatMap((write) => [write.token, newest(write)]));
  const highest = new Set(decisive.map(newest));
  const gapStarts = new Set(model.gaps.map((gap) => gap.from));
  const fatal = new Set(
    model.absences
      .filter(({ node, from, to }) =>
        model.gaps.some((gap) => gap.client === node && from < gap.from && to > gap.from),
      )
      .map((absence) => absence.index),
  );
  const next = nextGrants(model);
  const violations = new Set(model.violations.map((violation) => violation.sequence));
  return (event, index) => {
    if (index === told[0]?.index) return SURELY;
    if (fatal.has(index)) return 85;
    if (violations.has(index)) return 95;
    switch (event.kind) {
      case 'write':
        if (event.outcome !== 'accepted' || event.stale || uncaught.has(index)) return 100;
        if (repeated.has(event.message)) return 60;
        return highest.has(event.token) ? 50 : 20;
      case 'deliver':
        return repeats.has(index) ? 92 : 0;
      case 'expire':
        return gapStarts.has(event.time) ? 90 : 35;
      case 'acquire':
        if (event.outcome !== 'granted') return 0;
        if (tokens.has(event.token)) return 80;
        return next.has(index) ? 57 : 30;
      case 'release':
      case 'renew':
        return event.outcome === 'refused' ? 47 : 0;
      case 'distrust':
        return ['expired', 'refused'].includes(event.reason) ? 55 : 0;
      case 'fence':
        return model.fences.length > 4 ? 15 : 52;
      case 'partition':
      case 'crash':
        return 48;
      case 'heal':
      case 'restart':
      case 'clock-step':
        return 46;
      case 'pause':
      case 'suspend':
        return 44;
      default:
        return 0;
    }
  };
}

/** The grants of a lock whose lease before had run out. */
function nextGrants({ leases }) {
  const before = new Map();
  const found = new Set();
  for (const { lock, end, index } of leases) {
    if (before.get(lock) === 'expired') found.add(index);
    before.set(lock, end);
  }
  return found;
}

/** @returns {{ index: number, time: number, node: string }[]} in the order of time */
export function tellStory(model, most = MOST) {
  const weigh = weights(model);
  const seen = new Set();
  const candidates = [];
  model.events.forEach((event, index) => {
    const weight = weigh(event, index);
    if (weight === 0) return;
    const { kind, node, peer, outcome, token, stale } = event;
    const sameSort = [kind, node, peer, outcome, token, stale].join(' ');
    if (seen.has(sameSort) && event.kind !== 'expire' && weight !== SURELY) return;
    seen.add(sameSort);
    candidates.push({ index, time: event.time, node: event.node, weight });
  });
  candidates.sort((a, b) => b.weight - a.weight || a.index - b.index);
  return candidates.slice(0, most).sort((a, b) => a.index - b.index);
}

/**
 * How the run ended, as far as the storage is concerned. A write is `uncaught` when a newer token
 * was granted before the storage took it, but had not been there; `late` when its lease was over,
 * and no newer token granted; `repeated` when it came again after a newer one.
 */
export function verdict(model) {
  const stale = model.writes.filter((write) => write.stale);
  const rejected = model.writes.filter((write) => !write.accepted);
  const accepted = model.writes.length - rejected.length;
  const uncaught = model.writes.filter((write) => write.newer);
  const late = model.writes.filter((write) => write.late);
  const repeats = model.repeats.filter((repeat) => repeat.newer !== null);
  const broken = model.violations.length > 0;
  if (stale.length > 0) return { kind: 'corrupted', writes: stale };
  // In a history this is what was looked for.
  if (broken && model.judged) return { kind: 'broken', writes: [] };
  if (uncaught.length > 0 && !broken) return { kind: 'uncaught', writes: uncaught };
  if (rejected.length > 0) return { kind: 'fenced', writes: rejected };
  if (broken) return { kind: 'broken', writes: [] };
  if (late.length > 0) return { kind: 'late', writes: late };
  if (repeats.length > 0) return { kind: 'repeated', writes: repeats };
  return { kind: accepted > 0 ? 'quiet' : 'idle', writes: [] };
}

/** Whether the newer holder could have kept an uncaught write out by fencing before it worked. */
export function fencingFirstHelps(model, write) {
  const { scenario } = model;
  if (!scenario || scenario.fencing === 'off' || scenario.network?.loss > 0) return false;
  const { client, token } = write.newer;
  const slowest = scenario.network?.latency?.[1] ?? 0.05;
  const known = model.beliefs.find((one) => one.client === client && one.token === token);
  if (!known || known.from + slowest >= write.time) return false;
  const during = ({ from, to }) => from < write.time && to > known.from;
  const away = model.absences.some((one) => [client, STORAGE].includes(one.node) && during(one));
  const cut = model.partitions.some((one) => one.between.includes(client) && during(one));
  const fenced = model.fences.some((one) => one.client === client && one.token === token);
  return !away && !cut && !fenced;
}
