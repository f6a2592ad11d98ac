// The state at an instant, in words: the rows of the table below the picture.

import { own } from './instant.js';
import { clock, short } from './text.js';

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

function clientRow(name, state) {
  const client = own(state.clients, name) ?? { doing: '', trust: null };
  const what = awayWords(state, name) || client.doing;
  if (!client.trust) return { node: name, what, says: 'does not believe it holds a lock' };
  const { token } = client.trust;
  const right = Object.values(state.locks).some(
    (held) => held.client === name && held.token === token,
  );
  return {
    node: name,
    what,
    says: right
      ? 'believes it holds the lock, and does'
      : 'believes it holds the lock, but does not',
    token,
    wrong: !right,
  };
}

/** Why a node does nothing: `paused`, `asleep`, `crashed`, or several of these. */
const awayWords = (state, name) => [...new Set(own(state.away, name) ?? [])].join(', ');

/** What is told of a server that is away, before what it keeps. */
function server(state, name, row) {
  const away = awayWords(state, name);
  return away ? { ...row, says: `${away}; ${row.says}` } : row;
}

function keyRow(key, stored) {
  if (!stored?.written) return { what: key, says: 'never written', token: stored?.highest };
  return {
    what: key,
    says: stored.value === undefined ? 'written' : short(stored.value, 40),
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
        rows.push({
          node: name,
          role,
          ...server(state, name, lockRow(lock, own(state.locks, lock), time)),
        });
      }
    } else if (role === 'storage') {
      for (const key of model.keys) {
        rows.push({ node: name, role, ...server(state, name, keyRow(key, own(state.keys, key))) });
      }
    } else {
      rows.push({ role, ...clientRow(name, state) });
    }
  }
  return rows;
}
