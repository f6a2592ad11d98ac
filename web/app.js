// What is shown, and what can be done with it. It holds documents and traces, runs the former
// through the core to get the latter, and tells its listeners what has changed.

import { simulate, presets, suiteScenario } from './simulation.js';
import { runOf } from './run.js';
import { differenceTime } from './view/compare.js';
import { amended, createHistory, edited, redone, undone } from './history.js';

// More events than this take longer than a frame or two, and are run in a worker.
const MOST_AT_ONCE = 8000;
const NOTICE_MS = 8000;

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** What is said when fencing makes no difference to a run. */
function sameRun({ verdict }) {
  return verdict.kind === 'uncaught'
    ? 'The same run: the newer token has not been at the storage.'
    : 'The same run: no late write here.';
}

export class App {
  constructor() {
    this.listeners = new Set();
    this.time = 0;
    this.index = 0;
    this.playing = false;
    this.speed = 2;
    this.domain = null;
    this.twin = null;
    this.ghost = null;
    this.notice = '';
    this.error = '';
    this.history = null;
    this.fencedRule = 'at-least';
  }

  /** Calls `listener(what)` after each change: 'run', 'seek', 'view' or 'notice'. */
  listen(listener) {
    this.listeners.add(listener);
  }

  tell(what) {
    for (const listener of this.listeners) listener(what);
  }

  get document() {
    return this.history?.present.document ?? null;
  }

  /** What the document was loaded as: { preset }, { suite, seed } or { file }. */
  get source() {
    return this.history?.present.source ?? {};
  }

  get fencing() {
    return (this.document?.fencing ?? 'at-least') !== 'off';
  }

  get event() {
    return this.index > 0 ? this.run.model.events[this.index - 1] : null;
  }

  get twinIndex() {
    return this.index === 0 ? 0 : this.twin.instants.indexAt(this.time);
  }

  /** Runs a document in a worker, then shows it; whoever draws the page sets this. */
  runElsewhere() {}

  // Opening ----------------------------------------------------------------------------------

  /**
   * Shows a document, from its beginning or at `place`; it throws, and changes nothing, when the
   * document is bad. A run that would hold up the page is left to `runElsewhere`.
   */
  open(document, source = {}, place = null) {
    const trace = simulate(document, { limit: MOST_AT_ONCE });
    if (trace.truncated) this.runElsewhere(document, source, place);
    else this.openRun(runOf(trace), document, source, place);
  }

  /** Shows a run that is there already; `document` is null for a history, which can't be edited. */
  openRun(run, document, source, place = null) {
    // A history that was opened has no document to run again, so its run is kept.
    const entry = { document, source, run: document ? null : run };
    if (!this.history) this.history = createHistory(entry);
    else if (!document || !this.isShown(document, source))
      this.history = edited(this.history, entry);
    this.endGesture();
    this.ghost = null;
    this.domain = null;
    this.error = '';
    this.notice = '';
    this.playing = false;
    if (!document) this.twinShown = false;
    this.index = 0;
    this.time = 0;
    this.adopt(run);
    if (place) this.seekIndex(place.index ?? run.instants.indexAt(place.time), place.time);
  }

  isShown(document, source) {
    return same(document, this.document) && same(source, this.source);
  }

  openPreset(name, place = null) {
    const preset = presets.find((one) => one.name === name) ?? presets[0];
    this.open(preset.scenario, { preset: preset.name }, place);
  }

  openSeed(seed, suite = 'chaos', place = null) {
    this.open(suiteScenario(suite, seed), { suite, seed }, place);
  }

  adopt(run) {
    this.run = run;
    this.refusal = null;
    this.runTwin();
    this.tell('run');
  }

  /** The same document under the other rule, when twins are shown. */
  runTwin() {
    if (!this.twinShown) {
      this.twin = null;
      return;
    }
    const fencing = this.fencing ? 'off' : this.fencedRule;
    const trace = simulate({ ...this.document, fencing }, { limit: MOST_AT_ONCE });
    if (trace.truncated) {
      this.twinShown = false;
      this.twin = null;
      this.say('This run is too long to be shown with its twin.');
      return;
    }
    const run = runOf(trace, this.run.model.endTime);
    const differsAt = differenceTime(this.run.model.events, run.model.events);
    this.twin = { ...run, fencing, differsAt };
  }

  // Editing ----------------------------------------------------------------------------------

  /**
   * Runs an edited document. While a gesture goes on, its steps are one entry of the history and
   * the ghost stays the run that it began with.
   */
  edit(document, { gesture = false } = {}) {
    let trace;
    try {
      trace = simulate(document, { limit: MOST_AT_ONCE });
    } catch (error) {
      this.fail(error.message);
      return false;
    }
    if (trace.truncated) {
      if (!gesture) this.runElsewhere(document, this.source, this);
      return false;
    }
    const run = runOf(trace, this.run.model.endTime);
    const goesOn = gesture && this.gesture;
    if (!goesOn) this.ghostRun = this.run;
    const entry = { document, source: this.source };
    this.history = goesOn ? amended(this.history, entry) : edited(this.history, entry);
    this.gesture = gesture;
    this.error = '';
    this.show(run, this.ghostRun);
    return true;
  }

  /** Gives a function that brings back the document, the ghost and the place of now. */
  restorePoint() {
    const { history, run, ghost, index, time } = this;
    return () => {
      this.endGesture();
      if (this.history !== history) {
        this.history = history;
        this.ghost = ghost;
        this.error = '';
        this.adopt(run);
      }
      this.seekIndex(index, time);
    };
  }

  endGesture() {
    this.gesture = false;
  }

  show(run, ghost) {
    const differsAt = ghost ? differenceTime(run.model.events, ghost.model.events) : null;
    this.ghost = differsAt === null ? null : { ...ghost, differsAt };
    this.index = Math.min(this.index, run.model.events.length);
    this.time = Math.min(this.time, run.model.endTime);
    if (this.index > 0 || this.time > 0) this.index = run.instants.indexAt(this.time);
    this.adopt(run);
  }

  travel(history) {
    if (history === this.history) return;
    const isLoaded = !same(history.present.source, this.source);
    this.history = history;
    this.endGesture();
    this.error = '';
    const { document, source, run } = history.present;
    if (!document) {
      this.twinShown = false;
      this.showLoaded(run);
      return;
    }
    const trace = simulate(document, { limit: MOST_AT_ONCE });
    if (trace.truncated) this.runElsewhere(document, source, this);
    else if (isLoaded) this.showLoaded(runOf(trace));
    else this.show(runOf(trace, this.run.model.endTime), this.run);
  }

  /** Shows a run that has nothing to do with the one before it. */
  showLoaded(run) {
    this.pause();
    this.domain = null;
    this.show(run, null);
  }

  undo() {
    this.travel(undone(this.history));
  }

  redo() {
    this.travel(redone(this.history));
  }

  forgetGhost() {
    this.ghost = null;
    this.tell('run');
  }

  setFencing(on) {
    if (on === this.fencing || !this.document) return;
    if (!on) this.fencedRule = this.document.fencing ?? 'at-least';
    const ran = this.edit({ ...this.document, fencing: on ? this.fencedRule : 'off' });
    if (ran && !this.ghost) this.say(sameRun(this.run));
  }

  setTwin(shown) {
    this.twinShown = shown && Boolean(this.document);
    this.runTwin();
    this.tell('run');
  }

  // Time -------------------------------------------------------------------------------------

  seekTime(time) {
    const bounded = Math.min(Math.max(time, 0), this.run.model.endTime);
    this.seekIndex(bounded === 0 ? 0 : this.run.instants.indexAt(bounded), bounded);
  }

  seekIndex(index, time) {
    const { events, endTime } = this.run.model;
    this.index = Math.min(Math.max(index, 0), events.length);
    this.time = time ?? (this.index === 0 ? 0 : events[this.index - 1].time);
    this.time = Math.min(this.time, endTime);
    this.tell('seek');
  }

  stepEvents(count) {
    this.pause();
    // After the last event there may be time left, and a step on must not go back to the event.
    if (count > 0 && this.index >= this.run.model.events.length) return;
    this.seekIndex(this.index + count);
  }

  stepSeconds(count) {
    this.pause();
    this.seekTime(this.time + count);
  }

  play() {
    if (this.time >= this.run.model.endTime) this.seekIndex(0, 0);
    this.playing = true;
    this.tell('view');
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.tell('view');
  }

  setSpeed(speed) {
    this.speed = speed;
    this.tell('view');
  }

  setDomain(domain) {
    this.domain = domain;
    this.tell('view');
  }

  fail(error) {
    this.error = error;
    this.tell('notice');
  }

  /** Says beside the field of that name why its value can't be; '' when it can. */
  refuse(name, text) {
    this.error = '';
    this.refusal = text ? { name, text } : null;
    this.tell('notice');
  }

  /** Says something that need not stay. */
  say(notice) {
    this.notice = notice;
    this.tell('notice');
    clearTimeout(this.saying);
    this.saying = setTimeout(() => this.notice && this.say(''), NOTICE_MS);
  }
}
