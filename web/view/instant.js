// The state at an instant: the events up to it, folded. Snapshots make a seek cheap anywhere.

import { SERVICE, STORAGE } from './model.js';

const SNAPSHOT_EVERY = 64;

const DOING = {
  start: 'started',
  work: 'working',
  done: 'done',
  pause: 'paused',
  suspend: 'suspended',
  crash: 'crashed',
};
const BACK = new Set(['resume', 'wake', 'restart']);

function beginning(clients) {
  const state = { locks: {}, clients: {}, keys: {}, stale: 0, rejected: 0 };
  for (const name of clients)
    state.clients[name] = { doing: 'not started', away: null, trust: null };
  return state;
}

/** The state after one more event; `state` itself stays as it is. */
export function step(state, event) {
  const patch = (part, name, changes) => ({
    ...state,
    [part]: { ...state[part], [name]: { ...state[part][name], ...changes } },
  });
  const { kind, node, peer } = event;
  switch (kind) {
    case 'acquire':
      if (event.outcome !== 'granted') return state;
      return patch('locks', event.lock, {
        client: peer,
        token: event.token,
        until: event.until,
        gone: null,
      });
    case 'renew':
      return event.outcome === 'ok' ? patch('locks', event.lock, { until: event.until }) : state;
    case 'release':
      if (event.outcome !== 'ok') return state;
      return patch('locks', event.lock, { client: null, gone: 'released' });
    case 'expire':
      return patch('locks', event.lock, { client: null, gone: 'expired' });
    case 'write': {
      if (event.outcome !== 'accepted') return { ...state, rejected: state.rejected + 1 };
      const stale = Boolean(event.stale);
      const highest = stale ? event.highest : event.token;
      const after = patch('keys', event.key, {
        value: event.value,
        written: true,
        client: peer,
        token: event.token,
        highest,
        stale,
      });
      return { ...after, stale: state.stale + (stale ? 1 : 0) };
    }
    case 'fence':
      if (event.outcome !== 'accepted' && event.outcome !== 'ok') return state;
      return patch('keys', event.key, { highest: event.token });
    default:
  }
  if (node === SERVICE || node === STORAGE) {
    if (kind === 'crash' || kind === 'pause') return { ...state, [`${node} away`]: DOING[kind] };
    return BACK.has(kind) ? { ...state, [`${node} away`]: null } : state;
  }
  switch (kind) {
    case 'trust':
      return patch('clients', node, {
        trust: { token: event.token, until: event.until ?? null },
        doing: state.clients[node]?.doing === 'working' ? 'working' : 'holding',
      });
    case 'distrust':
      return patch('clients', node, { trust: null, why: event.reason ?? '' });
    case 'pause':
    case 'suspend':
      return patch('clients', node, { away: DOING[kind] });
    case 'crash':
      return patch('clients', node, { away: 'crashed', trust: null });
    case 'resume':
    case 'wake':
    case 'restart':
      return patch('clients', node, { away: null });
    case 'work':
    case 'start':
    case 'done':
      return patch('clients', node, { doing: DOING[kind] });
    case 'send':
      if (event.operation !== 'acquire' || event.reply) return state;
      return patch('clients', node, { doing: 'asking for the lock' });
    default:
      return state;
  }
}

/**
 * A trace made ready for seeking.
 * `at(index)` is the state once the first `index` events have happened.
 * `indexAt(time)` is how many events have happened by `time`, those at that very instant included.
 */
export function createInstants(model) {
  const { events } = model;
  const clients = model.nodes.filter((node) => node.role === 'client').map((node) => node.name);
  const snapshots = [beginning(clients)];
  let state = snapshots[0];
  for (let i = 0; i < events.length; i += 1) {
    state = step(state, events[i]);
    if ((i + 1) % SNAPSHOT_EVERY === 0) snapshots.push(state);
  }
  return {
    at(index) {
      const nearest = Math.floor(index / SNAPSHOT_EVERY);
      let result = snapshots[nearest];
      for (let i = nearest * SNAPSHOT_EVERY; i < index; i += 1) result = step(result, events[i]);
      return result;
    },
    indexAt(time) {
      let low = 0;
      let high = events.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (events[middle].time <= time) low = middle + 1;
        else high = middle;
      }
      return low;
    },
  };
}
