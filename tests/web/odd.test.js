// What happens between: work in a worker that is stopped, overtaken or taken back; links that say
// what can't be; names that every object knows.

import { presets, toLink } from 'fencelock/simulator';
import { controls, seek, setUpBrowser } from './browser.js';
import { fill } from './hands.js';
import { longScenario } from './long.js';

const { open } = setUpBrowser();

const [{ scenario: lesson }] = presets;
const faults = [{ kind: 'pause', node: 'client 1', from: 5, to: 25 }];
const linkTo = (document, more = '') => toLink({ document, time: 0, index: 0, hash: '' }) + more;
const long = linkTo(longScenario(400, { faults }));
const length = (page) => controls(page).spin('Pause length of client 1');
const button = (page, name) => page.getByRole('button', { name, exact: true });
const twin = (page) => page.getByRole('checkbox', { name: 'Twin' });
const idle = (page) => page.locator('.working').waitFor({ state: 'detached' });
const ticks = (page) => page.locator('[data-part="figure"] .axis .tick text').allTextContents();

async function openLong(hash = long) {
  const page = await open({ hash });
  await page.locator('.count', { hasText: /of \d{4,}/ }).waitFor();
  await idle(page);
  return page;
}

describe('work in a worker', () => {
  test('Stop can be clicked, and leaves every switch as the run is', async () => {
    // Long enough for a hand to be in time.
    const page = await openLong(linkTo(longScenario(3000, { faults })));
    for (const name of ['Fencing', 'Renews, client 1', 'Twin']) {
      const box = page.getByRole('checkbox', { name, exact: true });
      const before = await box.isChecked();
      await page.evaluate(
        (label) => document.querySelector(`input[aria-label="${label}"]`).click(),
        await box.getAttribute('aria-label'),
      );
      await button(page, 'Stop').click();
      await idle(page);
      expect(await box.isChecked()).toBe(before);
    }
    expect(await page.locator('[data-part="twin"] svg').count()).toBe(0);
  });

  test('a twin that was switched off at once does not come', async () => {
    const page = await openLong();
    await page.keyboard.press('d');
    await page.keyboard.press('d');
    await idle(page);
    expect(await twin(page).isChecked()).toBe(false);
    expect(await page.locator('[data-part="twin"] svg').count()).toBe(0);
  });

  test('an edit under way comes with its twin', async () => {
    const page = await openLong();
    await page.evaluate(() => {
      const field = document.querySelector('[aria-label="Pause length of client 1"]');
      field.value = '3';
      field.dispatchEvent(new Event('change', { bubbles: true }));
      document.querySelector('[aria-label="Twin"]').click();
    });
    await page.locator('[data-part="twin"] svg').waitFor();
    expect(await length(page).inputValue()).toBe('3');
    expect(await twin(page).isChecked()).toBe(true);
  });

  test('the address of a long run stays while it is run', async () => {
    const page = await open({ hash: long });
    const addresses = await page.evaluate(async () => {
      const seen = new Set();
      while (document.querySelector('.working')) {
        seen.add(location.hash);
        await new Promise(requestAnimationFrame);
      }
      return [...seen];
    });
    expect(addresses.filter((hash) => hash !== long)).toEqual([]);
  });

  test('Escape takes back a drag whose run is still under way', async () => {
    const page = await open({ hash: linkTo(longScenario(400, { faults, until: 237 })) });
    await idle(page);
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('+');
    const box = await page.locator('[data-handle="end 0"] .hit').first().boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x - 300, box.y + box.height / 2, { steps: 3 });
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await idle(page);
    expect(await length(page).inputValue()).toBe('20');
    expect(await button(page, 'Undo').isDisabled()).toBe(true);
  });

  test('Escape of a scrub leaves an edit that came meanwhile', async () => {
    const page = await openLong();
    await fill(page, 'Pause length of client 1', '3');
    const box = await page.locator('[data-part="figure"] svg').boundingBox();
    await page.mouse.move(box.x + 300, box.y + 60);
    await page.mouse.down();
    await page.locator('.ghost-note').waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect(await length(page).inputValue()).toBe('3');
    expect(await button(page, 'Undo').isDisabled()).toBe(false);
  });
});

describe('links that say what cannot be', () => {
  test.each([
    '&suite=foo',
    '&suite=chaos',
    '&suite=chaos&seed=-1',
    '&suite=chaos&seed=1.5',
    '&preset=gone',
  ])('a source such as %s is let be', async (more) => {
    const page = await open({ hash: linkTo(lesson, more) });
    expect(await page.locator('[data-part="figure"]').textContent()).toContain('33 < 34');
    expect(await controls(page).scenario.locator('option:checked').innerText()).toBe('From a link');
  });

  test.each([
    ['&at=2&event=50', '2', 9],
    ['&at=2&event=2.5', '2', 9],
    ['&at=-5&event=0', '0', 0],
    ['&at=1e9&event=3', '20', 53],
  ])('a place such as %s is mended', async (more, time, count) => {
    const page = await open({ hash: linkTo(lesson, more) });
    expect(await controls(page).time.inputValue()).toBe(time);
    expect(await page.locator('.count').innerText()).toBe(`${count} of 53`);
  });

  test.each(['#preset=gone', '#suite=foo', '#suite=chaos&seed=-1'])(
    '%s is told, and the lesson shown',
    async (hash) => {
      const page = await open({ hash });
      expect(await page.getByRole('alert').innerText()).not.toBe('');
      expect(await controls(page).scenario.inputValue()).toBe('lesson');
    },
  );
});

test('names that every object knows are names like others', async () => {
  const clients = ['constructor', 'toString', '__proto__', 'hasOwnProperty'].map((id, i) => ({
    id,
    start: i,
    work: 9,
    lock: id,
    key: id,
  }));
  const pauses = clients.map(({ id }) => ({ kind: 'pause', node: id, from: 4.5, to: 6 }));
  const page = await open({ hash: linkTo({ version: 1, clients, faults: pauses }) });
  await seek(page, 5);
  const state = await controls(page).state.innerText();
  for (const { id } of clients) {
    expect(state).toContain(id);
    expect(state).toContain(`held by ${id}`);
  }
  expect(state.match(/paused/g)).toHaveLength(4);
});

describe('undo', () => {
  test('brings back how far the picture goes', async () => {
    const page = await open();
    const before = await ticks(page);
    await fill(page, 'Run until', '3000');
    await fill(page, 'Pause length of client 1', '1000');
    expect(await ticks(page)).not.toEqual(before);
    await button(page, 'Undo').click();
    await button(page, 'Undo').click();
    expect(await ticks(page)).toEqual(before);
  });

  test('knows the rule that fencing goes by, and so does a link', async () => {
    const page = await open();
    const strict = (one) => one.getByRole('checkbox', { name: 'One write a grant' });
    await controls(page).fencing.uncheck();
    await strict(page).check();
    expect(await controls(page).fencing.isChecked()).toBe(false);
    await controls(page).copyLink.click();
    const other = await open({ hash: new URL(page.url()).hash });
    expect(await strict(other).isChecked()).toBe(true);
    await controls(other).fencing.check();
    expect(await strict(other).isChecked()).toBe(true);
    await controls(page).scenario.selectOption('unfenced');
    expect(await strict(page).isChecked()).toBe(false);
    await button(page, 'Undo').click();
    expect(await strict(page).isChecked()).toBe(true);
    await button(page, 'Undo').click();
    expect(await strict(page).isChecked()).toBe(false);
  });
});

test('with less motion a run that is over plays from its beginning', async () => {
  const page = await open({ reduced: true });
  const { play, pause, next } = controls(page);
  await seek(page, 16.1);
  while (!(await next.isDisabled())) await next.click();
  await play.click();
  await pause.waitFor();
  await pause.click();
  expect(await page.locator('.count').innerText()).toMatch(/^[1-9] of/);
});

describe('keys', () => {
  test('act not behind the list of keys', async () => {
    const page = await open();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    for (const key of ['x', 'd', 'ArrowRight', 'End']) await page.keyboard.press(key);
    await page.keyboard.press('Escape');
    expect(await controls(page).fencing.isChecked()).toBe(true);
    expect(await twin(page).isChecked()).toBe(false);
    expect(await controls(page).time.inputValue()).toBe('0');
  });

  test('held down or during a drag they change nothing twice', async () => {
    const page = await open();
    await page.keyboard.down('x');
    for (let i = 0; i < 4; i += 1) await page.keyboard.down('x');
    await page.keyboard.up('x');
    expect(await controls(page).fencing.isChecked()).toBe(false);
    const box = await page.locator('[data-handle="end 0"] .hit').first().boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x - 60, box.y + box.height / 2, { steps: 3 });
    await page.keyboard.press('x');
    await page.keyboard.press('Control+z');
    await page.mouse.move(box.x - 80, box.y + box.height / 2, { steps: 3 });
    await page.mouse.up();
    expect(await controls(page).fencing.isChecked()).toBe(false);
    expect(Number(await length(page).inputValue())).toBeLessThan(15);
  });
});
