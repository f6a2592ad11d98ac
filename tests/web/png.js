// PNG files with a palette: half the size of what a browser writes, which matters to a repository.

import { deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const PALETTE = 3; // the colour type whose pixels are places in a palette
const MOST = 256;

const CRC = Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

const crc32 = (bytes) =>
  (bytes.reduce((sum, byte) => CRC[(sum ^ byte) & 255] ^ (sum >>> 8), -1) ^ -1) >>> 0;

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), framed.length - 4);
  return framed;
}

/** `palette` is a list of [red, green, blue], `places` a byte a pixel, row by row. */
function encode(width, height, palette, places) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, PALETTE, 0, 0, 0], 8);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1)
    places.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * The same picture with at most 256 colours: those that are most common once each channel is down to
 * 32 steps; any other becomes the nearest of them. The browser itself decodes what it wrote.
 */
export async function paletted(page, png) {
  const { width, height, palette, places } = await page.evaluate(
    async ([data, most]) => {
      const blob = await (await fetch(`data:image/png;base64,${data}`)).blob();
      const bitmap = await createImageBitmap(blob);
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d');
      context.drawImage(bitmap, 0, 0);
      const { data: bytes } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      const counts = new Map();
      const keys = new Uint16Array(bytes.length / 4);
      for (let i = 0; i < keys.length; i += 1) {
        const [r, g, b] = bytes.subarray(i * 4, i * 4 + 3);
        keys[i] = ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);
        counts.set(keys[i], (counts.get(keys[i]) ?? 0) + 1);
      }
      const colour = (key) => [key >> 10, (key >> 5) & 31, key & 31].map((one) => one * 8.226);
      const common = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, most);
      const chosen = common.map(([key]) => colour(key));
      const distance = (a, b) => a.reduce((sum, one, k) => sum + (one - b[k]) ** 2, 0);
      const place = new Map(common.map(([key], index) => [key, index]));
      for (const key of counts.keys()) {
        if (place.has(key)) continue;
        const far = chosen.map((one) => distance(one, colour(key)));
        place.set(key, far.indexOf(Math.min(...far)));
      }
      const text = Array.from(keys, (key) => String.fromCharCode(place.get(key))).join('');
      return {
        width: bitmap.width,
        height: bitmap.height,
        palette: chosen.map((one) => one.map(Math.round)),
        places: btoa(text),
      };
    },
    [png.toString('base64'), MOST],
  );
  return encode(width, height, palette, Buffer.from(places, 'base64'));
}
