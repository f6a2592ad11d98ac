// Puts labels where they overlap nothing; a label that fits nowhere is left out, since the event
// list says the same. Who asks first is placed first, so callers ask in order of importance.

const overlaps = (a, b) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

export const LINE = 1.2;
const CELL = 96;

export class Labels {
  /**
   * @param {{ x: number, y: number, width: number, height: number }} bounds
   * @param {(text: string, size: number, bold: boolean) => number} measure
   */
  constructor(bounds, measure) {
    this.bounds = bounds;
    this.measure = measure;
    this.cells = new Map();
    this.texts = [];
  }

  *near(box) {
    const right = Math.floor((box.x + box.width) / CELL);
    const bottom = Math.floor((box.y + box.height) / CELL);
    for (let column = Math.floor(box.x / CELL); column <= right; column += 1) {
      for (let row = Math.floor(box.y / CELL); row <= bottom; row += 1) yield `${column} ${row}`;
    }
  }

  /** Keeps a box free of labels. */
  reserve(box) {
    for (const cell of this.near(box)) {
      if (!this.cells.has(cell)) this.cells.set(cell, []);
      this.cells.get(cell).push(box);
    }
  }

  isFree(box) {
    const { bounds } = this;
    if (box.x < bounds.x || box.y < bounds.y) return false;
    if (box.x + box.width > bounds.x + bounds.width) return false;
    if (box.y + box.height > bounds.y + bounds.height) return false;
    for (const cell of this.near(box)) {
      if (this.cells.get(cell)?.some((other) => overlaps(box, other))) return false;
    }
    return true;
  }

  /** The box of some lines of text whose anchor point is (x, y), y in the middle of the block. */
  box({ lines, x, y, anchor = 'start', size, bold = false, pad = 2 }) {
    const width = Math.max(...lines.map((line) => this.measure(line, size, bold)));
    const height = lines.length * size * LINE;
    let left = x;
    if (anchor === 'middle') left = x - width / 2;
    if (anchor === 'end') left = x - width;
    return {
      x: left - pad,
      y: y - height / 2 - 1,
      width: width + 2 * pad,
      height: height + 2,
    };
  }

  /**
   * Places the first candidate that is free, and clear of the boxes of `avoid`, which may lie under
   * other labels; gives it with its box, or null.
   */
  place(candidates, more = {}, avoid = []) {
    for (const candidate of candidates) {
      const label = { anchor: 'start', bold: false, ...candidate, ...more };
      const box = this.box(label);
      if (this.isFree(box) && !avoid.some((other) => overlaps(box, other))) {
        this.reserve(box);
        const placed = { ...label, box };
        this.texts.push(placed);
        return placed;
      }
    }
    return null;
  }
}
