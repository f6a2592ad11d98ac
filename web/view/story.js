// The few events that tell what happened: what is numbered on the picture and told below it.

const MOST = 5;

/** How much each event matters to someone who sees the run for the first time. */
function weights(model) {
  const decisive = model.writes.filter((write) => !write.accepted || write.stale);
  const tokens = new Set(decisive.flatMap((write) => [write.token, write.highest]));
  const highest = new Set(decisive.map((write) => write.highest));
  const gapStarts = new Set(model.gaps.map((gap) => gap.from));
  const fatal = new Set(
    model.absences
      .filter(({ node, from, to }) =>
        model.gaps.some((gap) => gap.client === node && from < gap.from && to > gap.from),
      )
      .map((absence) => absence.index),
  );
  const violations = new Set(model.violations.map((violation) => violation.sequence));
  return (event, index) => {
    if (fatal.has(index)) return 85;
    if (violations.has(event.sequence) && event.sequence !== undefined) return 95;
    switch (event.kind) {
      case 'write':
        if (event.outcome !== 'accepted' || event.stale) return 100;
        return highest.has(event.token) ? 50 : 20;
      case 'expire':
        return gapStarts.has(event.time) ? 90 : 35;
      case 'acquire':
        if (event.outcome !== 'granted') return 0;
        return tokens.has(event.token) ? 80 : 30;
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
    if (seen.has(sameSort) && event.kind !== 'expire') return;
    seen.add(sameSort);
    candidates.push({ index, time: event.time, node: event.node, weight });
  });
  candidates.sort((a, b) => b.weight - a.weight || a.index - b.index);
  return candidates.slice(0, most).sort((a, b) => a.index - b.index);
}

/** How the run ended, as far as the storage is concerned. */
export function verdict(model) {
  const stale = model.writes.filter((write) => write.stale);
  const rejected = model.writes.filter((write) => !write.accepted);
  const accepted = model.writes.length - rejected.length;
  if (stale.length > 0) return { kind: 'corrupted', writes: stale };
  if (rejected.length > 0) return { kind: 'fenced', writes: rejected };
  if (model.violations.length > 0) return { kind: 'broken', writes: [] };
  return { kind: accepted > 0 ? 'quiet' : 'idle', writes: [] };
}
