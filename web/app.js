// What is shown, and what can be done with it. It holds documents and traces, runs the former
// through the core to get the latter, and tells its listeners what has changed.

import { simulate, presets, suiteScenario } from './simulation.js';
import { runOf } from './run.js';
import { parting } from './view/compare.js';
import { sameRunWords } from './view/verdict.js';
import { same } from './source.js';
import { amended, createHistory, edited, redone, undone } from './history.js';

// More events than this take longer than a frame or two, and are run in a worker.
const MOST_AT_ONCE = 8000;
const NOTICE_MS = 8000;
const LINK_TIME = 1e-6; // seconds to which a link tells a time

/** How much faster than time the fake clock may run. */
export const SPEEDS = [0.5, 1, 2, 5, 10];
export const USUAL_SPEED = 2;

/** A stretch of time that is within a run; null for the whole. */
function within(domain, endTime) {
  if (!domain) return null;
  const [from, to] = [Math.max(0, domain[0]), Math.min(endTime, domain[1])];
  return from < to && to - from < endTime ? [from, to] : null;
}

export class App {
  constructor() {
    this.listeners = new Set();
    this.time = 0;
    this.index = 0;
    this.playing = false;
    this.speed = USUAL_SPEED;
    this.domain = null;
    this.twin = null;
    this.ghost = null;
    this.notice = '';
    this.error = '';
    this.history = null;
    this.pending = null;
    this.held = false;
    this.twinShown = false;
    this.mapShown = false;
    this.dropGesture();
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

  /** The rule that fencing goes by when it is on. */
  get fencedRule() {
    return this.history?.present.rule ?? 'at-least';
  }

  // Running ----------------------------------------------------------------------------------

  /** As `compute`, in a worker, for `what`; whoever draws the page sets this. */
  runElsewhere() {}

  /** Ends what goes on in a worker, which `pending` says; set likewise. */
  stopWork() {}

  /**
   * Runs a document, and hands the run to `then`: at once, or from a worker where that would hold up
   * the page. What is asked for last wins. Throws when the document is bad.
   */
  compute(document, atLeast, then, what = 'run') {
    this.stopWork();
    const trace = simulate(document, { limit: MOST_AT_ONCE });
    if (trace.truncated) this.runElsewhere(document, atLeast, then, what);
    else then(runOf(trace, atLeast));
  }

  /** What someone wanted and then stopped is not to be seen on any control. */
  giveUp() {
    if (this.pending === 'twin') this.twinShown = false;
    this.stopWork();
    this.tell('notice');
  }

  // Opening ----------------------------------------------------------------------------------

  /**
   * Shows a document, from its beginning or as `view` says (see `openRun`); it throws, and changes
   * nothing, when the document is bad.
   */
  open(document, source = {}, view = {}) {
    this.compute(document, view.end ?? 0, (run) => this.openRun(run, document, source, view));
  }

  /**
   * Shows a run that is there already; `document` is null for a history, which can't be edited.
   * @param {{ time?: number, index?: number, domain?: [number, number], twin?: boolean,
   *   map?: boolean, speed?: number, before?: object, rule?: string, hash?: string }} view what a
   *   link holds (js/link.js)
   */
  openRun(run, document, source, view = {}) {
    const ghost = view.before ? this.ghostOf(run, view.before) : null;
    const entry = this.entryOf(run, document, source, view.rule);
    if (!this.history || this.history === this.meanwhile) this.history = createHistory(entry);
    else if (!document || !this.isShown(document, source))
      this.history = edited(this.history, entry);
    this.dropGesture();
    this.ghost = ghost;
    this.domain = within(view.domain, run.model.endTime);
    this.error = '';
    this.notice = '';
    this.playing = false;
    this.twinShown = Boolean(document && (view.twin ?? this.twinShown));
    this.mapShown = Boolean(document && (view.map ?? this.mapShown));
    if (SPEEDS.includes(view.speed)) this.speed = view.speed;
    this.index = 0;
    this.time = 0;
    this.adopt(run);
    if (view.time !== undefined) this.seekPlace(view);
    if (view.hash && view.hash !== run.trace.hash) {
      this.say('This link was made by another build, which ran this scenario differently.');
    }
  }

  /** An entry of the history. One that was opened as a history can't be run again, so it is kept. */
  entryOf(run, document, source, rule) {
    const own = document?.fencing ?? 'at-least';
    return {
      document,
      source,
      run: document ? null : run,
      end: run.model.endTime,
      rule: own === 'off' ? rule : own,
    };
  }

  /** The run before the one that a link shows; null where it is too long to be run at once. */
  ghostOf(run, before) {
    const trace = simulate({ ...run.trace.scenario, ...before }, { limit: MOST_AT_ONCE });
    return trace.truncated ? null : this.asGhost(runOf(trace, run.model.endTime), run);
  }

  /** A run as the ghost of another; null when they are the same. */
  asGhost(ghost, run) {
    const parts = parting(run.model.events, ghost.model.events);
    return parts.differsIn === null ? null : { ...ghost, ...parts };
  }

  isShown(document, source) {
    return same(document, this.document) && same(source, this.source);
  }

  openPreset(name = presets[0].name, view = undefined) {
    const preset = presets.find((one) => one.name === name);
    if (!preset) throw new Error(`There is no scenario called ${name}.`);
    this.open(preset.scenario, { preset: preset.name }, view);
  }

  /** Shows the lesson while the first run to be shown is still under way; undo never leads to it. */
  openMeanwhile() {
    const [{ name, scenario }] = presets;
    this.openRun(runOf(simulate(scenario)), scenario, { preset: name });
    this.meanwhile = this.history;
  }

  openSeed(seed, suite = 'chaos', view = undefined) {
    this.open(suiteScenario(suite, seed), { suite, seed }, view);
  }

  adopt(run) {
    this.run = run;
    this.refusal = null;
    this.showTwin();
  }

  /** Shows the same document under the other rule as well, when twins are wanted. */
  showTwin() {
    this.twin = null;
    if (this.twinShown) {
      const fencing = this.fencing ? 'off' : this.fencedRule;
      const { events, endTime } = this.run.model;
      const arrive = (run) => {
        this.twin = { ...run, fencing, ...parting(events, run.model.events) };
        this.tell('run');
      };
      this.compute({ ...this.document, fencing }, endTime, arrive, 'twin');
    }
    if (!this.twin) this.tell('run');
  }

  // Editing ----------------------------------------------------------------------------------

  /**
   * Runs an edited document, then calls `then`; says whether the document can be run. While a gesture
   * goes on, its steps are one entry of the history and the ghost stays the run that it began with. A
   * run that is too long to follow a gesture waits for its end.
   */
  edit(document, { gesture = false, then = () => undefined } = {}) {
    if (gesture && this.isLong) {
      this.deferred = document;
      this.say('This run is long: it runs again once you let go.');
      return true;
    }
    let isNow = true;
    try {
      this.compute(document, this.run.model.endTime, (run) => {
        // What comes from a worker comes too late for the gesture that it was of.
        this.adoptEdit(run, document, gesture && isNow);
        then();
      });
    } catch (error) {
      this.fail(error.message);
      return false;
    }
    isNow = false;
    return true;
  }

  get isLong() {
    return this.run.model.events.length >= MOST_AT_ONCE;
  }

  adoptEdit(run, document, gesture) {
    const goesOn = gesture && this.gesture;
    if (!goesOn) this.ghostRun = this.run;
    const entry = this.entryOf(run, document, this.source, this.fencedRule);
    this.history = goesOn ? amended(this.history, entry) : edited(this.history, entry);
    this.gesture = gesture;
    this.error = '';
    this.show(run, this.ghostRun);
  }

  /** Gives a function that brings back the place of now, and what was `edited` since. */
  restorePoint() {
    const { history, run, ghost, index, time } = this;
    return ({ edited: hasEdited }) => {
      this.dropGesture();
      if (hasEdited) this.stopWork();
      if (hasEdited && this.history !== history) {
        this.history = history;
        this.ghost = ghost;
        this.error = '';
        this.adopt(run);
      }
      this.seekIndex(index, time);
    };
  }

  endGesture() {
    const { deferred } = this;
    this.dropGesture();
    if (deferred) this.edit(deferred);
  }

  dropGesture() {
    this.gesture = false;
    this.deferred = null;
  }

  show(run, ghost) {
    this.ghost = ghost ? this.asGhost(ghost, run) : null;
    this.index = Math.min(this.index, run.model.events.length);
    this.time = Math.min(this.time, run.model.endTime);
    if (this.index > 0 || this.time > 0) this.index = run.instants.indexAt(this.time);
    this.adopt(run);
  }

  /** Goes to another entry of the history; `ghost` is the run to be left behind it. */
  travel(history, ghost) {
    if (history === this.history) return;
    const { document, source, run: kept, end } = history.present;
    const isLoaded = !document || !same(source, this.source);
    const arrive = (run) => {
      this.history = history;
      this.dropGesture();
      this.error = '';
      if (!document) this.twinShown = this.mapShown = false;
      if (isLoaded) this.showLoaded(run);
      else this.show(run, ghost);
    };
    if (document) {
      this.compute(document, end, arrive);
    } else {
      this.stopWork();
      arrive(kept);
    }
  }

  /** Shows a run that has nothing to do with the one before it. */
  showLoaded(run) {
    this.pause();
    this.domain = null;
    this.show(run, null);
  }

  undo() {
    this.travel(undone(this.history), null);
  }

  redo() {
    this.travel(redone(this.history), this.run);
  }

  forgetGhost() {
    this.ghost = null;
    this.tell('run');
  }

  setFencing(on) {
    if (on === this.fencing || !this.document) return;
    const then = () => !this.ghost && this.say(sameRunWords(this.run));
    this.edit({ ...this.document, fencing: on ? this.fencedRule : 'off' }, { then });
  }

  /** Sets the rule that fencing goes by, now or once it is on. */
  setRule(rule) {
    if (this.fencing) {
      this.edit({ ...this.document, fencing: rule });
      return;
    }
    this.history = edited(this.history, { ...this.history.present, rule });
    this.showTwin();
  }

  setTwin(shown) {
    this.twinShown = shown && Boolean(this.document);
    if (this.pending === 'run') {
      // Its twin is shown with the run that is to come.
      this.tell('notice');
      return;
    }
    this.stopWork();
    this.showTwin();
  }

  setMap(shown) {
    this.mapShown = shown && Boolean(this.document);
    this.tell('run');
  }

  // Time -------------------------------------------------------------------------------------

  /** Goes to a place that a link tells: to its event, if that is one of its instant. */
  seekPlace({ time, index }) {
    const { events, endTime } = this.run.model;
    const at = Math.min(Math.max(time, 0), endTime);
    const isNear = (event, by) => event === undefined || (event.time - at) * by <= LINK_TIME;
    const isOne = Number.isInteger(index) && index >= 0 && index <= events.length;
    if (isOne && isNear(events[index - 1], 1) && isNear(events[index], -1)) {
      this.seekIndex(index, at);
    } else {
      this.seekTime(at);
    }
  }

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

  /** Stops playing, and goes to where the event of that number has just happened. */
  showEvent(number) {
    this.pause();
    this.seekIndex(number + 1);
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

  /** Plays on, or from the beginning once the end is reached; `byEvents`: no time lies between. */
  play({ byEvents = false } = {}) {
    const { events, endTime } = this.run.model;
    const isOver = byEvents ? this.index >= events.length : this.time >= endTime;
    if (isOver) this.seekIndex(0, 0);
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
