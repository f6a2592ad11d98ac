// The line that says how the run ended.

import { html, nothing } from 'lit-html';
import { verdictWords } from '../view/verdict.js';

export function verdictLine(run) {
  const { tone, title, text } = verdictWords(run);
  return html`<p class="verdict ${tone}">
    ${title ? html`<b>${title}</b> ` : nothing}<span class="why">${text}</span>
  </p>`;
}
