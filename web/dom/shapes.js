// Shapes and texts of a figure as SVG templates.

import { html, svg, nothing } from 'lit-html';

const index = (shape) => shape.index ?? nothing;

export function shape(one) {
  switch (one.tag) {
    case 'rect':
      return svg`<rect class=${one.class} x=${one.x} y=${one.y} width=${one.width}
        height=${one.height} data-index=${index(one)}></rect>`;
    case 'path':
      return svg`<path class=${one.class} d=${one.d} data-index=${index(one)}></path>`;
    default:
      throw new Error(`a shape without a template: ${one.tag}`);
  }
}

export function label(one) {
  const step = one.size * 1.2;
  const first = one.y - ((one.lines.length - 1) * step) / 2;
  return svg`<text class="label ${one.kind} ${one.bold ? 'bold' : ''}" text-anchor=${one.anchor}
    font-size=${one.size} data-index=${index(one)}>${one.lines.map(
      (line, number) =>
        svg`<tspan x=${one.x} y=${first + number * step} dy="0.35em">${line}</tspan>${
          number < one.lines.length - 1 ? ' ' : nothing
        }`,
    )}</text>`;
}

export { html, svg, nothing };
