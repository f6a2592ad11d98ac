// How the page looks and speaks: what fits the window, what is announced, what stands out.

import { toLink } from 'fencelock/simulator';
import { controls, seek, setUpBrowser, WIDTHS } from './browser.js';
import { soon } from './hands.js';

const { open } = setUpBrowser();

const boxOf = (page, selector) => page.locator(selector).first().boundingBox();
const bottomOf = ({ y, height }) => y + height;

describe('what fits the window', () => {
  test('on a phone the first screen has hint, verdict and the whole picture above the player', async () => {
    const page = await open({ width: 360, height: 740 });
    const player = await boxOf(page, '.player');
    expect(bottomOf(player)).toBeLessThanOrEqual(740);
    for (const selector of ['.try', '.brief', '.knob[data-handle="end 0"]', '.comparison']) {
      expect(bottomOf(await boxOf(page, selector))).toBeLessThanOrEqual(player.y);
    }
    const figure = await boxOf(page, '.figure');
    expect(figure.height).toBeGreaterThanOrEqual(320);
    expect(bottomOf(figure)).toBeLessThanOrEqual(player.y + 1);
  });

  test('on the smallest phone the picture begins high, and ends above the player', async () => {
    const page = await open({ width: 320, height: 640 });
    const figure = await boxOf(page, '.figure');
    expect(figure.height).toBeGreaterThanOrEqual(260);
    expect(bottomOf(figure)).toBeLessThanOrEqual((await boxOf(page, '.player')).y + 4);
    await page.getByText('A lock is lent for a while').waitFor();
  });

  test.each([
    [740, 360],
    [667, 375],
    [568, 320],
  ])('a phone on its side, %i by %i, shows picture and player at once', async (width, height) => {
    const page = await open({ width, height });
    const { y } = await boxOf(page, '.figure');
    expect(y).toBeLessThanOrEqual(90);
    await page.evaluate((top) => window.scrollTo(0, Math.floor(top)), y);
    const figure = await boxOf(page, '.figure');
    const play = await controls(page).play.boundingBox();
    expect(figure.y).toBeGreaterThanOrEqual(0);
    expect(bottomOf(figure)).toBeLessThanOrEqual(play.y);
    expect(bottomOf(play)).toBeLessThanOrEqual(height);
    await page.getByText('A lock is lent for a while').waitFor();
  });

  test.each([
    [360, 740],
    [320, 640],
    [740, 360],
  ])('the verdict stands in one line above the picture at %i by %i', async (width, height) => {
    const page = await open({ width, height });
    const seen = async () => {
      const [brief, figure] = [await boxOf(page, '.brief'), await boxOf(page, '.figure')];
      expect(brief.height).toBeLessThanOrEqual(20);
      expect(Math.abs(figure.y - bottomOf(brief))).toBeLessThanOrEqual(4);
      const fits = await page
        .locator('.brief')
        .evaluate((one) => one.scrollWidth <= one.clientWidth);
      expect(fits).toBe(true);
      return [(await page.locator('.brief').innerText()).trim(), figure.y];
    };
    const [fenced, y] = await seen();
    expect(fenced).toBe('Fenced. 33 < 34 at 16.03 s');
    await controls(page).fencing.uncheck();
    expect(await seen()).toEqual(['Not fenced. 33 over 34 at 16.03 s', y]);
    await controls(page).scenario.selectOption('partition');
    expect((await seen())[0]).toBe('In order.');
  });

  test('a phone on its side has the seed of a random run in one line', async () => {
    const page = await open({ width: 740, height: 360, hash: '#suite=chaos&seed=7' });
    const boxes = [];
    for (const one of [controls(page).seed, controls(page).nextSeed])
      boxes.push(await one.boundingBox());
    expect(Math.abs(boxes[0].y - boxes[1].y)).toBeLessThan(4);
    expect((await boxOf(page, '.figure')).y).toBeLessThanOrEqual(130);
  });

  test('twins on a phone are both above the player, on one scale of time', async () => {
    const page = await open({ width: 360, height: 740 });
    await page.keyboard.press('d');
    const [one, other] = [
      await boxOf(page, '.figure'),
      await boxOf(page, '[data-part="twin"] svg'),
    ];
    expect(bottomOf(one)).toBeLessThanOrEqual(other.y);
    expect(bottomOf(other)).toBeLessThanOrEqual((await boxOf(page, '.player')).y + 1);
    const differences = await page
      .locator('.difference')
      .evaluateAll((all) => all.map((line) => line.getBoundingClientRect().x));
    expect(differences).toHaveLength(2);
    expect(differences[0]).toBe(differences[1]);
    for (const why of [/At 16\.03 s the storage rejects/, /At 16\.03 s the storage accepts/])
      expect(await page.getByText(why).filter({ visible: true }).count()).toBeGreaterThan(0);
  });

  test.each([320, 360, 768, 1440])('nothing scrolls sideways at %i pixels', async (width) => {
    const page = await open({ width, height: 640 });
    await page.keyboard.press('d');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });

  test('twins fit a window of 900 pixels, and the list says whose events it has', async () => {
    const page = await open({ width: 1440, height: 900 });
    await page.keyboard.press('d');
    expect(bottomOf(await boxOf(page, '[data-part="twin"] svg'))).toBeLessThanOrEqual(900);
    await page.getByRole('heading', { name: 'Events · Fencing on' }).waitFor();
    await page.keyboard.press('x');
    await page.getByRole('heading', { name: 'Events · Fencing off' }).waitFor();
  });

  test('the current event is kept in view inside the list, and the page stays', async () => {
    const page = await open({ width: 1440, height: 900 });
    for (const seconds of [10, 19, 2]) {
      await seek(page, seconds);
      await soon(async () => {
        const current = await boxOf(page, '.events [aria-current]');
        expect(current.y).toBeGreaterThan(0);
        expect(bottomOf(current)).toBeLessThanOrEqual(900);
      });
      expect(await page.evaluate(() => window.scrollY)).toBe(0);
    }
  });

  test.each([768, 1440])('the scenario’s title is not cut at %i pixels', async (width) => {
    const page = await open({ width });
    const [box, natural] = await page
      .getByRole('combobox', { name: 'Scenario' })
      .evaluate((one) => {
        const free = one.cloneNode(true);
        free.style.cssText = 'position: absolute; max-width: none; width: auto';
        document.body.append(free);
        const sizes = [one.offsetWidth, free.offsetWidth];
        free.remove();
        return sizes;
      });
    expect(box).toBeGreaterThanOrEqual(natural);
  });

  test('nothing jumps while playing, nor when a run is edited', async () => {
    const page = await open({ width: 360 });
    const places = () =>
      page.evaluate(() =>
        ['.figure', '.player', '.story', '.bar'].map(
          (one) => document.querySelector(one).getBoundingClientRect().y,
        ),
      );
    const before = await places();
    for (let step = 0; step < 30; step += 1) {
      await page.keyboard.press('ArrowRight');
      expect(await places()).toEqual(before);
    }
    await page.keyboard.press('Home');
    await controls(page).fencing.uncheck();
    await page.getByText('edited', { exact: true }).waitFor();
    const after = await places();
    expect([after[0], after[3]]).toEqual([before[0], before[3]]);
  });
});

describe('what follows the end of a pause', () => {
  test.each([
    [320, 640],
    [360, 740],
    [740, 360],
    [768, 900],
    [1440, 900],
  ])('is said without moving the picture, at %i by %i', async (width, height) => {
    const page = await open({ width, height });
    const { y } = await boxOf(page, '.figure');
    const hints = new Set();
    for (const length of [8, 9.5, 11, 15]) {
      const field = controls(page).spin('Pause length of client 1');
      await field.fill(String(length));
      await field.press('Enter');
      await page.evaluate(() => window.scrollTo(0, 0));
      expect([length, (await boxOf(page, '.figure')).y]).toEqual([length, y]);
      hints.add(await page.locator('.try').innerText());
    }
    expect(hints.size).toBe(4);
  });
});

describe('what stands beside what', () => {
  test.each(['light', 'dark'])(
    'the fields of a fault are seen together with the picture that they change, %s',
    async (scheme) => {
      const page = await open({ width: 1440, height: 900, scheme });
      for (const name of ['Pause start of client 1', 'Pause length of client 1']) {
        expect(bottomOf(await controls(page).spin(name).boundingBox())).toBeLessThanOrEqual(900);
      }
      expect(bottomOf(await boxOf(page, '.figure'))).toBeLessThanOrEqual(900);
      expect(await page.evaluate(() => window.scrollY)).toBe(0);
    },
  );

  test.each(WIDTHS)('no section lies over another at %i pixels', async (width) => {
    for (const hash of ['', '#suite=chaos&seed=7']) {
      const page = await open({ width, hash });
      await page.getByRole('button', { name: 'Map of pauses' }).click();
      const boxes = await page.locator('main section').evaluateAll((all) =>
        all.map((one) => {
          const { left, right, top, bottom } = one.getBoundingClientRect();
          return { name: one.className, left, right, top, bottom };
        }),
      );
      expect(boxes).toHaveLength(5);
      const over = boxes.flatMap((a, i) =>
        boxes
          .slice(i + 1)
          .filter((b) => a.left < b.right && b.left < a.right)
          .filter((b) => a.top < b.bottom && b.top < a.bottom)
          .map((b) => `${a.name} and ${b.name}`),
      );
      expect(over).toEqual([]);
    }
  });

  test.each([360, 768])('at %i pixels the schedule comes right after the state', async (width) => {
    const page = await open({ width });
    const tops = [];
    for (const name of ['timeline', 'state', 'schedule', 'events', 'more'])
      tops.push((await boxOf(page, `section.${name}`)).y);
    expect(tops).toEqual([...tops].sort((a, b) => a - b));
  });

  test('the buttons that roll the seed have one line each', async () => {
    const page = await open({ width: 1440 });
    for (const name of ['Previous seed', 'Next seed']) {
      const { height } = await page.getByRole('button', { name }).boundingBox();
      expect(height).toBeLessThan(40);
    }
  });
});

describe('what comes and goes', () => {
  test('a refusal leaves the other fields of the fault in their line', async () => {
    const page = await open({ width: 1440 });
    const remove = page.getByRole('button', { name: 'Remove Pause of client 1' });
    const before = await remove.boundingBox();
    const length = controls(page).spin('Pause length of client 1');
    await length.fill('0');
    await length.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await remove.boundingBox()).toEqual(before);
  });

  test.each(WIDTHS)('what the dashes mean has one line or two at %i pixels', async (width) => {
    const page = await open({ width });
    await controls(page).fencing.uncheck();
    const { height } = await boxOf(page, '.ghost-note');
    expect(height).toBeLessThan(width < 600 ? 24 : 50);
  });

  test.each(WIDTHS)('a notice moves nothing at %i pixels', async (width) => {
    const page = await open({ width, hash: '#preset=late-release' });
    const places = async () => [
      (await boxOf(page, '.figure')).y,
      (await boxOf(page, '.bar')).y,
      (await boxOf(page, '[data-part="verdict"]')).y,
    ];
    const before = await places();
    await page.keyboard.press('x');
    await page.getByText('The same run').waitFor();
    expect(await places()).toEqual(before);
    const notice = await boxOf(page, '.notice');
    const bar = await boxOf(page, '.bar');
    expect(notice.y).toBeGreaterThanOrEqual(bottomOf(bar) - 2);
  });

  test.each([
    [360, 740],
    [740, 360],
    [1440, 900],
  ])('the legend and the keys fit a window of %i by %i', async (width, height) => {
    const page = await open({ width, height });
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    const box = await dialog.boundingBox();
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(width);
    expect(bottomOf(box)).toBeLessThanOrEqual(height);
    const size = await dialog.evaluate((one) => [one.scrollWidth - one.clientWidth, one.scrollTop]);
    expect(size).toEqual([0, 0]);
    const close = dialog.getByRole('button', { name: 'Close' });
    for (const name of ['The picture', 'Keys']) {
      await dialog.getByRole('heading', { name }).scrollIntoViewIfNeeded();
      expect(bottomOf(await close.boundingBox())).toBeLessThanOrEqual(bottomOf(box));
    }
    const marks = await dialog.locator('li svg').evaluateAll((all) =>
      all.map((one) => {
        const drawn = [...one.children].map((mark) => {
          const { fill, stroke } = getComputedStyle(mark);
          return [fill, stroke].some((paint) => !['none', 'rgb(0, 0, 0)'].includes(paint));
        });
        return drawn.length > 0 && drawn.every(Boolean);
      }),
    );
    expect(marks.length).toBeGreaterThanOrEqual(10);
    expect(marks).not.toContain(false);
  });
});

describe('what is announced', () => {
  const record = (page) =>
    page.evaluate(() => {
      window.said = [];
      const live = '[aria-live], [role="status"], [role="alert"], output';
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const region = (target.closest ? target : target.parentElement).closest(live);
          if (region && region.getAttribute('aria-live') !== 'off')
            window.said.push(region.textContent.trim());
        }
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  const said = (page) => page.evaluate(() => window.said.splice(0));

  test('steps are, playing is not', async () => {
    const page = await open();
    await record(page);
    await page.keyboard.press('ArrowRight');
    expect((await said(page)).join()).toMatch(/Client 1/);
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await controls(page).play.click();
    await said(page);
    await page.waitForFunction(() => Number(document.querySelector('.slider').value) > 1.2);
    expect(await said(page)).toEqual([]);
  });

  test('the verdict is, after another rule, twins and another scenario', async () => {
    const page = await open();
    await record(page);
    await page.keyboard.press('x');
    expect((await said(page)).join()).toMatch(/Not fenced\. At 16\.03 s/);
    await controls(page).fencing.check();
    expect((await said(page)).join()).toMatch(/Fenced\. At 16\.03 s/);
    await page.keyboard.press('d');
    expect((await said(page)).join()).toMatch(/Fencing on.*Fenced\..*Fencing off.*Not fenced\./);
    await page.keyboard.press('d');
    await said(page);
    await controls(page).scenario.selectOption({ index: 2 });
    expect((await said(page)).join().length).toBeGreaterThan(10);
  });

  test('a copied link is confirmed beside the button, and the word goes away', async () => {
    const page = await open();
    await controls(page).copyLink.click();
    const word = page.locator('.copied');
    await word.getByText(/link/i).waitFor();
    const [button, box] = [await controls(page).copyLink.boundingBox(), await word.boundingBox()];
    expect(Math.abs(box.y - button.y)).toBeLessThan(60);
    await page.waitForFunction(() => document.querySelector('.copied').textContent === '');
  });
});

describe('what stands out', () => {
  test('what lies ahead is dimmed once the run has begun, and whole at rest', async () => {
    const page = await open();
    const veil = page.locator('[data-part="figure"] .veil');
    const ahead = page.locator('.story .ahead');
    expect(await veil.isVisible()).toBe(false);
    expect(await ahead.count()).toBe(0);
    await seek(page, 10.5);
    expect(await veil.isVisible()).toBe(true);
    expect(await ahead.count()).toBe(2);
    const line = await boxOf(page, '.playhead-line');
    expect((await veil.boundingBox()).x).toBeCloseTo(line.x + line.width / 2, -1);
    await page.keyboard.press('Home');
    expect(await veil.isVisible()).toBe(false);
  });

  test.each(['light', 'dark'])('tokens can be read on every lease, %s', async (scheme) => {
    const clients = Array.from({ length: 6 }, (_, index) => ({
      id: `c${index}`,
      start: index * 3,
    }));
    const document = { version: 1, lease: 10, clients };
    const hash = toLink({ document, time: 0, index: 0, hash: '' });
    const page = await open({ scheme, hash });
    const ratios = await page.evaluate(() => {
      const channel = (value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      };
      const luminance = (colour) => {
        const [r, g, b] = colour
          .match(/[\d.]+/g)
          .map(Number)
          .map(channel);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const svg = document.querySelector('.figure');
      return Array.from({ length: 6 }, (_, index) => {
        const probe = (name, kind) => {
          const one = document.createElementNS('http://www.w3.org/2000/svg', name);
          one.setAttribute('class', `${kind} c${index}`);
          svg.append(one);
          const { fill } = getComputedStyle(one);
          one.remove();
          return luminance(fill);
        };
        const [a, b] = [probe('rect', 'lease'), probe('text', 'label token')].sort((x, y) => y - x);
        return (a + 0.05) / (b + 0.05);
      });
    });
    for (const ratio of ratios) expect(ratio).toBeGreaterThanOrEqual(4.5);
    const tokens = page.locator('.label.token');
    const classes = await tokens.evaluateAll((all) => all.map((one) => one.getAttribute('class')));
    for (const one of classes) expect(one).toMatch(/\bc[0-5]\b/);
  });

  test('in forced colours a switch that is on differs from one that is off', async () => {
    const page = await open();
    await page.emulateMedia({ forcedColors: 'active' });
    await page.keyboard.press('ArrowRight');
    const pictureOf = async (one) => (await one.screenshot()).toString('base64');
    const { fencing, events } = controls(page);
    const on = await pictureOf(fencing);
    await fencing.uncheck();
    expect(await pictureOf(fencing)).not.toBe(on);
    const colourOf = (one) => one.evaluate((item) => getComputedStyle(item).backgroundColor);
    const items = events.locator('li');
    expect(await colourOf(items.nth(0))).not.toBe(await colourOf(items.nth(1)));
  });

  test('on paper there are no controls, and the list is whole', async () => {
    const page = await open({ hash: '#suite=chaos&seed=3' });
    const total = Number(/of (\d+)/.exec(await page.locator('.count').innerText())[1]);
    await page.emulateMedia({ media: 'print' });
    await page.waitForFunction(
      (count) => document.querySelectorAll('.events li').length === count,
      total,
    );
    for (const selector of ['.bar', '.player', '.schedule', '.more']) {
      expect(await page.locator(selector).isVisible()).toBe(false);
    }
    for (const selector of ['.figure', '.verdict', '.story']) {
      expect(await page.locator(selector).first().isVisible()).toBe(true);
    }
    const list = await page
      .locator('.events ol')
      .evaluate((one) => [one.scrollHeight, one.clientHeight]);
    expect(list[0]).toBe(list[1]);
    await page.emulateMedia({ media: 'screen' });
    await page.waitForFunction(() => document.querySelectorAll('.events li').length <= 200);
  });
});
