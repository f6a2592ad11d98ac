// Entry: opens what the address says, or the lesson.

import { App } from './app.js';
import { Page } from './dom/page.js';
import { originalOf } from './source.js';
import { fromLink, init } from './simulation.js';

/** Whether what a link says of where its document comes from can be; else it comes from a link. */
function isKnown({ preset, suite, seed }) {
  try {
    return originalOf({ preset, suite, seed }) !== null;
  } catch {
    return false;
  }
}

function openAddress(app) {
  const link = fromLink(location.hash);
  if (!link) return app.openPreset();
  const { document, preset, suite, seed, ...view } = link;
  if (document) app.open(document, isKnown(link) ? { preset, suite, seed } : {}, view);
  else if (suite) app.openSeed(seed ?? 1, suite, view);
  else app.openPreset(preset, view);
  if (!app.run) app.openMeanwhile();
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
