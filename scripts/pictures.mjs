// Makes the README's pictures from the page itself (docs/lesson.svg, docs/drag.webp), and renews the
// reference pictures of the browser tests.

/* global createImageBitmap, document, OffscreenCanvas */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { findBrowser } from './browser.mjs';
import { animatedWebp } from './webp.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const docs = `${root}docs`;
const FROM = 16; // seconds: the end of client 1's pause, dragged there and back
const TO = 9;
const FRAMES = 14;
const FRAME_MS = 90;
const REST_MS = 1600;

const executablePath = findBrowser();

async function openPage(browser, width) {
  const page = await browser.newPage({
    viewport: { width, height: 900 },
    colorScheme: 'light',
    acceptDownloads: true,
  });
  await page.goto(pathToFileURL(`${root}dist/fencelock.html`).href);
  await page.locator('[data-ready]').waitFor();
  return page;
}

/** What the page's own "Save picture" gives, with the playhead at the end. */
async function savePicture(page) {
  await page.keyboard.press('End');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save picture as SVG' }).click(),
  ]);
  return readFile(await download.path(), 'utf8');
}

/** A screenshot of the picture and its verdict as WebP, which the browser itself encodes. */
async function frame(page) {
  const shot = await page.locator('.timeline').screenshot({ animations: 'disabled' });
  const data = await page.evaluate(async (png) => {
    const blob = await (await fetch(`data:image/png;base64,${png}`)).blob();
    const bitmap = await createImageBitmap(blob);
    const bottom = document.querySelector('.slider-host').getBoundingClientRect().top;
    const top = document.querySelector('.timeline').getBoundingClientRect().top;
    const canvas = new OffscreenCanvas(bitmap.width, Math.round(bottom - top));
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    const webp = await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 });
    const bytes = new Uint8Array(await webp.arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  }, shot.toString('base64'));
  return Buffer.from(data, 'base64');
}

/** Where the hand is on the picture: drawn, since a screenshot shows no pointer. */
const showHand = (page, x, y) =>
  page.evaluate(
    ([left, top]) => {
      let hand = document.getElementById('hand');
      if (!hand) {
        hand = document.createElement('div');
        hand.id = 'hand';
        hand.style.cssText =
          'position:fixed;width:26px;height:26px;margin:-13px;border-radius:50%;' +
          'border:2px solid #1b1f23;background:rgb(27 31 35 / .18);pointer-events:none';
        document.body.append(hand);
      }
      hand.style.left = `${left}px`;
      hand.style.top = `${top}px`;
    },
    [x, y],
  );

async function film(page) {
  await page.keyboard.press('End');
  const hit = await page.locator('[data-handle="end 0"] .hit').boundingBox();
  const axis = await page.locator('[data-part="figure"] .axis .tick line').evaluateAll((ticks) => {
    const [a, b] = ticks.slice(0, 2);
    const width = b.getBoundingClientRect().x - a.getBoundingClientRect().x;
    return width / (b.parentNode.__data__ - a.parentNode.__data__);
  });
  const y = hit.y + hit.height / 2;
  const xOf = (time) => hit.x + hit.width / 2 + (time - FROM) * axis;
  const frames = [];
  const take = async (duration) => frames.push({ webp: await frame(page), duration });
  await showHand(page, xOf(FROM), y);
  await take(REST_MS);
  await page.mouse.move(xOf(FROM), y);
  await page.mouse.down();
  const path = Array.from({ length: FRAMES }, (_, i) => {
    const share = (i + 1) / FRAMES;
    return FROM + (TO - FROM) * share * share * (3 - 2 * share);
  });
  for (const time of path) {
    await page.mouse.move(xOf(time), y);
    await showHand(page, xOf(time), y);
    await take(FRAME_MS);
  }
  await take(REST_MS);
  await page.mouse.up();
  return animatedWebp(frames);
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
await mkdir(docs, { recursive: true });
await writeFile(`${docs}/lesson.svg`, await savePicture(await openPage(browser, 1440)));
await writeFile(`${docs}/drag.webp`, await film(await openPage(browser, 1280)));
await browser.close();

if (!process.argv.includes('--readme')) {
  const jest = ['--no-warnings', '--experimental-vm-modules', 'node_modules/jest/bin/jest.js'];
  const env = { ...process.env, RENEW_PICTURES: '1' };
  const options = { cwd: root, stdio: 'inherit', env };
  const { status } = spawnSync(process.execPath, [...jest, 'tests/web/pictures'], options);
  process.exitCode = status;
}
