// Which reference pictures there are, how each is taken, and when two are the same.

import { presets } from 'fencelock/simulator';
import { WIDTHS } from './browser.js';
import { paletted } from './png.js';

export const PICTURES = new URL('./pictures/', import.meta.url);
export const TYPEFACE = 'DejaVu Sans';

const FIGURE = '[data-part="figure"] svg';

/** The presets, light and dark by turns: each is seen in both schemes, and so is each width. */
const ofPresets = presets.flatMap(({ name }, row) =>
  WIDTHS.map((width, column) => ({
    name,
    width,
    scheme: (row + column) % 2 === 0 ? 'light' : 'dark',
    hash: `#preset=${name}`,
  })),
);

const inBoth = (picture, ...sizes) =>
  sizes.map(([width, scheme]) => ({ ...picture, width, scheme }));

const SMALL_DARK = [360, 'dark'];
const SMALL_LIGHT = [360, 'light'];
const WIDE_LIGHT = [1440, 'light'];
const WIDE_DARK = [1440, 'dark'];

const others = [
  ...inBoth({ name: 'random', hash: '#suite=chaos&seed=3' }, WIDE_DARK, SMALL_LIGHT),
  ...inBoth(
    { name: 'twin', part: '.timeline', first: (page) => page.keyboard.press('d') },
    WIDE_LIGHT,
    SMALL_DARK,
  ),
  ...inBoth({ name: 'ghost', first: shortenPause }, WIDE_DARK, SMALL_LIGHT),
  ...inBoth({ name: 'map', part: '.map', first: openMap }, WIDE_LIGHT, SMALL_DARK),
  ...inBoth({ name: 'first-screen', part: null }, WIDE_LIGHT, [768, 'light'], SMALL_DARK),
];

/**
 * All pictures: `part` is what of the page is on it, by default the picture of the run with the
 * playhead at its end; null for the window as it opens.
 */
export const LIST = [...ofPresets, ...others].map((one) => ({
  hash: '',
  part: FIGURE,
  ...one,
  file: `${one.name}-${one.width}-${one.scheme}.png`,
}));

async function shortenPause(page) {
  const length = page.getByRole('spinbutton', { name: 'Pause length of client 1' });
  await length.fill('12');
  await length.press('Enter');
}

async function openMap(page) {
  await page.getByRole('button', { name: 'Map of pauses' }).click();
  await page.locator('.map progress').waitFor({ state: 'detached' });
}

/** How the typeface looks here: pictures can only be compared where this is the same. */
export const typefaceHere = (page) =>
  page.evaluate((family) => {
    const context = document.createElement('canvas').getContext('2d');
    context.font = `100px "${family}", monospace`;
    return Math.round(context.measureText('Fencing 0123456789 <').width);
  }, TYPEFACE);

export async function takePicture(page, { part = FIGURE, first } = {}) {
  await first?.(page);
  if (part === null) return paletted(page, await page.screenshot({ animations: 'disabled' }));
  await page.keyboard.press('End');
  await page.evaluate(() => {
    document.activeElement.blur();
    for (const bar of document.querySelectorAll('.player')) bar.style.position = 'static';
  });
  return paletted(page, await page.locator(part).screenshot({ animations: 'disabled' }));
}

// What two pictures of one run may differ by: specks anywhere, as where an edge falls between two
// pixels, but not most of any small square, as when a line or a word has moved.
const SPECK = 48; // of 255, in a colour's channel
const SQUARE = 8; // pixels
const MOST_OF_SQUARE = 0.25;
const MOST_OF_PICTURE = 0.004;

/** What of two pictures differs, in the whole and in the worst square; all when their sizes do. */
export function difference(page, one, other) {
  return page.evaluate(
    async ([first, second, speck, square]) => {
      const pixels = async (data) => {
        const blob = await (await fetch(`data:image/png;base64,${data}`)).blob();
        const bitmap = await createImageBitmap(blob);
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext('2d');
        context.drawImage(bitmap, 0, 0);
        return context.getImageData(0, 0, bitmap.width, bitmap.height);
      };
      const [a, b] = [await pixels(first), await pixels(second)];
      if (a.width !== b.width || a.height !== b.height) return { whole: 1, worst: 1 };
      const across = Math.ceil(a.width / square);
      const squares = new Uint16Array(across * Math.ceil(a.height / square));
      let differ = 0;
      for (let i = 0; i < a.data.length; i += 4) {
        const isSame = [0, 1, 2].every((k) => Math.abs(a.data[i + k] - b.data[i + k]) <= speck);
        if (isSame) continue;
        differ += 1;
        const [x, y] = [(i / 4) % a.width, Math.floor(i / 4 / a.width)];
        squares[Math.floor(y / square) * across + Math.floor(x / square)] += 1;
      }
      return { whole: differ / (a.width * a.height), worst: Math.max(...squares) / square ** 2 };
    },
    [one.toString('base64'), other.toString('base64'), SPECK, SQUARE],
  );
}

export const isWithinTolerance = ({ whole, worst }) =>
  whole <= MOST_OF_PICTURE && worst <= MOST_OF_SQUARE;
