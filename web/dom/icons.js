// The few pictures on buttons; each button has its name in words besides.

import { svg, html } from 'lit-html';

const icon = (content) =>
  html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${content}</svg>`;

export const play = icon(svg`<path d="M4 2.5v11l9-5.5z"></path>`);
export const pause = icon(svg`<path d="M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z"></path>`);
export const next = icon(svg`<path d="M3 3v10l7-5zM11 3h2v10h-2z"></path>`);
export const previous = icon(svg`<path d="M13 3v10L6 8zM3 3h2v10H3z"></path>`);
export const undo = icon(
  svg`<path class="stroke" d="M5.5 2.5L2.5 5.5l3 3M3 5.5h6a4 4 0 010 8H6"></path>`,
);
export const redo = icon(
  svg`<path class="stroke" d="M10.5 2.5l3 3-3 3M13 5.5H7a4 4 0 000 8h3"></path>`,
);
