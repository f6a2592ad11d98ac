// Where a word could stand: candidates, the best first. labels.js takes the first that is free.

const STEP = 18;
const TRIES = 60;
const NARROWEST = 5; // pixels; no word is shorter
const MOST_BEYOND = 20; // pixels that a word may reach beyond what it speaks of

/**
 * Candidates along a span of time, in the middle of a track: at its start, then ever later. Where
 * lanes are columns, `style.room` is how wide a text may be.
 */
export function* along(geometry, from, to, middle, texts, style, pad = 6) {
  const a = geometry.clamp(from) + pad;
  const b = geometry.clamp(to) - pad;
  if (b - a < NARROWEST) return;
  for (const lines of texts) {
    const width = Math.max(...lines.map((line) => style.measure(line, style.size, style.bold)));
    const height = lines.length * style.size * 1.2;
    if (geometry.tall && width > (style.room ?? Infinity)) continue;
    const length = geometry.tall ? height : width;
    for (let tries = 0, at = a; tries < TRIES && at + length <= b + 2; tries += 1, at += STEP) {
      yield geometry.tall
        ? { lines, ...style, anchor: 'middle', x: middle, y: at + height / 2 }
        : { lines, ...style, anchor: 'start', x: at, y: middle };
    }
  }
}

/** Candidates about the middle of a span, for texts that are a little too long for it. */
export function* astride(geometry, from, to, middle, texts, style) {
  const [a, b] = [geometry.clamp(from), geometry.clamp(to)];
  for (const lines of texts) {
    const width = Math.max(...lines.map((line) => style.measure(line, style.size, style.bold)));
    if (width > b - a + 2 * MOST_BEYOND) continue;
    yield { lines, ...style, anchor: 'middle', x: (a + b) / 2, y: middle };
    yield { lines, ...style, anchor: 'end', x: b - 8, y: middle };
  }
}

/** Candidates about a point: on each side of it, near and then farther. */
export function* about({ x, y }, texts, style, distances = [10, 22, 36]) {
  for (const lines of texts) {
    for (const distance of distances) {
      yield { lines, ...style, anchor: 'start', x: x + distance, y };
      yield { lines, ...style, anchor: 'end', x: x - distance, y };
      const shift = distance + (lines.length * style.size) / 2;
      yield { lines, ...style, anchor: 'middle', x, y: y - shift };
      yield { lines, ...style, anchor: 'middle', x, y: y + shift };
      yield { lines, ...style, anchor: 'start', x: x + 6, y: y - shift };
      yield { lines, ...style, anchor: 'end', x: x - 6, y: y - shift };
      yield { lines, ...style, anchor: 'start', x: x + 6, y: y + shift };
      yield { lines, ...style, anchor: 'end', x: x - 6, y: y + shift };
    }
  }
}
