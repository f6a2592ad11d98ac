// The state at an instant, in words: the rows of the table below the picture.

import { clock, short } from './text.js';

const AWAY = { paused: 'paused', suspended: 'asleep', crashed: 'crashed' };

function lockRow(lock, held, time) {
  if (!held) return { what: lock, says: 'free, never granted' };
  if (!held.client) {
    const gone = held.gone === 'expired' ? 'the lease has run out' : 'released';
    return { what: lock, says: `free: ${gone}`, token: held.token };
  }
  const left = held.until === null || held.until === undefined ? '' : clock(held.until - time);
  const until = left ? `, until ${clock(held.until)} s (${left} s left)` : '';
  return {
    what: lock,
    says: `held by ${held.client}${until}`,
    token: held.token,
    holder: held.client,
  };
}

function clientRow(name, client, locks) {
  const doing = client.away ? AWAY[client.away] : client.doing;
  if (!client.trust) return { node: name, what: doing, says: 'does not believe it holds a lock' };
  const { token } = client.trust;
  const right = Object.values(locks).some((held) => held.client === name && held.token === token);
  return {
    node: name,
    what: doing,
    says: right
      ? 'believes it holds the lock, and does'
      : 'believes it holds the lock, but does not',
    token,
    wrong: !right,
  };
}

function keyRow(key, stored) {
  if (!stored?.written) {
    const fenced = stored?.highest !== undefined && stored !== undefined;
    return { what: key, says: 'never written', token: fenced ? stored.highest : undefined };
  }
  return {
    what: key,
    says: short(stored.value, 40),
    token: stored.token,
    highest: stored.highest,
    stale: stored.stale,
  };
}

/**
 * Rows { node, what, says, token?, wrong?, stale? } for the service, the clients and the storage.
 */
export function stateRows(model, state, time) {
  const rows = [];
  for (const { name, role } of model.nodes) {
    if (role === 'service') {
      for (const lock of model.locks) {
        rows.push({ node: name, role, ...lockRow(lock, state.locks[lock], time) });
      }
    } else if (role === 'storage') {
      for (const key of model.keys)
        rows.push({ node: name, role, ...keyRow(key, state.keys[key]) });
    } else {
      rows.push({ role, ...clientRow(name, state.clients[name], state.locks) });
    }
  }
  return rows;
}
