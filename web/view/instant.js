// The state at an instant: the events up to it, folded. Snapshots make a seek cheap anywhere.

import { isOfLease } from './model.js';
import { firstWhere } from '../../js/search.js';

const SNAPSHOT_EVERY = 64;

const DOING = { start: 'started', work: 'working', done: 'done' };
const LEAVES = { pause: 'paused', suspend: 'asleep', crash: 'crashed' };
const RETURNS = { resume: 'paused', wake: 'asleep', restart: 'crashed' };

const nobody = { doing: '', trust: null };

/** What is kept of a name, which may be one that every object knows, such as `constructor`. */
export const own = (things, name) => (Object.hasOwn(things, name) ? things[name] : undefined);

function beginning(names) {
  const clients = names.map((name) => [name, { ...nobody, doing: 'not started' }]);
  return { locks: {}, clients: Object.fromEntries(clients), keys: {}, away: {}, stale: 0 };
}

/** `state` with some fields of one thing changed. */
function changed(state, part, name, changes) {
  const things = { ...state[part], [name]: { ...own(state[part], name), ...changes } };
  return { ...state, [part]: things };
}

function lockStep(state, event) {
  const { kind, lock, peer: client, token, until, outcome } = event;
  const ends = kind === 'expire' || (kind === 'release' && outcome === 'ok');
  if (ends && !isOfLease(event, own(state.locks, lock))) return state;
  if (kind === 'expire') return changed(state, 'locks', lock, { client: null, gone: 'expired' });
  if (outcome !== 'granted' && outcome !== 'ok') return state;
  if (kind === 'acquire')
    return changed(state, 'locks', lock, { client, token, until, gone: null });
  if (kind === 'renew') return changed(state, 'locks', lock, { until });
  return changed(state, 'locks', lock, { client: null, gone: 'released' });
}

function storageStep(state, event) {
  const { kind, key, peer: client, token, value, outcome } = event;
  const stale = Boolean(event.stale);
  if (outcome !== 'accepted' && outcome !== 'ok') return state;
  const highest = stale ? event.highest : token;
  if (kind === 'fence') return stale ? state : changed(state, 'keys', key, { highest });
  const written = { written: true, value, client, token, highest, stale };
  const after = changed(state, 'keys', key, written);
  return stale ? { ...after, stale: state.stale + 1 } : after;
}

/** A node may be paused and asleep at once, or paused twice over. */
function awayStep(state, { kind, node }) {
  const now = own(state.away, node) ?? [];
  const back = RETURNS[kind];
  const left = now.indexOf(back);
  const away = back ? now.filter((_, i) => i !== left) : [...now, LEAVES[kind]];
  const after = { ...state, away: { ...state.away, [node]: away } };
  if (kind !== 'crash' || !own(after.clients, node)) return after;
  return changed(after, 'clients', node, { trust: null, doing: '' });
}

/** The state after one more event; `state` itself stays as it is. */
export function step(state, event) {
  const { kind, node } = event;
  switch (kind) {
    case 'acquire':
    case 'renew':
    case 'release':
    case 'expire':
      return lockStep(state, event);
    case 'write':
    case 'fence':
      return storageStep(state, event);
    case 'trust': {
      const doing = own(state.clients, node)?.doing === 'working' ? 'working' : 'holding';
      const trust = { token: event.token, until: event.until ?? null };
      return changed(state, 'clients', node, { trust, doing });
    }
    case 'distrust':
      return changed(state, 'clients', node, { trust: null, doing: '' });
    case 'start':
    case 'work':
    case 'done':
      return changed(state, 'clients', node, { doing: DOING[kind] });
    case 'send':
      if (event.operation !== 'acquire' || event.reply) return state;
      return changed(state, 'clients', node, { doing: 'asking' });
    default:
      return own(LEAVES, kind) || own(RETURNS, kind) ? awayStep(state, event) : state;
  }
}

/** A trace made ready for seeking, event by event as it is read. */
export class Instants {
  /** @param {string[]} clients those known before the first event */
  constructor(clients) {
    this.events = [];
    this.state = beginning(clients);
    this.snapshots = [this.state];
  }

  add(event) {
    this.state = step(this.state, event);
    if (this.events.push(event) % SNAPSHOT_EVERY === 0) this.snapshots.push(this.state);
  }

  /** The state once the first `index` events have happened. */
  at(index) {
    const nearest = Math.floor(index / SNAPSHOT_EVERY);
    let state = this.snapshots[nearest];
    for (let i = nearest * SNAPSHOT_EVERY; i < index; i += 1) state = step(state, this.events[i]);
    return state;
  }

  /** How many events have happened by `time`, those at that very instant included. */
  indexAt(time) {
    return firstWhere(this.events.length, (i) => this.events[i].time > time);
  }
}
