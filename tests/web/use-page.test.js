// What one does with the page without thinking: undoing, swiping, turning the phone, pressing space.

import { fromLink } from 'fencelock/simulator';
import { controls, seek, setUpBrowser, WIDTHS } from './browser.js';
import { soon } from './hands.js';

const { open } = setUpBrowser();

const undoOf = (page) => page.getByRole('button', { name: 'Undo' });
const pauseLength = (page) => controls(page).spin('Pause length of client 1');
const handle = (page, name) => page.locator(`[data-part="figure"] [data-handle="${name}"] .hit`);

async function type(field, value) {
  await field.fill(value);
  await field.press('Enter');
}

async function middle(locator) {
  await locator.evaluate((one) => one.scrollIntoView({ block: 'center' }));
  const { x, y, width, height } = await locator.boundingBox();
  return { x: x + width / 2, y: y + height / 2 };
}

describe('loading', () => {
  test('a seed or a scenario loaded over an edit can be undone', async () => {
    const page = await open();
    const { nextSeed, seed, scenario } = controls(page);
    await type(pauseLength(page), '8');
    const loads = [
      () => nextSeed.click(),
      () => type(seed, '7'),
      () => scenario.selectOption('late-release'),
    ];
    for (const load of loads) {
      await load();
      expect(await scenario.inputValue()).not.toBe('lesson');
      await undoOf(page).click();
      expect(await scenario.inputValue()).toBe('lesson');
      expect(await pauseLength(page).inputValue()).toBe('8');
    }
    await page.getByRole('button', { name: 'Redo' }).click();
    expect(await scenario.inputValue()).toBe('late-release');
    await undoOf(page).click();
    await undoOf(page).click();
    expect(await pauseLength(page).inputValue()).toBe('15');
    expect(await undoOf(page).isDisabled()).toBe(true);
  });

  test('a seed that is none changes nothing', async () => {
    const page = await open({ hash: '#suite=chaos&seed=5' });
    const { seed, events } = controls(page);
    const before = await events.innerText();
    for (const nonsense of ['', '-3', '1.5', '1e99']) {
      await type(seed, nonsense);
      expect(await seed.inputValue()).toBe('5');
      expect(await events.innerText()).toBe(before);
    }
    expect(await undoOf(page).isDisabled()).toBe(true);
  });

  test('the last seed has none after it', async () => {
    const last = Number.MAX_SAFE_INTEGER;
    const page = await open({ hash: `#suite=chaos&seed=${last - 1}` });
    const { nextSeed, seed } = controls(page);
    await nextSeed.click();
    expect(await seed.inputValue()).toBe(String(last));
    expect(await nextSeed.getAttribute('aria-disabled')).toBe('true');
    await nextSeed.focus();
    await page.keyboard.press('Enter');
    expect(await seed.inputValue()).toBe(String(last));
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test.each(WIDTHS)('rolling stays beside the picture, at %i pixels', async (width) => {
    const page = await open({ width });
    const { nextSeed, seed, time } = controls(page);
    const previous = page.getByRole('button', { name: 'Previous seed' });
    expect(await previous.isDisabled()).toBe(true);
    await nextSeed.click();
    const first = Number(await seed.inputValue());
    expect(first).toBeGreaterThan(0);
    expect(await nextSeed.evaluate((one) => one === document.activeElement)).toBe(true);
    const before = await nextSeed.boundingBox();
    expect(before.y).toBeGreaterThan(0);
    expect(before.y).toBeLessThan((await time.boundingBox()).y);
    expect((await page.locator('[data-part="figure"]').boundingBox()).y).toBeLessThan(400);
    await page.keyboard.press('Enter');
    expect(await seed.inputValue()).toBe(String(first + 1));
    expect(await nextSeed.boundingBox()).toEqual(before);
    await previous.click();
    await previous.click();
    expect(await seed.inputValue()).toBe(String(first - 1));
    await seed.fill('0');
    await seed.press('Enter');
    expect(await previous.isDisabled()).toBe(true);
  });
});

describe('on a phone', () => {
  test('a turned phone has the axis of a page that was opened turned', async () => {
    const axis = (page) => page.locator('[data-part="figure"] .axis').innerHTML();
    const page = await open({ width: 360, height: 740 });
    const tall = await axis(page);
    await page.setViewportSize({ width: 800, height: 740 });
    await page.locator('[data-part="figure"] svg.wide').waitFor();
    expect(await axis(page)).toBe(await axis(await open({ width: 800, height: 740 })));
    await page.setViewportSize({ width: 360, height: 740 });
    await page.locator('[data-part="figure"] svg.tall').waitFor();
    expect(await axis(page)).toBe(tall);
  });

  test('a window that is made lower has the picture of one that was opened low', async () => {
    const size = (page) =>
      page.locator('[data-part="figure"] svg').evaluate((one) => one.getAttribute('viewBox'));
    const page = await open({ width: 1000, height: 900 });
    await page.setViewportSize({ width: 1000, height: 420 });
    const low = await size(await open({ width: 1000, height: 420 }));
    await soon(async () => expect(await size(page)).toBe(low));
  });
});

describe('an edit', () => {
  test('leaves one current event', async () => {
    const page = await open();
    for (const [time, length] of [
      [20, '8'],
      [12, '3'],
      [7, '15'],
    ]) {
      await seek(page, time);
      await type(pauseLength(page), length);
      expect(await page.locator('[aria-current="step"]').count()).toBe(1);
    }
  });

  test('that makes a pause longer differs where the old run went on', async () => {
    const page = await open();
    await type(pauseLength(page), '20');
    expect(await page.locator('.ghost-note').innerText()).toContain('first differs at 16.00 s');
  });

  test('by dragging gives times of two decimals', async () => {
    const page = await open();
    const hundredths = /^\d+(\.\d{1,2})?$/;
    const dragged = async (name, by) => {
      const { x, y } = await middle(handle(page, name).first());
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + by, y, { steps: 4 });
      await page.mouse.up();
    };
    await dragged('lease the lock 33', 63);
    const lease = await controls(page).spin('Lease seconds').inputValue();
    expect(lease).not.toBe('10');
    expect(lease).toMatch(hundredths);
    await page.goto(`${page.url().split('#')[0]}#preset=delayed-duplicate`);
    await dragged('delivery client 1 -> storage #1 0', 71);
    const delay = controls(page).spin('Delay of client 1 -> storage #1, by seconds');
    expect(await delay.inputValue()).toMatch(hundredths);
    await type(delay, '1.23456');
    expect(await delay.inputValue()).toBe('1.23');
  });

  test('by dragging is taken back by Escape', async () => {
    const page = await open();
    await seek(page, 5);
    const before = await controls(page).events.innerText();
    const { x, y } = await middle(handle(page, 'end 0'));
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 200, y, { steps: 4 });
    expect(await pauseLength(page).inputValue()).not.toBe('15');
    await page.keyboard.press('Escape');
    expect(await pauseLength(page).inputValue()).toBe('15');
    await page.mouse.move(x - 300, y, { steps: 4 });
    await page.mouse.up();
    expect(await pauseLength(page).inputValue()).toBe('15');
    expect(await controls(page).events.innerText()).toBe(before);
    expect(Number(await controls(page).time.inputValue())).toBe(5);
    expect(await undoOf(page).isDisabled()).toBe(true);
    expect(await page.locator('.ghosts > *').count()).toBe(0);
  });
});

describe('keys', () => {
  test('space plays after a click, and presses what Tab reached', async () => {
    const page = await open();
    const { fencing, play, pause } = controls(page);
    await page.locator('.switch', { hasText: 'Fencing' }).click();
    expect(await fencing.isChecked()).toBe(false);
    await page.keyboard.press(' ');
    await pause.waitFor();
    expect(await fencing.isChecked()).toBe(false);
    await page.locator('.story button').nth(2).click();
    await play.waitFor();
    await page.keyboard.press(' ');
    await pause.waitFor();
    await page.keyboard.press(' ');
    await controls(page).scenario.click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await fencing.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press(' ');
    expect(await fencing.isChecked()).toBe(true);
    expect(await pause.count()).toBe(0);
  });

  test('an arrow at the end stays there', async () => {
    const page = await open();
    await page.keyboard.press('End');
    const end = await controls(page).time.inputValue();
    await page.keyboard.press('ArrowRight');
    expect(await controls(page).time.inputValue()).toBe(end);
  });
});

describe('fields', () => {
  test.each(['', '#suite=chaos&seed=3'])(
    'hold what they allow, and step evenly %s',
    async (hash) => {
      const page = await open({ hash });
      const bad = () =>
        page.evaluate(() =>
          [...document.querySelectorAll('input:invalid')].map((one) => one.ariaLabel),
        );
      expect(await bad()).toEqual([]);
      const lease = controls(page).spin('Lease seconds');
      await type(lease, '7.3');
      expect(await bad()).toEqual([]);
      await lease.press('ArrowUp');
      expect(await lease.inputValue()).toBe('7.8');
      await lease.press('ArrowDown');
      expect(await lease.inputValue()).toBe('7.3');
    },
  );

  test('a share is kept as it was typed', async () => {
    const page = await open();
    await type(controls(page).spin('Messages lost, percent'), '0.57');
    await controls(page).copyLink.click();
    const { document } = fromLink(new URL(page.url()).hash);
    expect(document.network.loss).toBe(0.0057);
  });

  test.each([
    ['Lease seconds', '-5', 'A lease must be above 0 s.'],
    ['Lease seconds', '1e9', 'A lease must be at most 100,000 s.'],
    ['Latency from', '3', 'must not be above the longest'],
    ['to, the longest latency', '0', 'must not be below the shortest'],
    ['Pause length of client 1', '0', 'must be above 0 s.'],
    ['Pause start of client 1', '-1', 'must not be below 0 s.'],
    ['Messages lost, percent', '101', 'must be at most 100 %.'],
  ])('%s refuses %s with a message beside it', async (name, value, message) => {
    const page = await open();
    const field = controls(page).spin(name);
    const old = await field.inputValue();
    await type(field, value);
    expect(await page.getByRole('alert').innerText()).toContain(message);
    expect(await field.inputValue()).toBe(old);
    expect(await undoOf(page).isDisabled()).toBe(true);
    const [below, at] = [await page.getByRole('alert').boundingBox(), await field.boundingBox()];
    expect(Math.abs(below.y - at.y)).toBeLessThan(80);
  });
});
