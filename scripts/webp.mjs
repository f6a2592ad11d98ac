// Puts still WebP pictures together into a moving one (RIFF container, extended format).

const ANIMATED = 0x02;
const NO_BLEND = 0x02;

const u24 = (value) => Buffer.from([value & 255, (value >> 8) & 255, (value >> 16) & 255]);

function chunk(name, data) {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(name), size, data, Buffer.alloc(data.length % 2)]);
}

/** The image in a still, lossy picture, and its size. */
function read(webp) {
  if (webp.toString('latin1', 0, 4) !== 'RIFF' || webp.toString('latin1', 8, 12) !== 'WEBP') {
    throw new Error('not a WebP picture');
  }
  for (let at = 12; at < webp.length;) {
    const name = webp.toString('latin1', at, at + 4);
    const size = webp.readUInt32LE(at + 4);
    const data = webp.subarray(at + 8, at + 8 + size);
    if (name === 'VP8 ') {
      const [width, height] = [data.readUInt16LE(6) & 0x3fff, data.readUInt16LE(8) & 0x3fff];
      return { width, height, image: chunk(name, data) };
    }
    at += 8 + size + (size % 2);
  }
  throw new Error('a WebP picture of another kind');
}

/** @param {{ webp: Buffer, duration: number }[]} frames of one size; durations in milliseconds */
export function animatedWebp(frames) {
  const stills = frames.map(({ webp }) => read(webp));
  const [{ width, height }] = stills;
  const size = Buffer.concat([u24(width - 1), u24(height - 1)]);
  const header = chunk('VP8X', Buffer.concat([Buffer.from([ANIMATED, 0, 0, 0]), size]));
  const forever = chunk('ANIM', Buffer.from([255, 255, 255, 255, 0, 0]));
  const images = stills.map((still, index) => {
    const place = Buffer.alloc(6);
    const how = Buffer.concat([u24(frames[index].duration), Buffer.from([NO_BLEND])]);
    return chunk('ANMF', Buffer.concat([place, size, how, still.image]));
  });
  const body = Buffer.concat([Buffer.from('WEBP'), header, forever, ...images]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from('RIFF'), length, body]);
}
