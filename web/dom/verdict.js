// How the run ended, and why, in words.

import { html } from 'lit-html';
import { fencingFirstHelps } from '../view/story.js';
import { clock } from '../view/text.js';

const refusal = ({ token, highest }) =>
  token < highest ? `its token ${token} is older than ${highest}` : `token ${token} is used up`;

export function verdictLine(run) {
  const { kind, writes } = run.verdict;
  const [first] = writes;
  switch (kind) {
    case 'corrupted':
      return html`<p class="verdict bad">
        <b>Not fenced.</b> At ${clock(first.time)} s the storage accepts ${first.client}’s late
        write, though its token ${first.token} is older than ${first.highest}.
      </p>`;
    case 'uncaught': {
      const { client, token } = first.newer;
      const place = run.model.keys.length > 1 ? first.key : 'the storage';
      const advice = fencingFirstHelps(run.model, first)
        ? ` (Had ${client} fenced first, it would have been refused.)`
        : '';
      return html`<p class="verdict bad">
        <b>Not caught.</b> At ${clock(first.time)} s the storage accepts ${first.client}’s write
        with token ${first.token}, although ${token} is already granted: ${token} had not reached
        ${place} yet.${advice}
      </p>`;
    }
    case 'repeated':
      return html`<p class="verdict">
        <b>Repeated.</b> At ${clock(first.time)} s a copy of ${first.client}’s write arrives; the
        storage gives its first answer again and stores nothing.
      </p>`;
    case 'fenced':
      return html`<p class="verdict good">
        <b>Fenced.</b> At ${clock(first.time)} s the storage rejects ${first.client}’s late write:
        ${refusal(first)}.
      </p>`;
    case 'broken': {
      const [{ invariant, time, text }] = run.model.violations;
      return html`<p class="verdict bad">
        <b>${invariant} broken.</b> At ${clock(time)} s ${text}.
      </p>`;
    }
    case 'quiet':
      return html`<p class="verdict"><b>In order.</b> No write came with an old token.</p>`;
    default:
      return html`<p class="verdict">Nothing is written.</p>`;
  }
}
