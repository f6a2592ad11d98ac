// On paper: the list of events is whole where that is not too long to lay out.

import { toLink } from 'fencelock/simulator';
import { controls, seek, setUpBrowser } from './browser.js';
import { soon } from './hands.js';
import { longScenario } from './long.js';

const { open } = setUpBrowser();

const shown = (page) => controls(page).events.locator('li');
const note = (page) => page.locator('.pages');

/** Opens a run of so many cycles (long.js), and waits until it is shown. */
async function openLong(cycles) {
  const document = longScenario(cycles);
  const page = await open({ hash: toLink({ document, time: 0, index: 0, hash: '' }) });
  await page.locator('.count', { hasText: / of \d{4,}/ }).waitFor();
  return page;
}

test('a run of some hundred events is printed whole', async () => {
  const page = await openLong(20);
  const [, total] = / of (\d+)/.exec(await page.locator('.count').innerText());
  expect(await shown(page).count()).toBe(200);
  await page.emulateMedia({ media: 'print' });
  await soon(async () => expect(await shown(page).count()).toBe(Number(total)));
  expect(await note(page).innerText()).toBe('');
  await page.emulateMedia({ media: 'screen' });
  await soon(async () => expect(await shown(page).count()).toBe(200));
});

test('of a long run the page of the list that is shown is printed, and paper says so', async () => {
  const page = await openLong(200);
  await seek(page, 60);
  const before = await controls(page).events.innerText();
  await page.emulateMedia({ media: 'print' });
  const words = /^Printed: events \d+ to \d+ of [\d,]+\.$/;
  await soon(async () => expect(await note(page).innerText()).toMatch(words));
  expect(await shown(page).count()).toBe(200);
  expect(await controls(page).events.innerText()).toBe(before);
  expect(await note(page).isVisible()).toBe(true);
  await page.emulateMedia({ media: 'screen' });
  const turning = /Earlier\s+\d+ to \d+ of \d+\s+Later/;
  await soon(async () => expect(await note(page).innerText()).toMatch(turning));
});
