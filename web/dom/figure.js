// One run drawn as an SVG, with its playhead. Redrawn when the run or the view changes; a seek only
// moves the playhead.

import { render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { select } from 'd3-selection';
import { axisBottom, axisLeft } from 'd3-axis';
import { scaleLinear } from 'd3-scale';
import { drawFigure, drawGhost } from '../view/figure.js';
import { handles } from '../view/handles.js';
import { colour } from '../view/bars.js';
import { condensed } from '../view/thin.js';
import { clock } from '../view/text.js';
import { html, label, nothing, shape, svg } from './shapes.js';

export const TALL_BELOW = 600;

const FLAG = 58; // the least width of the playhead's flag
const FLAG_SPACE = 10; // beside the time that is written on it

let context = null;
let family = '';
const widths = new Map();

/** The width of a text as this browser draws it. */
export function measure(text, size, bold) {
  const key = `${bold ? 'b' : 'n'}${size} ${text}`;
  if (widths.has(key)) return widths.get(key);
  context ??= document.createElement('canvas').getContext('2d');
  family ||= getComputedStyle(document.body).fontFamily;
  context.font = `${bold ? 650 : 400} ${size}px ${family}`;
  const width = context.measureText(text).width;
  if (widths.size > 5000) widths.clear();
  widths.set(key, width);
  return width;
}

export class Figure {
  constructor(host) {
    this.host = host;
    this.stale = new Set();
    this.svg = null;
    this.held = null;
  }

  /** Draws a run: `run` of the app, `view` { width, lying, domain, ghost, differsAt, name }. */
  draw(run, view) {
    const tall = view.width < TALL_BELOW && !view.lying;
    const { width, low, room } = view;
    const options = { width, low, room, tall, domain: view.domain ?? undefined, measure };
    this.run = run;
    const difference = view.differsAt ?? undefined;
    this.drawn = drawFigure(run.model, { ...options, story: run.story, difference });
    this.ghost = view.ghost ? condensed(drawGhost(view.ghost.model, this.drawn)) : [];
    this.differsAt = view.differsAt ?? null;
    this.handles = handles(this.drawn.geometry, this.drawn.model, view.document);
    // A touch is told to what it began on, so what is held stays though the run has no such end now.
    if (this.held && !this.handles.some(({ name }) => name === this.held.name))
      this.handles.push(this.held);
    this.stampsShown = -1;
    render(this.template(view), this.host);
    this.svg = this.host.querySelector('svg');
    this.playhead = this.svg.querySelector('.playhead');
    this.flag = this.svg.querySelector('.flag');
    this.here = this.svg.querySelector('.here');
    this.veil = this.svg.querySelector('.veil');
    this.stamps = this.svg.querySelector('.stamps');
    this.labels = this.svg.querySelector('.labels');
    this.told = this.findTold();
    this.drawAxis();
  }

  /** What is not veiled but faint until it has happened: of each, its event or its place in time. */
  findTold() {
    const { tall } = this.drawn.geometry;
    const elements = this.svg.querySelectorAll('.bounces > *, .mark-disc, .labels > *');
    const boxes = new Map(this.words.map(({ box }, i) => [this.labels.children[i], box]));
    return [...elements]
      .filter((element) => !element.matches('.lane-name'))
      .map((element) => {
        const { index } = element.dataset;
        if (index !== undefined) return { element, event: Number(index) };
        const { x, y } = boxes.get(element);
        return { element, place: tall ? y : x };
      });
  }

  clear() {
    this.svg = null;
    render(nothing, this.host);
  }

  template(view) {
    const { width, height, layers, texts, marks, geometry } = this.drawn;
    this.words = texts.filter((text) => text.kind !== 'stamp').map((text) => this.coloured(text));
    const layer = ({ name, shapes }) => svg`<g class=${name}>${shapes.map(shape)}</g>`;
    const below = layers.filter(({ name }) => ['tracks', 'gaps', 'leaders'].includes(name));
    const overVeil = layers.filter(({ name }) => name === 'bounces');
    const above = layers.filter((one) => !below.includes(one) && !overVeil.includes(one));
    return html`<svg
      class="figure ${geometry.tall ? 'tall' : 'wide'}"
      width=${width}
      height=${height}
      viewBox="0 0 ${width} ${height}"
      role="img"
      aria-label=${view.name}
    >
      <defs>
        <clipPath id=${view.id + '-clip'}>
          <rect
            x=${geometry.tall ? 0 : geometry.start - 12}
            y=${geometry.tall ? geometry.start - 12 : 0}
            width=${width}
            height=${height}
          ></rect>
        </clipPath>
      </defs>
      <g class="axis"></g>
      <g clip-path="url(#${view.id}-clip)">
        ${below.map(layer)}
        <g class="ghosts">${this.ghost.map(shape)}</g>
        ${above.map(layer)} ${this.differenceMark()}
      </g>
      ${this.playheadTemplate()}
      <rect class="veil"></rect>
      <g clip-path="url(#${view.id}-clip)">${overVeil.map(layer)}</g>
      <g class="marks">
        ${marks.map(
          ({ x, y, r, index }) =>
            svg`<circle class="mark-disc" data-index=${index} cx=${x} cy=${y} r=${r}></circle>`,
        )}
      </g>
      <g class="labels">${this.words.map(label)}</g>
      <circle class="here" r="5"></circle>
      <g class="handles">${repeat(this.handles, (one) => one.name, handleTemplate)}</g>
      <g class="stamps"></g>
    </svg>`;
  }

  /** A lease's token wears the class of its client too, since not every colour bears the same ink. */
  coloured(text) {
    if (text.kind !== 'token') return text;
    const lease = this.drawn.model.leases.find((one) => one.index === text.index);
    return lease ? { ...text, kind: `token ${colour(this.drawn.model, lease.client)}` } : text;
  }

  playheadTemplate() {
    const { geometry } = this.drawn;
    if (geometry.tall) {
      const from = geometry.style.before - 24;
      const end = geometry.width;
      return svg`<g class="playhead"><path class="playhead-line" d="M${from} 0H${end}"></path>
        <path class="playhead-grip" d="M${end} -8l-11 8l11 8z"></path>
        <rect class="playhead-hit" x=${end - 26} y="-22" width="26" height="44"></rect></g>`;
    }
    return svg`<g class="playhead"><path class="playhead-line"
        d="M0 20V${geometry.across.to + 14}"></path>
      <g class="flag"><rect class="playhead-flag" y="1" height="20" rx="3"></rect>
        <text class="playhead-time" y="11" dy="0.35em" text-anchor="middle"></text></g></g>`;
  }

  differenceMark() {
    const { drawn, differsAt } = this;
    const { geometry } = drawn;
    if (differsAt === null || !geometry.inside(differsAt)) return nothing;
    const a = geometry.point(differsAt, geometry.across.from - 8);
    const b = geometry.point(differsAt, geometry.across.to + 8);
    return svg`<path class="difference" d="M${a.x} ${a.y}L${b.x} ${b.y}"></path>`;
  }

  drawAxis() {
    const { geometry } = this.drawn;
    const scale = scaleLinear(geometry.domain, [geometry.start, geometry.end]);
    const count = Math.max(3, Math.round((geometry.end - geometry.start) / 90));
    const axis = geometry.tall ? axisLeft(scale) : axisBottom(scale);
    axis.ticks(count).tickSizeOuter(0).tickSize(5).tickPadding(5);
    const format = scale.tickFormat(count);
    axis.tickFormat((time) =>
      time === 0 && geometry.tall ? '0 s' : `${format(time)}${geometry.tall ? '' : ' s'}`,
    );
    const group = select(this.svg.querySelector('.axis'));
    // What d3 draws for one orientation keeps attributes that are wrong for the other.
    if (this.axisTall !== geometry.tall) group.selectChildren().remove();
    this.axisTall = geometry.tall;
    const side = geometry.tall ? geometry.style.before - 26 : geometry.across.to + 14;
    group.attr('transform', geometry.tall ? `translate(${side} 0)` : `translate(0 ${side})`);
    group.call(axis).attr('font-family', null).attr('font-size', null);
    group.attr('text-anchor', geometry.tall ? 'end' : 'middle');
  }

  /** Dims what lies ahead of the playhead, from `at` on. */
  dim(at) {
    const { geometry } = this.drawn;
    const { style, across } = geometry;
    const from = Math.min(Math.max(at + 1, geometry.start - 12), geometry.end);
    const box = geometry.tall
      ? { x: style.before - 24, y: from, width: across.to - style.before + 27 }
      : { x: from, y: 22, height: across.to - 12 };
    const length = geometry.tall ? 'height' : 'width';
    box[length] = Math.max(0, geometry[length] - from);
    for (const [name, value] of Object.entries(box)) this.veil.setAttribute(name, value);
  }

  /**
   * Moves the playhead, and stamps what has been corrupted by then. What lies ahead is dimmed unless
   * the run is `atRest`, at its beginning and not playing.
   */
  seek(time, index, atRest = false) {
    const { geometry, texts } = this.drawn;
    const at = geometry.along(time);
    const seen = at >= geometry.start - 0.5 && at <= geometry.end + 0.5;
    this.playhead.setAttribute(
      'transform',
      geometry.tall ? `translate(0 ${at})` : `translate(${at} 0)`,
    );
    this.playhead.style.display = seen ? '' : 'none';
    this.veil.style.display = atRest ? 'none' : '';
    if (!atRest) this.dim(at);
    for (const { element, event, place } of this.told) {
      const isAhead = event === undefined ? place > at : event >= index;
      element.classList.toggle('ahead', !atRest && isAhead);
    }
    this.markEvent(index);
    if (this.flag) this.moveFlag(time, at);
    const stamps = texts.filter((text) => text.kind === 'stamp' && text.from <= index);
    if (stamps.length !== this.stampsShown) {
      this.stampsShown = stamps.length;
      render(svg`${stamps.map(stamp)}`, this.stamps);
    }
  }

  /** Writes the time on the flag, which is as wide as so many digits are, and within the picture. */
  moveFlag(time, at) {
    const text = `${clock(time)} s`;
    const digits = measure(text.replaceAll(/\d/g, '0'), 12, true);
    const width = Math.max(FLAG, Math.ceil(digits) + FLAG_SPACE);
    const inward = Math.min(0, this.drawn.geometry.width - width / 2 - at);
    this.flag.setAttribute('transform', `translate(${inward} 0)`);
    this.flag.querySelector('text').textContent = text;
    const plate = this.flag.querySelector('rect');
    plate.setAttribute('x', -width / 2);
    plate.setAttribute('width', width);
  }

  /** Puts a dot where the current event happened. */
  markEvent(index) {
    const { geometry } = this.drawn;
    const event = this.run.model.events[index - 1];
    const lane = event && geometry.lane(event.node);
    const shown = Boolean(lane) && geometry.inside(event.time);
    this.here.style.display = shown ? '' : 'none';
    if (!shown) return;
    const { x, y } = geometry.point(event.time, (lane.from + lane.to) / 2);
    this.here.setAttribute('cx', x);
    this.here.setAttribute('cy', y);
  }
}

function handleTemplate({ name, kind, box, tip }) {
  const { x, y, width, height } = box;
  const flat = width > height;
  const long = Math.max(12, (flat ? width : height) - 14);
  const knob = flat
    ? { x: x + (width - long) / 2, y: y + height / 2 - 3, width: long, height: 6 }
    : { x: x + width / 2 - 3, y: y + (height - long) / 2, width: 6, height: long };
  return svg`<g class="handle ${kind}" data-handle=${name}><title>${tip}</title>
    <rect class="hit" data-handle=${name} x=${x} y=${y} width=${width} height=${height}></rect>
    ${
      kind === 'grip'
        ? svg`<rect class="knob" data-handle=${name} x=${knob.x} y=${knob.y} width=${knob.width}
          height=${knob.height} rx="3"></rect>`
        : nothing
    }</g>`;
}

function stamp(text) {
  const { x, y, width, height } = text.box;
  return svg`<g class="stamp-mark"><rect x=${x - 3} y=${y - 1} width=${width + 6}
    height=${height + 2} rx="2"></rect>${label(text)}</g>`;
}
