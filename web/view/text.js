// How times and tokens are written, and how wide a text is where no browser can say.

/** A time with as many decimals as tell apart what is told: `10.03`, `9`, `0.25`. */
export function seconds(time, decimals = 2) {
  const text = time.toFixed(decimals);
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return short === '-0' ? '0' : short;
}

/** A time as the clock shows it, always with the same number of digits. */
export const clock = (time) => time.toFixed(2);

/** Why a storage refused a token: `33 < 34`, or under the strict rule `34 ≤ 34`. */
export function comparison(write) {
  return `${write.token} ${write.token < write.highest ? '<' : '≤'} ${write.highest}`;
}

/** How long after its lease a write was accepted: `0.52 s`, and of little what can be told. */
export const lateBy = ({ late }) => `${seconds(late.by, late.by < 0.1 ? 3 : 2)} s`;

/** A stored value in few characters. */
export function short(value, length = 24) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

const NARROW = new Set("iljtfr.,:;'|!()[] I1");
const WIDE = new Set('mwMWCDGOQNHU@%—');

/** The width of a text in pixels, near enough to lay out by when nothing can measure it. */
export function estimateWidth(text, size, bold = false) {
  let ems = 0;
  for (const character of text) {
    if (NARROW.has(character)) ems += 0.38;
    else if (WIDE.has(character)) ems += 0.84;
    else ems += 0.6;
  }
  return ems * size * (bold ? 1.07 : 1);
}
