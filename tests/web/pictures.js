// How a reference picture is taken: the figure alone, at a fixed size and in a fixed typeface.

export const PICTURES = new URL('./pictures/', import.meta.url);
export const TYPEFACE = 'DejaVu Sans';
export const SIZES = [
  { width: 1440, scheme: 'light' },
  { width: 360, scheme: 'dark' },
];

/** How the typeface looks here: pictures can only be compared where this is the same. */
export const typefaceHere = (page) =>
  page.evaluate((family) => {
    const context = document.createElement('canvas').getContext('2d');
    context.font = `100px "${family}", monospace`;
    return Math.round(context.measureText('Fencing 0123456789 <').width);
  }, TYPEFACE);

/** Moves the playhead to the end, and takes the picture of the first figure. */
export async function takePicture(page) {
  await page.addStyleTag({ content: `body { font-family: "${TYPEFACE}" !important }` });
  await page.evaluate(() => {
    const slider = document.querySelector('[aria-label="Time"]');
    slider.value = slider.max;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    for (const bar of document.querySelectorAll('.player')) bar.style.position = 'static';
  });
  return page.locator('[data-part="figure"] svg').screenshot({ animations: 'disabled' });
}

/**
 * The share of pixels that differ by more than a trace of a colour; 1 when the sizes do.
 * Chromium itself decodes both pictures, so no other decoder is needed.
 */
export function difference(page, one, other) {
  return page.evaluate(
    async ([first, second]) => {
      const pixels = async (data) => {
        const blob = await (await fetch(`data:image/png;base64,${data}`)).blob();
        const bitmap = await createImageBitmap(blob);
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext('2d');
        context.drawImage(bitmap, 0, 0);
        return context.getImageData(0, 0, bitmap.width, bitmap.height);
      };
      const [a, b] = [await pixels(first), await pixels(second)];
      if (a.width !== b.width || a.height !== b.height) return 1;
      let differ = 0;
      for (let i = 0; i < a.data.length; i += 4) {
        const most = Math.max(
          Math.abs(a.data[i] - b.data[i]),
          Math.abs(a.data[i + 1] - b.data[i + 1]),
          Math.abs(a.data[i + 2] - b.data[i + 2]),
        );
        if (most > 48) differ += 1;
      }
      return differ / (a.width * a.height);
    },
    [one.toString('base64'), other.toString('base64')],
  );
}
