// A link copied from any state opens the same state in a fresh browser.

import { presets, toLink } from 'fencelock/simulator';
import { controls, seek, setUpBrowser } from './browser.js';
import { fill } from './hands.js';
import { longScenario } from './long.js';

const { open } = setUpBrowser();

const button = (page, name) => page.getByRole('button', { name, exact: true });

/** All that is to be seen of a state: what each part shows, and the values of the fields. */
const seen = (page) =>
  page.evaluate(() => {
    const passing = ['notice', 'announcement', 'header', 'tools'];
    const rounded = (text) => text.replaceAll(/\d+\.\d+/g, (number) => Number(number).toFixed(2));
    const attributesOf = ({ attributes }) =>
      [...attributes]
        .filter(({ name }) => name !== 'aria-live') // it follows the focus
        .map(({ name, value }) => value && `${name}=${rounded(value)}`)
        .sort();
    const told = (node) => {
      if (node.nodeType === Node.TEXT_NODE) return node.data.trim();
      if (node.nodeType !== Node.ELEMENT_NODE) return '';
      return [node.tagName, ...attributesOf(node), ...[...node.childNodes].map(told)].join(' ');
    };
    const parts = [...document.querySelectorAll('[data-part]')]
      .filter(({ dataset }) => !passing.includes(dataset.part))
      .map(told);
    const values = [...document.querySelectorAll('input:not([type=file]), select')].map(
      (one) => `${one.ariaLabel ?? ''} ${one.type === 'checkbox' ? one.checked : one.value}`,
    );
    return [...parts, ...values].map((text) => text.replaceAll(/\s+/g, ' '));
  });

const STATES = {
  'at rest': () => undefined,
  'without fencing, at an instant': async (page) => {
    await controls(page).fencing.uncheck();
    await seek(page, 16.5);
  },
  'between events of one instant': async (page) => {
    await page.keyboard.press('ArrowRight');
  },
  'magnified, and moved along': async (page) => {
    await seek(page, 11);
    for (let i = 0; i < 4; i += 1) await page.keyboard.press('+');
    await seek(page, 3);
  },
  'an edit with its ghost': async (page) => {
    await fill(page, 'Pause length of client 1', '8');
    await fill(page, 'Lease seconds', '7.5');
    await page.keyboard.press('Tab');
    await page.keyboard.press('End');
  },
  'a ghost under the other rule': async (page) => {
    await page.keyboard.press('End');
    await page.keyboard.press('x');
  },
  'a ghost that was hidden': async (page) => {
    await fill(page, 'Pause length of client 1', '8');
    await button(page, 'Hide it').click();
  },
  'twins of a seed, edited': async (page) => {
    await controls(page).nextSeed.click();
    await fill(page, 'Lease seconds', '4.5');
    await page.getByRole('checkbox', { name: 'Twin' }).check();
    await seek(page, 12.25);
  },
  'the map, at another speed': async (page) => {
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('10');
    await button(page, 'Map of pauses').click();
    await page.locator('.map progress').waitFor({ state: 'detached' });
  },
};

test.each(Object.entries(STATES))('%s', async (_, enter) => {
  const page = await open();
  await enter(page);
  await controls(page).copyLink.click();
  const other = await open({ hash: new URL(page.url()).hash, disk: true });
  await other.locator('.map progress').waitFor({ state: 'detached' });
  expect(await seen(other)).toEqual(await seen(page));
  expect(await other.locator('[data-part="notice"]').innerText()).toBe('');
});

describe('where the browser refuses', () => {
  const refuse = (page, ...what) =>
    page.evaluate((names) => {
      const no = () => {
        throw new DOMException('no', 'SecurityError');
      };
      if (names.includes('address')) history.replaceState = no;
      if (names.includes('clipboard')) navigator.clipboard.writeText = no;
    }, what);
  const told = (page) => page.locator('.copied', { hasText: /\S/ });

  test('the address, the link is copied all the same', async () => {
    const page = await open();
    await refuse(page, 'address');
    await seek(page, 11);
    await controls(page).copyLink.click();
    expect(await told(page).innerText()).toBe('Link copied.');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(new URL(copied).hash).toContain('at=11');
  });

  test('the clipboard, the link is in the address bar', async () => {
    const page = await open();
    await refuse(page, 'clipboard');
    await seek(page, 11);
    await controls(page).copyLink.click();
    expect(await told(page).innerText()).toBe('The link is in the address bar.');
    expect(page.url()).toContain('at=11');
  });

  test('both, it says so', async () => {
    const page = await open();
    await refuse(page, 'clipboard', 'address');
    await controls(page).copyLink.click();
    expect(await told(page).innerText()).toBe('The browser lets no link be copied here.');
  });
});

test('the address keeps in step by itself', async () => {
  const page = await open();
  await seek(page, 11);
  await page.keyboard.press('+');
  await page.waitForFunction(() => /at=11&.*zoom=/.test(location.hash));
  const before = await seen(page);
  await page.reload();
  await page.locator('[data-ready]').waitFor();
  expect(await seen(page)).toEqual(before);
});

describe('a run too long for the page itself', () => {
  const document = longScenario(400);

  test('is opened by its link, where it was, with its twin', async () => {
    const page = await open({ hash: toLink({ document, time: 0, index: 0, hash: '' }) });
    await page.locator('.count', { hasText: /of \d{5}/ }).waitFor();
    await page.getByRole('checkbox', { name: 'Twin' }).check();
    await page.locator('[data-part="twin"] svg').waitFor();
    await seek(page, 100);
    await controls(page).copyLink.click();
    const other = await open({ hash: new URL(page.url()).hash });
    await other.locator('[data-part="twin"] svg').waitFor();
    expect(await controls(other).time.inputValue()).toBe('100');
    expect(await controls(other).state.innerText()).toBe(await controls(page).state.innerText());
    expect(await other.locator('[data-part="notice"]').innerText()).toBe('');
  });

  test('warns when it runs differently', async () => {
    const hash = toLink({ document, time: 0, index: 0, hash: '0000000000000000' });
    const page = await open({ hash });
    await page.getByText('made by another build').waitFor();
  });
});

test.each([
  ['zoom=5,2', '0 s'],
  ['zoom=a,b', '0 s'],
  ['zoom=1,2,3', '0 s'],
  ['zoom=90,100', '0 s'],
  ['end=-5', '0 s'],
  ['end=soon', '0 s'],
  ['speed=3', '0 s'],
])('nonsense in the view is let be: %s', async (view, first) => {
  const { scenario } = presets[0];
  const link = toLink({ document: scenario, time: 0, index: 0, hash: '' });
  const page = await open({ hash: `${link}&${view}` });
  expect(await page.locator('[data-part="figure"] .axis .tick text').first().textContent()).toBe(
    first,
  );
  expect(await page.getByRole('combobox', { name: 'Speed' }).inputValue()).toBe('2');
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('a ghost that cannot be run is told, and the lesson is shown', async () => {
  const link = toLink({ document: presets[1].scenario, time: 0, index: 0, hash: '' });
  const before = Buffer.from('{"lease":"long"}').toString('base64url');
  const page = await open({ hash: `${link}&before=${before}` });
  expect(await page.getByRole('alert').innerText()).toContain('lease');
  expect(await controls(page).scenario.inputValue()).toBe('lesson');
  expect(await button(page, 'Undo').isDisabled()).toBe(true);
});
