// How the run ended, and why, in words.

import { brokenGist, brokenTitle, brokenWords, lostUpdate } from './broken.js';
import { fencingFirstHelps } from './story.js';
import { SERVICE } from './model.js';
import { clock, comparison, lateBy, seconds } from './text.js';

const AWAY = { pause: 'paused', suspend: 'asleep', crash: 'down' };
const ON_ITS_WAY = { write: 'write', release: 'release', renew: 'renewal' };

const around = (time) => (thing) => thing.from < time && thing.to > time;

/** What kept a client from noticing, or from telling in time, when its lease ran out. */
function meanwhile(model, { client, token, from, to: end }) {
  const absence = model.absences.filter((one) => one.node === client).find(around(end));
  if (absence) return ` while it was ${AWAY[absence.kind]}`;
  const message = model.messages.find(
    (one) =>
      one.from === client &&
      one.token === token &&
      one.copy === 0 &&
      ON_ITS_WAY[one.operation] &&
      around(end)({ from: one.sent, to: one.arrives }),
  );
  if (message) return ` while its ${ON_ITS_WAY[message.operation]} was on its way`;
  const cut = model.partitions.filter(({ between }) => between.includes(client)).find(around(end));
  if (cut?.between.includes(SERVICE)) return ' while it was cut off from the lock service';
  const crash = model.absences.find(
    (one) => one.kind === 'crash' && one.node === client && one.from > from && one.to <= end,
  );
  return crash ? `, after it had crashed at ${clock(crash.from)} s` : '';
}

/** Why a write came late: what had become of the lease that it was made under. */
function causeOf(model, { client, token, time }) {
  const lease = model.leases.find((one) => one.client === client && one.token === token);
  if (!lease || lease.to > time) return '';
  if (lease.end === 'released') return ` It had given the lock back at ${clock(lease.to)} s.`;
  if (lease.end !== 'expired') return '';
  return ` Its lease ran out at ${clock(lease.to)} s${meanwhile(model, lease)}.`;
}

const capital = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

/** What could have gone wrong and did not. */
function whatPassed(model) {
  const lost = model.leases
    .filter((lease) => lease.end === 'expired')
    .map((lease) => ({ lease, why: meanwhile(model, lease) }))
    .find(({ why }) => why);
  if (lost) {
    const { client, to } = lost.lease;
    return ` ${capital(client)}’s lease ran out at ${clock(to)} s${lost.why}.`;
  }
  for (const { between, from, to } of model.partitions) {
    const kept = model.leases.find((lease) => between.includes(lease.client) && lease.from < from);
    const renewal = kept?.renewals.find(({ time }) => time > to);
    if (!renewal || !between.includes(SERVICE)) continue;
    const length = seconds(to - from);
    return ` ${capital(kept.client)} was cut off for ${length} s, and renewed its lease in time.`;
  }
  return '';
}

const refusal = ({ token, highest }) =>
  token < highest ? `its token ${token} is older than ${highest}` : `token ${token} is used up`;

const KNOWS_NO_LEASES = 'a storage knows no leases, only tokens it has seen';

function uncaught(model, write) {
  const { client, token, newer, time } = write;
  const advice = fencingFirstHelps(model, write)
    ? ` A fence by ${newer.client} first would have refused it.`
    : '';
  const either = model.scenario?.fencing === 'off' ? ', and would with fencing on' : '';
  const text =
    `At ${clock(time)} s the storage accepts ${client}’s write with token ${token}, though ` +
    `${newer.token} is granted${either}: ${KNOWS_NO_LEASES}.`;
  return text + causeOf(model, write) + advice;
}

function late(write) {
  const { client, token, time, late: lateness } = write;
  const after = lateness.end === 'released' ? 'it gave the lock back' : 'its lease';
  return (
    `At ${clock(time)} s ${client}’s write came ${lateBy(write)} after ${after}; nobody newer had ` +
    `the lock, so its token ${token} was still the highest: ${KNOWS_NO_LEASES}.`
  );
}

function repeated(model, { client, time, message }) {
  const copy = model.messages.find((one) => one.message === message && one.copy > 0);
  const since = copy ? ` It had been on its way since ${clock(copy.sent)} s.` : '';
  return (
    `At ${clock(time)} s a copy of ${client}’s write arrives; the storage gives its first ` +
    `answer again and stores nothing.${since}`
  );
}

/** @returns {{ tone: '' | 'good' | 'bad', title: string, text: string }} */
export function verdictWords({ model, verdict: { kind, writes } }) {
  const [first] = writes;
  switch (kind) {
    case 'corrupted':
      return {
        tone: 'bad',
        title: 'Not fenced.',
        text:
          `At ${clock(first.time)} s the storage accepts ${first.client}’s late write, though ` +
          `its token ${first.token} is older than ${first.highest}.${causeOf(model, first)}` +
          lostUpdate(model, first),
      };
    case 'fenced':
      return {
        tone: 'good',
        title: 'Fenced.',
        text:
          `At ${clock(first.time)} s the storage rejects ${first.client}’s late write: ` +
          `${refusal(first)}.${causeOf(model, first)}`,
      };
    case 'uncaught':
      return { tone: 'bad', title: 'Late, yet accepted.', text: uncaught(model, first) };
    case 'late':
      return { tone: '', title: 'In order, but late.', text: late(first) };
    case 'repeated':
      return { tone: '', title: 'Repeated.', text: repeated(model, first) };
    case 'broken':
      return { tone: 'bad', title: brokenTitle(model), text: brokenWords(model) };
    case 'quiet':
      return {
        tone: '',
        title: 'In order.',
        text: `No write came with an old token.${whatPassed(model)}`,
      };
    default:
      return { tone: '', title: '', text: 'Nothing is written.' };
  }
}

const SAME = {
  uncaught: 'the newer token has not been at the storage',
  late: 'nobody newer had the lock',
  repeated: 'a copy of a write is answered as before under either rule',
};

/** What is said when fencing makes no difference to a run. */
export const sameRunWords = ({ verdict: { kind } }) =>
  `The same run: ${SAME[kind] ?? 'no late write here'}.`;

/** Told where there is room for few words. */
function gistOf({ model, verdict: { kind, writes } }) {
  const [first] = writes;
  const at = ({ time }) => `at ${clock(time)} s`;
  switch (kind) {
    case 'corrupted':
      return `${first.token} over ${first.highest} ${at(first)}`;
    case 'fenced':
      return `${comparison(first)} ${at(first)}`;
    case 'uncaught':
      return `${first.token} after ${first.newer.token}, ${at(first)}`;
    case 'late':
      return `By ${lateBy(first)}, ${at(first)}`;
    case 'repeated':
      return `A copy comes ${at(first)}`;
    case 'broken':
      return brokenGist(model);
    case 'quiet':
      return '';
    default:
      return 'Nothing is written.';
  }
}

/** The same in one line: @returns {{ tone: '' | 'good' | 'bad', title: string, gist: string }} */
export function briefWords(run) {
  const { tone, title } = verdictWords(run);
  return { tone, title, gist: gistOf(run) };
}
