// The line that says how the run ended, and of a history what it was judged by.

import { html, nothing } from 'lit-html';
import { judgedWords } from '../view/judged.js';
import { briefWords, verdictWords } from '../view/verdict.js';

export function judgedLine(run) {
  const words = judgedWords(run);
  if (!words) return nothing;
  const list = (title, sentences) =>
    sentences.length === 0
      ? nothing
      : html`<b>${title}</b>
          <ul>
            ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
          </ul>`;
  return html`<details class="judged">
    <summary>${words.short}</summary>
    ${list('Judged', words.judged)} ${list('Not judged', words.notJudged)}
  </details>`;
}

/** The verdict in one line, for windows that have room for no more above the picture. */
export function briefLine(run) {
  const { tone, title, gist } = briefWords(run);
  return html`<p class="brief ${tone}" aria-hidden="true">
    ${title ? html`<b>${title}</b> ` : nothing}<span>${gist}</span>
  </p>`;
}

export function verdictLine(run) {
  const { tone, title, text } = verdictWords(run);
  return html`<p class="verdict ${tone}">
    ${title ? html`<b>${title}</b> ` : nothing}<span class="why">${text}</span>
  </p>`;
}
