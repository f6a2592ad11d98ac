// A history that is opened on the page is checked, and shows what was found and what was judged.

import { readFileSync } from 'node:fs';
import { bodyText, controls, faultsFoundByAxe, seek, setUpBrowser } from './browser.js';
import { give } from './hands.js';

const { open } = setUpBrowser();

async function openHistory(name, options) {
  const page = await open(options);
  const file = new URL(`../history/${name}.jsonl`, import.meta.url);
  await give(page, `${name}.jsonl`, readFileSync(file));
  await page.getByText('A history has no schedule to edit.').waitFor();
  return page;
}

test.each([
  [360, 'light'],
  [1440, 'dark'],
])('two holders are told of everywhere, at %i pixels, %s', async (width, scheme) => {
  const page = await openHistory('redlock', { width, scheme, disk: width === 360 });
  const { events, timeline } = controls(page);
  const text = await timeline.innerText();
  expect(text).toMatch('Granted twice. At 3.10 s invoices was granted to worker b');
  expect(text).toMatch(/2 violations in \d+ events\. .*What was judged, and what not/);
  const list = await events.innerText();
  expect(list).toMatch('I1 is broken: invoices was granted to worker b');
  expect(list).toMatch(
    'I4 is broken: worker b and worker a trusted their leases on invoices at once.',
  );
  expect(await bodyText(page)).not.toMatch(/undefined|NaN/);
  await page.getByText('2 violations in').click();
  await page.getByText('I4: no two clients trust at once, by 2 trust events.').waitFor();
  await page.getByText('I2, accepted tokens never fall: no write is accepted.').waitFor();
  expect(await faultsFoundByAxe(page)).toEqual([]);
});

test('a write whose token fell is stamped, from then on', async () => {
  const page = await openHistory('stale-write');
  await seek(page, 17);
  expect(await bodyText(page)).not.toMatch('CORRUPTED DATA');
  await seek(page, 17.2);
  expect(await bodyText(page)).toMatch('CORRUPTED DATA');
  expect(await controls(page).timeline.innerText()).toMatch('Not fenced.');
});

test('a scenario that follows has no such line', async () => {
  const page = await openHistory('etcd');
  await page.getByText('No violation in').waitFor();
  await controls(page).scenario.selectOption({ index: 0 });
  await page.getByText('No violation in').waitFor({ state: 'detached' });
});

test('a history that can’t be read says where, and leaves what is shown', async () => {
  const page = await open();
  const before = await controls(page).events.innerText();
  const text = '{"time":1,"node":"A","kind":"x"}\n\n{"time":2,"node":"A","kind":"trust"}\n';
  await give(page, 'broken.jsonl', text);
  await page
    .getByText('broken.jsonl: line 3, field "lock": is missing; trust needs it, or a token')
    .waitFor();
  expect(await controls(page).events.innerText()).toBe(before);
});
