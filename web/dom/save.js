// Saving: the picture, the scenario, the trace, and the command line that reproduces the run.

import { lines, perfettoText } from '../perfetto.js';
import { rest } from './rest.js';
import { verdictWords } from '../view/verdict.js';

const PROPERTIES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'stroke-linejoin',
  'paint-order',
  'font-size',
  'font-weight',
];
const INITIAL = {
  'fill-opacity': '1',
  stroke: 'none',
  'stroke-width': '1px',
  'stroke-opacity': '1',
  'stroke-dasharray': 'none',
  'stroke-linejoin': 'miter',
  'paint-order': 'normal',
};
const GROUPS = new Set(['svg', 'g', 'defs', 'clipPath', 'pattern']);
const ALWAYS = new Set(['fill']);
const TEXT_ONLY = new Set(['font-size', 'font-weight', 'paint-order']);
const NAMESPACE = 'http://www.w3.org/2000/svg';

const SKIPPED = '.handles, .playhead, .here, .veil, title';

function copyStyle(from, to) {
  const style = getComputedStyle(from);
  const isText = ['text', 'tspan'].includes(from.tagName);
  for (const name of PROPERTIES) {
    if (TEXT_ONLY.has(name) && !isText) continue;
    const value = style
      .getPropertyValue(name)
      .replaceAll('"', '')
      .replace(/url\([^#]*#/, 'url(#');
    if (ALWAYS.has(name) || value !== INITIAL[name]) to.setAttribute(name, value);
  }
}

/** Gives a copy the looks of its original, and rids it of what only the page needs. */
function settle(from, to) {
  if (from.matches(SKIPPED) || getComputedStyle(from).display === 'none') {
    to.remove();
    return;
  }
  if (!GROUPS.has(from.tagName)) copyStyle(from, to);
  const copies = [...to.children];
  for (const [index, child] of [...from.children].entries()) settle(child, copies[index]);
  to.removeAttribute('class');
  for (const name of Object.keys(to.dataset)) delete to.dataset[name];
}

/** A figure as an SVG document of its own, called `words`, with the colours of the page. */
export function toSvg(figure, words) {
  const copy = figure.cloneNode(true);
  settle(figure, copy);
  const title = document.createElementNS(NAMESPACE, 'title');
  title.textContent = words;
  copy.prepend(title);
  const patterns = document.querySelector('.patterns defs');
  const shared = patterns.cloneNode(true);
  settle(patterns, shared);
  copy.querySelector('defs').append(...shared.children);
  const paper = document.createElementNS(NAMESPACE, 'rect');
  paper.setAttribute('width', '100%');
  paper.setAttribute('height', '100%');
  paper.setAttribute('fill', getComputedStyle(document.body).backgroundColor);
  title.after(paper);
  copy.setAttribute('font-family', 'system-ui, sans-serif');
  return new XMLSerializer().serializeToString(copy).replaceAll(/<!--.*?-->/g, '');
}

const PIECE = 2000;

/** Puts texts together with rests between, so that a long run does not hold up the page. */
async function gathered(texts) {
  const parts = [];
  for (const text of texts) {
    if (parts.push(text) % PIECE === 0) await rest();
  }
  return parts;
}

async function download(name, type, texts) {
  const address = URL.createObjectURL(new Blob(await gathered(texts), { type }));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** What can be saved: what it is called, and how it is made; `own` is what only our runs have. */
export const SAVES = {
  picture: {
    text: 'Picture',
    name: 'Save picture as SVG',
    save: ({ run }, figure) => {
      const { title, text } = verdictWords(run);
      return download('fencelock.svg', 'image/svg+xml', [toSvg(figure, `${title} ${text}`.trim())]);
    },
  },
  scenario: {
    text: 'Scenario',
    name: 'Save scenario as JSON',
    own: true,
    save: (app) =>
      download('scenario.json', 'application/json', [`${JSON.stringify(app.document, null, 2)}\n`]),
  },
  trace: {
    text: 'Trace',
    name: 'Save trace as JSON lines',
    own: true,
    save: (app) => download('trace.jsonl', 'application/jsonl', lines(app.run.model.events)),
  },
  perfetto: {
    text: 'Perfetto',
    name: 'Save trace for Perfetto',
    save: (app) => download('perfetto.json', 'application/json', perfettoText(app.run.model)),
  },
};
