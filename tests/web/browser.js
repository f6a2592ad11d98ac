// A real browser, the served page and the page from disk, for the tests.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { jest } from '@jest/globals';
import { chromium } from 'playwright-core';
import { findBrowser } from '../../scripts/browser.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SINGLE_FILE = pathToFileURL(`${ROOT}dist/fencelock.html`).href;
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const WIDTHS = [360, 768, 1440];

/** Serves dist/page as `npm start` does; gives its address and the way to stop. */
function serve() {
  const server = spawn(process.execPath, [`${ROOT}scripts/serve.mjs`], {
    cwd: ROOT,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', (data) => {
      said += data;
      const address = /http:\S+/.exec(said);
      if (address) resolve({ address: address[0], stop: () => server.kill() });
    });
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
}

/** Sets the page's typeface before its script measures any text. */
function setTypeface(family) {
  document.addEventListener('DOMContentLoaded', () => {
    const style = document.createElement('style');
    style.textContent = `body { font-family: "${family}" !important }`;
    document.head.append(style);
  });
}

/** A page in a profile of its own, that tells `complain` what it says in the console. */
async function newPage(browser, options, complain) {
  const { width = 1440 } = options;
  const context = await browser.newContext({
    viewport: { width, height: options.height ?? (width < 600 ? 740 : 900) },
    colorScheme: options.scheme ?? 'light',
    reducedMotion: options.reduced ? 'reduce' : 'no-preference',
    hasTouch: options.touch ?? false,
    acceptDownloads: true,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  if (options.typeface) await context.addInitScript(setTypeface, options.typeface);
  const page = await context.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complain(message.text());
  });
  page.on('pageerror', (error) => complain(String(error)));
  return page;
}

/**
 * Opens browser and server before the tests of a file, and closes them after. Gives `open(options)`,
 * which opens the page in a fresh profile, and `reopen(options)`, which loads it anew in a profile
 * that is kept for all tests with such options. A complaint in the console fails the test.
 */
export function setUpBrowser() {
  jest.setTimeout(30_000);
  let browser;
  let server;
  let fresh = [];
  let complaints = [];
  const kept = new Map();
  const complain = (text) => complaints.push(text);

  beforeAll(async () => {
    [browser, server] = await Promise.all([
      chromium.launch({ executablePath: findBrowser(), args: ARGUMENTS }),
      serve(),
    ]);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    server?.stop();
  });

  beforeEach(() => {
    complaints = [];
  });

  afterEach(async () => {
    await Promise.all(fresh.map((page) => page.context().close()));
    fresh = [];
    expect(complaints).toEqual([]);
  });

  async function show(page, { disk = false, hash = '' }) {
    await page.goto((disk ? SINGLE_FILE : server.address) + hash);
    await page.locator('[data-ready]').waitFor();
    return page;
  }

  /**
   * @param {{ disk?: boolean, width?: number, height?: number, scheme?: 'light' | 'dark',
   *   reduced?: boolean, touch?: boolean, typeface?: string, hash?: string }} options
   */
  async function open(options = {}) {
    const page = await newPage(browser, options, complain);
    fresh.push(page);
    return show(page, options);
  }

  async function reopen({ hash, ...options }) {
    const key = JSON.stringify(options);
    if (!kept.has(key)) kept.set(key, await newPage(browser, options, complain));
    const page = kept.get(key);
    // An address that differs by its hash alone would be taken in without loading the page.
    await page.goto('about:blank');
    return show(page, { ...options, hash });
  }

  return { open, reopen };
}

/** What axe finds: one line a fault, so that a failing test says what to mend. */
export async function faultsFoundByAxe(page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    window.axe.run(document, { resultTypes: ['violations'], preload: false }),
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.target.join(' ')} ${node.failureSummary}`),
  );
}

/** The controls by the names that screen readers use. */
export const controls = (page) => ({
  time: page.getByRole('slider', { name: 'Time' }),
  play: page.getByRole('button', { name: 'Play', exact: true }),
  pause: page.getByRole('button', { name: 'Pause', exact: true }),
  next: page.getByRole('button', { name: 'Next event' }),
  previous: page.getByRole('button', { name: 'Previous event' }),
  fencing: page.getByRole('checkbox', { name: 'Fencing', exact: true }),
  scenario: page.getByRole('combobox', { name: 'Scenario' }),
  events: page.getByRole('list', { name: 'Events' }),
  state: page.getByRole('region', { name: 'State' }),
  timeline: page.getByRole('region', { name: 'Timeline' }),
  nextSeed: page.getByRole('button', { name: 'Next seed' }),
  seed: page.getByRole('spinbutton', { name: 'Seed' }),
  copyLink: page.getByRole('button', { name: 'Copy link' }),
  spin: (name) => page.getByRole('spinbutton', { name, exact: true }),
});

export async function seek(page, seconds) {
  await controls(page).time.fill(String(seconds));
}

export const bodyText = (page) => page.locator('body').textContent();
