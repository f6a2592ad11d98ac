// The page looks as it did: compared with reference pictures, with a small tolerance.
// `npm run pictures` renews them.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { presets, toLink } from 'fencelock/simulator';
import { setUpBrowser, WIDTHS } from './browser.js';
import { difference, isWithinTolerance, LIST, PICTURES, takePicture } from './pictures.js';
import { TYPEFACE, typefaceHere } from './pictures.js';

const { open } = setUpBrowser();
const RENEW = process.env.RENEW_PICTURES === '1';
const FINGERPRINT = new URL('typeface.json', PICTURES);

beforeAll(() => {
  if (!RENEW) return;
  rmSync(PICTURES, { recursive: true, force: true });
  mkdirSync(PICTURES);
});

/** Whether pictures taken here can be compared; elsewhere only the sizes could be told. */
async function isComparable(page) {
  const here = await typefaceHere(page);
  if (RENEW) writeFileSync(FINGERPRINT, `${JSON.stringify({ width: here })}\n`);
  return JSON.parse(readFileSync(FINGERPRINT, 'utf8')).width === here;
}

test.each(LIST)('$name at $width pixels, $scheme', async (picture) => {
  const { width, scheme, hash, name } = picture;
  const page = await open({ width, scheme, hash, typeface: TYPEFACE });
  if (!(await isComparable(page))) {
    console.warn(`${name} was not compared: the typeface of the reference pictures is not here`);
    expect(process.env.CI).toBeUndefined();
    return;
  }
  const taken = await takePicture(page, picture);
  const file = new URL(picture.file, PICTURES);
  if (RENEW) writeFileSync(file, taken);
  expect(existsSync(file)).toBe(true);
  const differs = await difference(page, readFileSync(file), taken);
  if (isWithinTolerance(differs)) return;
  const seen = new URL(`../../build/test/${picture.file}`, import.meta.url);
  writeFileSync(seen, taken);
  const [whole, worst] = [differs.whole, differs.worst].map((one) => (one * 100).toFixed(2));
  throw new Error(`${whole} % differ, ${worst} % in the worst place; see ${seen.pathname}`);
});

test('there is no picture that nothing is compared with', () => {
  const files = readdirSync(PICTURES).filter((file) => file.endsWith('.png'));
  expect(files.sort()).toEqual(LIST.map(({ file }) => file).sort());
});

const LESSON = presets.find(({ name }) => name === 'lesson').scenario;
const CHANGES = {
  none: {},
  'a lease of half a second more': { lease: 10.5 },
  'a pause that ends half a second sooner': { faults: [{ ...LESSON.faults[0], to: 15.5 }] },
  'other tokens': { firstToken: 34 },
};

test.each(WIDTHS)('the tolerance hides no change of one event, at %i pixels', async (width) => {
  const pictures = [];
  let page;
  for (const change of [{}, ...Object.values(CHANGES)]) {
    const document = { ...LESSON, ...change };
    const hash = toLink({ document, time: 0, index: 0, hash: '' });
    page = await open({ width, hash, typeface: TYPEFACE });
    pictures.push(await takePicture(page));
  }
  const [lesson, ...changed] = pictures;
  const told = [];
  for (const [index, name] of Object.keys(CHANGES).entries())
    if (!isWithinTolerance(await difference(page, lesson, changed[index]))) told.push(name);
  expect(told).toEqual(Object.keys(CHANGES).slice(1));
});
