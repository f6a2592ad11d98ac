// Where in a JSON text a field is, so that a complaint about it can name the line.

const SPACE = /[\s,:]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^\s,\]}]+/y;

/** Splits `clients[1].clock.rate` into its steps. */
export const stepsOf = (path) =>
  [...path.matchAll(/([^.[\]]+)/g)].map(([, step]) => (/^\d+$/.test(step) ? Number(step) : step));

/** The offset in `text` of what is at `path`, or of the nearest thing around it. */
export function offsetOf(text, path) {
  const wanted = stepsOf(path);
  let at = 0;
  let best = 0;
  let bestDepth = 0;

  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };

  const note = (steps, offset) => {
    const fits = steps.length <= wanted.length && steps.every((step, i) => step === wanted[i]);
    if (fits && steps.length > bestDepth) {
      best = offset;
      bestDepth = steps.length;
    }
  };

  const value = (steps) => {
    match(SPACE);
    const open = text[at];
    if (open === '"') match(STRING);
    else if (open === '{' || open === '[') {
      at += 1;
      const list = open === '[';
      for (let index = 0; ; index += 1) {
        match(SPACE);
        if (at >= text.length || text[at] === '}' || text[at] === ']') break;
        const start = at;
        let step = index;
        if (!list) {
          const name = match(STRING);
          if (name === '') return;
          step = JSON.parse(name);
        }
        note([...steps, step], start);
        value([...steps, step]);
      }
      at += 1;
    } else if (match(SCALAR) === '') at += 1;
  };

  value([]);
  return best;
}

/** The number of the line, from 1, that holds what is at `path`. */
export const lineOfPath = (text, path) => text.slice(0, offsetOf(text, path)).split('\n').length;
