// What an event means, in one plain sentence.

import { isUnknown } from './kinds.js';

const OPERATION = {
  acquire: (event) => `asks for ${event.lock}`,
  renew: (event) => `asks to renew its lease on ${event.lock}`,
  release: (event) => `gives ${event.lock} back`,
  write: (event) => `writes to ${event.key} with token ${event.token}`,
  fence: (event) => `fences ${event.key} with token ${event.token}`,
  read: (event) => `asks to read ${event.key}`,
};

const ANSWER = {
  granted: (event) => `${event.lock} is its own, with token ${event.token}`,
  refused: (event) => (event.operation === 'acquire' ? `${event.lock} is not to be had` : 'no'),
  ok: (event) => (event.operation === 'read' ? contents(event) : 'done'),
  accepted: () => 'accepted',
  rejected: (event) => `token ${event.token} is too old`,
};

const DISTRUST = {
  released: 'it is done with it',
  refused: 'the lock service said that the lease is gone',
  expired: 'by its own clock the lease may have ended',
  'write rejected': 'the storage has seen a newer token',
  crashed: 'it crashes',
  slept: 'it has slept, and asks before it trusts again',
  'clock stepped back': 'its clock went back, and it asks before it trusts again',
};

const FAULT = {
  pause: ({ node }) => sentence(node, 'is paused: it does nothing, while its clock runs on'),
  resume: ({ node }) => sentence(node, 'goes on'),
  suspend: ({ node }) => sentence(node, 'falls asleep, and its clock stands still'),
  wake: ({ node }) => sentence(node, 'wakes up'),
  restart: ({ node }) => sentence(node, 'starts again'),
  partition: (event) => sentence('the network', `between ${ends(event)} is cut${way(event)}`),
  heal: (event) => sentence('the network', `between ${ends(event)} is mended`),
};

function ends({ node, peer }) {
  return `${withArticle(node)} and ${withArticle(peer)}`;
}

function way({ oneWay, peer }) {
  return oneWay ? `, only towards ${withArticle(peer)}` : '';
}

function contents({ key, value }) {
  if (value === null) return `${key} was never written`;
  return `${key} holds “${typeof value === 'string' ? value : textOf(value)}”`;
}

function textOf(value) {
  try {
    return JSON.stringify(value);
  } catch {
    return String(value); // a bigint, or one that holds itself
  }
}

function read(event) {
  const whose = typeof event.peer === 'string' ? ` for ${event.peer}` : '';
  if (event.value === undefined) return sentence(event.node, `reads ${event.key}${whose}`);
  return sentence(event.node, `reads${whose}: ${contents(event)}`);
}

function withArticle(node) {
  return node === 'lock service' || node === 'storage' ? `the ${node}` : node;
}

function sentence(subject, predicate) {
  const named = withArticle(subject);
  return `${named[0].toUpperCase()}${named.slice(1)} ${predicate}.`;
}

function sent(event) {
  const copy = event.copy ? ' (a copy that the network makes)' : '';
  if (event.reply) {
    return sentence(event.node, `answers ${event.peer}: ${ANSWER[event.outcome](event)}${copy}`);
  }
  return sentence(event.node, `${OPERATION[event.operation](event)}${copy}`);
}

function delivered(event) {
  const copy = event.copy ? 'a copy of ' : '';
  const what = event.reply
    ? `${copy}the answer: ${ANSWER[event.outcome](event)}`
    : `${copy}${event.peer}’s message: it ${OPERATION[event.operation](event)}`;
  const aside = event.reason === undefined ? '' : ` (${event.reason})`;
  return sentence(event.node, `gets ${what}${aside}`);
}

const DROPPED = {
  lost: () => 'is lost',
  partition: () => 'does not get through the partition',
  'receiver is down': ({ node }) => `finds ${withArticle(node)} down`,
};

function dropped(event) {
  const what = `${event.reply ? 'answer' : 'message'} to ${withArticle(event.node)}`;
  return sentence(`${withArticle(event.peer)}’s`, `${what} ${DROPPED[event.reason](event)}`);
}

// The histories of other systems may leave out what our traces tell.
const withToken = ({ token }) => (Number.isInteger(token) ? ` with token ${token}` : '');
const onLock = ({ lock }) => (typeof lock === 'string' ? ` on ${lock}` : '');
const because = (reason) => (typeof reason === 'string' ? `: ${reason}` : '');

function acquired(event) {
  if (event.outcome === 'granted') {
    return sentence(event.node, `grants ${event.lock} to ${event.peer}${withToken(event)}`);
  }
  return sentence(event.node, `refuses ${event.lock} to ${event.peer}${because(event.reason)}`);
}

function renewed(event) {
  const whose = `${event.peer}’s lease on ${event.lock}`;
  if (event.outcome === 'ok') return sentence(event.node, `renews ${whose}`);
  const why = withToken(event) && `: token ${event.token} is not live`;
  return sentence(event.node, `refuses to renew ${whose}${why}`);
}

function released(event) {
  if (event.outcome === 'ok')
    return sentence(event.node, `takes ${event.lock} back from ${event.peer}`);
  const why = withToken(event)
    ? `: token ${event.token} is not the live lease, and nobody else loses theirs`
    : '';
  return sentence(event.node, `ignores ${event.peer}’s release of ${event.lock}${why}`);
}

function expired(event) {
  const whose = typeof event.peer === 'string' ? ` of ${event.peer}` : '';
  const which = withToken(event) && ` (token ${event.token})`;
  return `The lease${whose} on ${event.lock}${which} has ended.`;
}

function written(event) {
  const what = `${event.peer}’s write to ${event.key}${withToken(event)}`;
  if (event.stale) {
    const damage = `although ${event.highest} has been here: the data is corrupted`;
    return sentence(event.node, `accepts ${what}, ${damage}`);
  }
  if (event.outcome === 'accepted') return sentence(event.node, `accepts ${what}`);
  return sentence(event.node, `rejects ${what}${comparison(event)}`);
}

function comparison({ token, highest, reason }) {
  return token < highest ? `: ${token} < ${highest}` : because(reason);
}

function fenced(event, trace) {
  const what = `${event.key} against tokens below ${event.token} for ${event.peer}`;
  if (event.stale || trace?.scenario?.fencing === 'off')
    return sentence(event.node, `has no fence, and lets ${event.peer} believe in one`);
  if (event.outcome === 'accepted') return sentence(event.node, `fences ${what}`);
  return sentence(event.node, `refuses to fence ${what}${comparison(event)}`);
}

function trusted(event) {
  const { until } = event;
  const told = until === undefined ? '' : ` until ${Math.round(until * 100) / 100} s`;
  const end = until === null ? ', whatever the clock says' : told;
  return sentence(event.node, `trusts its lease${onLock(event)}${withToken(event)}${end}`);
}

function distrusted(event) {
  if (event.reason === 'granted too late') {
    return sentence(event.node, `gives token ${event.token} back, as it was granted too late`);
  }
  const why = because(
    Object.hasOwn(DISTRUST, event.reason) ? DISTRUST[event.reason] : event.reason,
  );
  return sentence(event.node, `no longer trusts its lease${onLock(event)}${why}`);
}

const KIND = {
  ...FAULT,
  start: (event) => sentence(event.node, 'starts'),
  done: (event) => sentence(event.node, 'is done'),
  send: sent,
  deliver: delivered,
  drop: dropped,
  acquire: acquired,
  renew: renewed,
  release: released,
  expire: expired,
  write: written,
  fence: fenced,
  read,
  trust: trusted,
  distrust: distrusted,
  work: (event) => sentence(event.node, 'begins to work'),
  crash: (event) => sentence(event.node, event.until === null ? 'crashes for good' : 'crashes'),
  'clock-step': ({ node, by }) =>
    sentence(node, `finds its clock set ${by < 0 ? 'back' : 'forward'} by ${Math.abs(by)} s`),
};

// An event of another kind, or of one of ours that tells something else by it.
function other({ node, kind, peer, outcome, reason }) {
  const more = [peer, outcome, reason].filter((one) => typeof one === 'string');
  return `${node}: ${kind}${more.length > 0 ? ` (${more.join(', ')})` : ''}.`;
}

// What the sentences about a message or a fault cannot do without.
const TELLS = {
  send: ({ reply, operation, outcome }) =>
    Object.hasOwn(...(reply ? [ANSWER, outcome] : [OPERATION, operation])),
  deliver: (event) => typeof event.peer === 'string' && TELLS.send(event),
  drop: ({ peer, reason }) => typeof peer === 'string' && Object.hasOwn(DROPPED, reason),
  partition: ({ peer }) => typeof peer === 'string',
  heal: ({ peer }) => typeof peer === 'string',
  'clock-step': ({ by }) => typeof by === 'number',
};

/** One plain sentence for an event; its trace tells whether a fence is one. */
export function describe(event, trace) {
  const { node, kind, peer, outcome } = event;
  if (!Object.hasOwn(KIND, kind) || node === '') return other(event);
  if (Object.hasOwn(TELLS, kind) && !TELLS[kind](event)) return other(event);
  if (isUnknown(event)) {
    return sentence(`${peer}’s ${kind}`, `at ${withArticle(node)} ends with “${outcome}”`);
  }
  return KIND[kind](event, trace);
}
