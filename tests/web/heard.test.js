// What those hear who don't see the page: where the focus goes, what is announced, and by what
// names the controls can be called.

import { presets, toLink } from 'fencelock/simulator';
import { controls, seek, setUpBrowser } from './browser.js';

const { open } = setUpBrowser();

const named = (page, name) => page.getByRole('button', { name, exact: true });
const focused = (page) =>
  page.evaluate(() => document.activeElement.ariaLabel ?? document.activeElement.textContent);

describe('the focus', () => {
  test('goes from “Hide it” to the player', async () => {
    const page = await open();
    await page.keyboard.press('x');
    await named(page, 'Hide it').focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('.ghost-note').count()).toBe(0);
    expect(await focused(page)).toBe('Play');
    await page.keyboard.press('x');
    await named(page, 'Hide it').focus();
    await page.keyboard.press('Escape');
    expect(await focused(page)).toBe('Play');
  });

  test('goes from a fault that is removed to the head of the list, and to no other', async () => {
    const [{ scenario }] = presets;
    const more = { kind: 'crash', node: 'client 2', at: 20, restart: 22 };
    const document = { ...scenario, faults: [...scenario.faults, more] };
    const page = await open({ hash: toLink({ document, time: 0, index: 0, hash: '' }) });
    await named(page, 'Remove Pause of client 1').focus();
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe('Faults');
    await page.keyboard.press('Enter');
    expect(await page.locator('.faults li').count()).toBe(1);
    await named(page, 'Remove Crash of client 2').focus();
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe('Faults');
    expect(await page.locator('.faults li').count()).toBe(0);
  });
});

/** Counts from now on how often what `selector` finds changes. */
const watch = (page, selector, how) =>
  page.locator(selector).evaluate((one, options) => {
    window.changes = 0;
    new MutationObserver((all) => (window.changes += all.length)).observe(one, options);
  }, how);
const changes = (page) => page.evaluate(() => window.changes);

describe('a notice', () => {
  const notice = '[data-part="notice"]';

  test('is written only when it says something else', async () => {
    const link = toLink({ document: presets[0].scenario, time: 0, index: 0, hash: '00000000' });
    const page = await open({ hash: link });
    expect(await page.locator(notice).innerText()).toContain('another build');
    await watch(page, notice, { childList: true, characterData: true, subtree: true });
    for (const seconds of ['8', '9', '10', '11']) {
      await controls(page).spin('Pause length of client 1').fill(seconds);
      await controls(page).spin('Pause length of client 1').press('Enter');
    }
    expect(await changes(page)).toBe(0);
  });

  test('has its place among the announcements before it says anything', async () => {
    const page = await open();
    expect(await page.locator(notice).evaluate((one) => one.checkVisibility())).toBe(true);
    expect((await page.locator(notice).boundingBox()).height).toBe(0);
  });
});

describe('the slider', () => {
  const words = { attributes: true, attributeFilter: ['aria-valuetext'] };

  test('is silent while playing, and says at the end where it is', async () => {
    const page = await open();
    const { play, pause, time } = controls(page);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 10_000);
    await watch(page, '.slider', words);
    await play.click();
    await time.focus();
    await page.clock.runFor(2000);
    expect(Number(await time.inputValue())).toBeGreaterThan(3);
    expect(await changes(page)).toBe(0);
    await pause.click();
    expect(await time.getAttribute('aria-valuetext')).toMatch(/^3\.9\d seconds/);
  });

  test('speaks alone while it has the focus', async () => {
    const page = await open();
    const { time, next } = controls(page);
    const now = page.locator('.now p').first();
    await next.click();
    expect(await now.getAttribute('aria-live')).toBe('polite');
    await time.focus();
    await page.keyboard.press('ArrowRight');
    expect(await now.getAttribute('aria-live')).toBe('off');
    await next.click();
    expect(await now.getAttribute('aria-live')).toBe('polite');
  });
});

test.each([
  ['every kind of fault', presets.flatMap(({ scenario }) => scenario.faults ?? [])],
  ['none', []],
])('controls can be called by the words on them, with %s', async (_, faults) => {
  const [{ scenario }] = presets;
  const kinds = [...new Map(faults.map((fault) => [fault.kind, fault])).values()];
  const step = { kind: 'clock-step', node: 'client 1', at: 5, by: -0.25 };
  const own = kinds.length ? [...kinds, step] : [];
  const document = { ...scenario, faults: own };
  const page = await open({ hash: toLink({ document, time: 0, index: 0, hash: '' }) });
  await seek(page, 0.02);
  await named(page, 'Map of pauses').click();
  const controlsFound = await page.evaluate(() => {
    const plain = (text) =>
      text
        .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
        .trim()
        .toLowerCase();
    const visible = (one) => {
      const label = one.closest('label');
      if (!label) return one.matches('button') ? one.innerText : '';
      return label.querySelector('span:not(.hidden)')?.innerText ?? '';
    };
    return [...document.querySelectorAll('button, input, select')]
      .map((one) => ({ text: plain(visible(one)), name: plain(one.ariaLabel ?? visible(one)) }))
      .filter(({ text }) => text);
  });
  expect(controlsFound.length).toBeGreaterThan(40);
  const astray = controlsFound.filter(({ text, name }) => !` ${name} `.includes(` ${text} `));
  expect(astray).toEqual([]);
});
