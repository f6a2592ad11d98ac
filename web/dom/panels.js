// The panels about the picture: the story, the state, the events.

import { html, nothing } from 'lit-html';
import { describe } from '../simulation.js';
import { spent } from './controls.js';
import { verdictLine } from './verdict.js';
import { verdictWords } from '../view/verdict.js';
import { stateRows } from '../view/words.js';
import { clock } from '../view/text.js';
import { colour } from '../view/bars.js';

/** An event in words, with what was found at it: `told` in full (`texts`) or `brief`. */
function sentence(run, index, told) {
  const words = describe(run.model.events[index], run.trace);
  const found = run.findings.get(index);
  if (!found) return words;
  return html`${words} <strong class="found">${found[told].join(' ')}</strong>`;
}

export function story(app, run = app.run) {
  return html`<ol class="story">
    ${run.story.map(
      (item, number) =>
        html`<li>
          <button
            type="button"
            class="plain"
            data-index=${item.index}
            @click=${() => app.showEvent(item.index)}
          >
            <span class="mark" aria-hidden="true">${number + 1}</span>
            <span class="told"
              ><span class="when">${clock(item.time)} s</span>
              ${sentence(run, item.index, 'brief')}</span
            >
          </button>
        </li>`,
    )}
  </ol>`;
}

function token(row) {
  if (row.token === undefined) return nothing;
  const name = row.role === 'storage' ? 'fence_token' : 'token';
  return html`<span class="token-name">${name}</span>
    <span class="token-value">${row.token}</span>`;
}

function told(row) {
  const stale = row.stale ? html` <strong class="stamped">CORRUPTED DATA</strong>` : nothing;
  const highest =
    row.highest !== undefined && row.highest !== row.token
      ? html` <span class="highest">highest seen: ${row.highest}</span>`
      : nothing;
  return html`${row.says}${stale}${highest}`;
}

export function state(run, index, time, title = '') {
  const rows = stateRows(run.model, run.instants.at(index), time);
  const corrupted = run.instants.at(index).stale > 0;
  const shown = rows.some((row) => row.stale);
  return html`<table class="state">
    <caption>
      ${title || html`At <b>${clock(time)} s</b>`}${
        corrupted && !shown
          ? html` · a stale write was accepted earlier:
              <strong class="stamped">CORRUPTED DATA</strong>`
          : nothing
      }
    </caption>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr class="${row.wrong ? 'wrong' : ''} ${row.stale ? 'stale' : ''}">
            <th scope="row">
              <span
                class="swatch ${row.role === 'client' ? colour(run.model, row.node) : row.role}"
                aria-hidden="true"
              ></span
              >${row.node}
            </th>
            <td class="what">${row.what}</td>
            <td class="says">${told(row)}</td>
            <td class="tokens">${token(row)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

export const fencingTitle = (on) => (on ? 'Fencing on' : 'Fencing off');

export function twinTitle(on, run) {
  return html`<div class="twin-head">
    <h2 class="twin-title">${fencingTitle(on)}</h2>
    ${verdictLine(run)}
  </div>`;
}

/** Both verdicts, to lie below the two pictures where there is no room above each. */
export function twinVerdicts({ fencing, run, twin }) {
  const one = (on, { tone, text }) =>
    html`<p class="verdict ${tone}"><b>${fencingTitle(on)}.</b> ${text}</p>`;
  return html`<div class="twin-verdicts">
    ${one(fencing, verdictWords(run))} ${one(!fencing, verdictWords(twin))}
  </div>`;
}

/** The state of the run, and beside it that of its twin. */
export function states(app) {
  const { twin, fencing, run, index, time } = app;
  if (!twin) return state(run, index, time);
  return html`<div class="twins">
    ${state(run, index, time, fencingTitle(fencing))}
    ${state(twin, app.twinIndex, time, fencingTitle(!fencing))}
  </div>`;
}

const QUIET = new Set(['send', 'deliver', 'drop', 'start', 'done', 'work']);
const LOUD = new Set(['expire', 'write', 'violation']);

function weight(event) {
  if (event.kind === 'write' && (event.outcome === 'rejected' || event.stale)) return 'alarm';
  if (QUIET.has(event.kind)) return 'quiet';
  return LOUD.has(event.kind) ? 'loud' : '';
}

/**
 * A page of the event list, from event number `from` to before `to`; `difference` is the number of the
 * first event that differs from another run, or null.
 */
export function eventItems(run, difference, from, to) {
  const { events } = run.model;
  return html`${events.slice(from, to).map((event, offset) => {
    const index = from + offset;
    const differs = index === difference;
    return html`<li class="${weight(event)}${differs ? ' differs' : ''}" data-index=${index}>
      <button type="button" class="plain" tabindex="-1">
        <span class="when">${clock(event.time)}</span
        ><span class="told"
          >${sentence(run, index, 'texts')}${
            differs ? html` <span class="parting">first difference</span>` : nothing
          }</span
        >
      </button>
    </li>`;
  })}`;
}

/** Which part of a long list is on paper. */
export function printedPart(run, from, to) {
  const total = run.model.events.length.toLocaleString('en');
  return html`<p>Printed: events ${from + 1} to ${to} of ${total}.</p>`;
}

/** Which part of a long list is shown, and the ways to the others. */
export function eventPages(run, from, to, turn) {
  const total = run.model.events.length;
  if (from === 0 && to === total) return nothing;
  return html`<button
      type="button"
      aria-disabled=${spent(from === 0)}
      @click=${() => from > 0 && turn(-1)}
    >
      Earlier
    </button>
    <span>${from + 1} to ${to} of ${total}</span>
    <button
      type="button"
      aria-disabled=${spent(to === total)}
      @click=${() => to < total && turn(1)}
    >
      Later
    </button>`;
}
