// What the "?" opens: a legend of the marks on the picture, and the keys.

import { html, svg } from 'lit-html';
import { KEYS } from './keys.js';

const bar = (kind, x = 2, width = 44) =>
  svg`<rect class=${kind} x=${x} y="5" width=${width} height="14"></rect>`;
const line = (kind, d) => svg`<path class=${kind} d=${d}></path>`;
const arrow = (kind) => [
  line(`message ${kind} c0`, 'M2 12H44'),
  line('tip c0', 'M46 12l-8 -3.5v7z'),
];

const LEGEND = [
  [[bar('lease c0', 2, 34), line('lease-end', 'M36 1V23')], 'a lease, and its end'],
  [
    [bar('lease c0'), line('renewal', 'M16 10V19'), line('renewal', 'M32 10V19')],
    'the lease is renewed',
  ],
  [bar('belief c0'), 'a client trusts its lease'],
  [[bar('belief c0'), bar('belief-false')], 'it trusts a lease it lost'],
  [
    [bar('belief c0'), svg`<rect class="work c0" x="2" y="15" width="26" height="4"></rect>`],
    'the client works',
  ],
  [
    [
      bar('pause'),
      ...[4, 44].map(
        (x) => svg`<rect class="knob" x=${x - 3} y="4" width="6" height="16" rx="3"></rect>`,
      ),
    ],
    'a pause: drag its ends',
  ],
  [line('crash-cross', 'M19 7l10 10m0 -10l-10 10'), 'a crash'],
  [arrow(''), 'a message'],
  [arrow('reply'), 'an answer'],
  [
    [line('message c0', 'M2 12H24'), line('lost-cross', 'M20.5 8.5l7 7m0 -7l-7 7')],
    'a message that is lost',
  ],
  [svg`<rect class="partition" x="2" y="7" width="44" height="10"></rect>`, 'the network is cut'],
  [[bar('value c0', 8, 38), line('value-edge c0', 'M8 5V19')], 'a value; fence_token: its token'],
  [
    [line('bounce', 'M14 20L28 9'), line('bounce-cross', 'M24 5l8 8m0 -8l-8 8')],
    'a write is rejected',
  ],
  [bar('value stale'), 'a stale write is accepted'],
  [
    [bar('value c0 amiss', 8, 38), line('amiss-mark', 'M8 6l6 6l-6 6l-6 -6z')],
    'late, or from an old value',
  ],
  [line('fence', 'M24 1V23'), 'a fence: older tokens fail'],
  [line('repeat', 'M24 5V19'), 'a copy, answered as before'],
  [svg`<circle class="here" cx="24" cy="12" r="5"></circle>`, 'the current event'],
  [bar('ghost'), 'the run before your edit'],
];

function legend() {
  return html`<section aria-labelledby="legend-title">
    <h2 id="legend-title">The picture</h2>
    <ul class="legend">
      ${LEGEND.map(
        ([shapes, words]) =>
          html`<li>
            <svg width="48" height="24" aria-hidden="true">${shapes}</svg><span>${words}</span>
          </li>`,
      )}
    </ul>
  </section>`;
}

export function help() {
  return html`<form method="dialog"><button>Close</button></form>
    <div class="help-parts">
      ${legend()}
      <section>
        <h2 id="help-title">Keys</h2>
        <dl>
          ${KEYS.map(
            ([key, what]) =>
              html`<dt><kbd>${key}</kbd></dt>
                <dd>${what}</dd>`,
          )}
        </dl>
        <p>
          By touch: rest a finger on a pause or a message to take hold of it; two fingers magnify.
        </p>
      </section>
    </div>`;
}
