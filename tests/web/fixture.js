// The lesson's trace, written by hand after the format, until the simulator runs.
const S = 'lock service';
const D = 'storage';
const A = 'client 1';
const B = 'client 2';

export function lesson(fencing = 'at-least', pauseTo = 16) {
  const counts = {};
  const events = [];
  const add = (time, node, kind, more = {}) => events.push({ time, node, kind, ...more });
  const message = (time, from, to, operation, more = {}, latency = 0.03) => {
    const pair = `${from} -> ${to}`;
    counts[pair] = (counts[pair] ?? 0) + 1;
    const name = `${pair} #${counts[pair]}`;
    const rest = { message: name, operation, ...more };
    add(time, from, 'send', { peer: to, until: time + latency, ...rest });
    add(time + latency, to, 'deliver', { peer: from, ...rest });
    return time + latency;
  };
  const lock = 'the lock';
  const key = 'the file';
  add(0, A, 'start');
  let t = message(0, A, S, 'acquire');
  add(t, S, 'acquire', { peer: A, lock, token: 33, outcome: 'granted', until: t + 10 });
  const end = t + 10;
  t = message(t, S, A, 'acquire', { reply: true, token: 33, outcome: 'granted' });
  add(t, A, 'trust', { lock, token: 33, until: null });
  add(t, A, 'work', { until: t + 2 });
  add(1, A, 'pause', { until: pauseTo });
  let value = null;
  let highest = null;
  const write = (time, client, token) => {
    let at = message(time, client, D, 'write', { token, key });
    const stale = highest !== null && token < highest;
    const accepted = !stale || fencing === 'off';
    const next = `from ${client}`;
    add(at, D, 'write', {
      peer: client,
      key,
      token,
      highest,
      value: next,
      previous: value,
      outcome: accepted ? 'accepted' : 'rejected',
      ...(stale && accepted ? { stale: true } : {}),
    });
    if (accepted) value = next;
    if (!stale) highest = token;
    const outcome = accepted ? 'accepted' : 'rejected';
    at = message(at, D, client, 'write', { reply: true, token, outcome });
    return { at, accepted };
  };
  const finish = (time, client, token, reason) => {
    add(time, client, 'distrust', { lock, token, reason });
    add(time, client, 'done');
  };
  if (pauseTo < end) {
    add(pauseTo, A, 'resume');
    const w = write(pauseTo, A, 33);
    finish(w.at, A, 33, 'finished');
    const r = message(w.at, A, S, 'release', { token: 33 });
    add(r, S, 'release', { peer: A, lock, token: 33, outcome: 'ok' });
  }
  add(4, B, 'start');
  let ask = 4;
  const free = pauseTo < end ? pauseTo + 0.09 : end;
  while (true) {
    const got = message(ask, B, S, 'acquire');
    if (got >= free) {
      if (pauseTo >= end) add(end, S, 'expire', { peer: A, lock, token: 33 });
      add(got, S, 'acquire', { peer: B, lock, token: 34, outcome: 'granted', until: got + 10 });
      const back = message(got, S, B, 'acquire', { reply: true, token: 34, outcome: 'granted' });
      add(back, B, 'trust', { lock, token: 34, until: null });
      add(back, B, 'work', { until: back + 2 });
      const w = write(back + 2, B, 34);
      finish(w.at, B, 34, 'finished');
      const r = message(w.at, B, S, 'release', { token: 34 });
      add(r, S, 'release', { peer: B, lock, token: 34, outcome: 'ok' });
      break;
    }
    add(got, S, 'acquire', { peer: B, lock, outcome: 'refused', reason: 'held by client 1' });
    message(got, S, B, 'acquire', { reply: true, outcome: 'refused' });
    ask += 0.5;
  }
  if (pauseTo >= end) {
    add(pauseTo, A, 'resume');
    const w = write(pauseTo, A, 33);
    finish(w.at, A, 33, w.accepted ? 'finished' : 'write rejected');
    const r = message(w.at, A, S, 'release', { token: 33 });
    add(r, S, 'release', { peer: A, lock, token: 33, outcome: 'refused', reason: 'expired' });
  }
  events.sort((a, b) => a.time - b.time);
  events.forEach((event, sequence) => (event.sequence = sequence));
  return {
    scenario: {
      version: 1,
      lease: 10,
      firstToken: 33,
      fencing,
      until: 20,
      seed: 1,
      clients: [
        { id: A, start: 0, work: 2, lock, key },
        { id: B, start: 4, work: 2, lock, key },
      ],
      faults: [{ kind: 'pause', node: A, from: 1, to: pauseTo }],
    },
    events,
    violations: [],
    hash: '0123456789abcdef',
    endTime: 20,
  };
}
