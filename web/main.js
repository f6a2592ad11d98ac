// Entry: opens what the address says, or the lesson.

import { App } from './app.js';
import { Page } from './dom/page.js';
import { init } from './simulation.js';
import { fromLink } from '../js/link.js';

function openAddress(app) {
  const link = fromLink(location.hash);
  if (!link) return app.openPreset();
  const { preset, suite, seed } = link;
  const place = link.time === undefined ? null : link;
  if (link.document) app.open(link.document, { preset, suite, seed }, place);
  else if (suite) app.openSeed(seed ?? 1, suite, place);
  else app.openPreset(preset, place);
  if (!app.run) app.openPreset();
  if (link.twin) app.setTwin(true);
  if (link.hash && link.hash !== app.run.trace.hash) {
    app.say('This link was made by another build, which ran this scenario differently.');
  }
  return undefined;
}

async function startPage() {
  await init();
  const app = new App();
  new Page(app);
  const openOrExplain = () => {
    try {
      openAddress(app);
    } catch (error) {
      if (!app.run) app.openPreset();
      app.fail(error.message);
    }
  };
  openOrExplain();
  document.body.dataset.ready = '';
  window.addEventListener('hashchange', openOrExplain);
}

document.addEventListener('DOMContentLoaded', startPage);
