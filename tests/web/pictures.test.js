// Every preset looks as it did: compared with reference pictures, with a small tolerance.
// `npm run pictures` renews them.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { presets } from 'fencelock/simulator';
import { setUpBrowser } from './browser.js';
import { difference, PICTURES, SIZES, takePicture, typefaceHere } from './pictures.js';

const { open } = setUpBrowser();
const RENEW = process.env.RENEW_PICTURES === '1';
const TOLERANCE = 0.004;
const FINGERPRINT = new URL('typeface.json', PICTURES);

/** Whether pictures taken here can be compared; elsewhere only the sizes could be told. */
async function isComparable(page) {
  const here = await typefaceHere(page);
  if (RENEW) {
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(FINGERPRINT, `${JSON.stringify({ width: here })}\n`);
  }
  return JSON.parse(readFileSync(FINGERPRINT, 'utf8')).width === here;
}

describe.each(SIZES)('at $width pixels, $scheme', ({ width, scheme }) => {
  test.each(presets.map(({ name }) => name))('%s', async (name) => {
    const page = await open({ width, scheme, hash: `#preset=${name}` });
    if (!(await isComparable(page))) {
      console.warn(`${name} was not compared: the typeface of the reference pictures is not here`);
      expect(process.env.CI).toBeUndefined();
      return;
    }
    const taken = await takePicture(page);
    const file = new URL(`${name}-${width}-${scheme}.png`, PICTURES);
    if (RENEW) writeFileSync(file, taken);
    expect(existsSync(file)).toBe(true);
    const share = await difference(page, readFileSync(file), taken);
    if (share > TOLERANCE) {
      const seen = new URL(`../../build/test/${name}-${width}-${scheme}.png`, import.meta.url);
      writeFileSync(seen, taken);
      throw new Error(`${(share * 100).toFixed(2)} % of the picture differ; see ${seen.pathname}`);
    }
  });
});

test('a picture of another run is told from the reference', async () => {
  const page = await open({ width: 1440, hash: '#preset=unfenced' });
  if (!(await isComparable(page))) return;
  const other = await takePicture(page);
  const lesson = readFileSync(new URL('lesson-1440-light.png', PICTURES));
  expect(await difference(page, lesson, other)).toBeGreaterThan(TOLERANCE);
});
