// The page: which panel is drawn anew after what.

import { html, render, nothing } from 'lit-html';
import { Figure } from './figure.js';
import { header, now, slider, tools, transport, whereabouts, zoom } from './controls.js';
import { briefLine, judgedLine, verdictLine } from './verdict.js';
import { eventItems, eventPages, fencingTitle, printedPart, states, story } from './panels.js';
import { twinTitle, twinVerdicts } from './panels.js';
import { faults, messageField, settings } from './schedule.js';
import { help } from './help.js';
import { listenToKeys } from './keys.js';
import { listenToDragging } from './scrub.js';
import { listenToZooming } from './zoom.js';
import { Jobs } from './jobs.js';
import { MapPanel } from './map.js';
import { SAVES } from './save.js';
import { USUAL_SPEED } from '../app.js';
import { roomy } from '../view/model.js';
import { toLink } from '../simulation.js';

const PAGE_OF_EVENTS = 200;
const MOST_ON_PAPER = 2000; // events; many more take the browser seconds to lay out
const EVENT_BY_EVENT = 700;
const MOST_PASSED = 0.1; // seconds that one frame plays; a hidden tab has none for long
const COPIED_MS = 3000;
const LOW_WINDOW = 480;
const MOST_ROOM = 560;
const ADDRESS_BAR = 120; // pixels; a phone's comes and goes while one scrolls, and moves nothing

const part = (name) => document.querySelector(`[data-part="${name}"]`);

/** Says whether the browser let a text be written to the clipboard. */
async function writeToClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Puts an address into the address bar; says whether a page from here is let to. */
function showAddress(address) {
  try {
    history.replaceState(null, '', address);
    return true;
  } catch {
    return false;
  }
}

export class Page {
  constructor(app) {
    this.app = app;
    this.figure = new Figure(part('figure'));
    this.twinFigure = new Figure(part('twin'));
    this.parts = Object.fromEntries(
      [...document.querySelectorAll('[data-part]')].map((one) => [one.dataset.part, one]),
    );
    this.reduced = matchMedia('(prefers-reduced-motion: reduce)');
    this.actions = {
      playOrPause: () => this.playOrPause(),
      copyLink: () => this.copyLink(),
      copied: () => this.copied,
      hideGhost: () => this.hideGhost(),
      toggleHelp: () => this.toggleHelp(),
      escape: () => this.escape(),
      zoom: (factor) => this.zoom(factor),
      open: (file) => this.jobs.open(file),
      goToSeed: () => this.goToSeed(),
      toggleMap: () => this.toggleMap(),
      save: (what) => SAVES[what].save(app, this.figure.svg),
    };
    this.jobs = new Jobs(app, () => render(this.jobs.template(), this.parts.working));
    app.runElsewhere = (...run) => this.jobs.run(...run);
    app.stopWork = () => this.jobs.stop();
    this.map = new MapPanel(app, this.parts.map, this.parts.figure);
    this.current = null;
    this.copied = '';
    this.eventPage = -1;
    this.listenToPrinting();
    app.listen((what) => this.update(what));
    listenToKeys(app, this.actions);
    this.cancels = [
      listenToDragging(app, this.parts.figure, this.figure, this),
      listenToDragging(app, this.parts.twin, this.twinFigure, this),
    ];
    this.zoom = listenToZooming(app, this.parts.figure, this.figure);
    listenToZooming(app, this.parts.twin, this.twinFigure);
    this.parts.events.addEventListener('click', (event) => {
      const item = event.target.closest('[data-index]');
      if (item) app.showEvent(Number(item.dataset.index));
    });
    this.parts['help-button'].addEventListener('click', () => this.toggleHelp());
    this.height = window.innerHeight;
    new ResizeObserver(() => this.resize()).observe(this.parts.figure);
    window.addEventListener('resize', () => this.resize());
  }

  update(what) {
    if (what === 'run' || what === 'notice') this.drawControls();
    if (what === 'run') this.drawRun();
    if (what === 'view') {
      this.drawFigure();
      this.map.settle();
    }
    if (what !== 'seek') this.drawZoom();
    if (what === 'seek' && this.followPlayhead()) return;
    if (what !== 'notice') this.drawSeek();
    if (what === 'run' || what === 'view') this.announce();
  }

  drawZoom() {
    const { crowded } = this.figure.drawn.model;
    render(zoom(this.app, this.actions, crowded), this.parts.zoom);
  }

  /** Moves a magnified stretch along when the playhead leaves it. */
  followPlayhead() {
    const { domain, time, run } = this.app;
    if (!domain || (time >= domain[0] && time <= domain[1])) return false;
    const length = domain[1] - domain[0];
    const from = Math.min(Math.max(0, time - length / 4), run.model.endTime - length);
    this.app.setDomain([from, from + length]);
    return true;
  }

  resize() {
    const width = Math.floor(this.parts.figure.clientWidth);
    const isSameHeight = Math.abs(window.innerHeight - this.height) < ADDRESS_BAR;
    if ((width === this.width && isSameHeight) || width === 0 || !this.app.run) return;
    this.width = width;
    this.height = window.innerHeight;
    this.room = null;
    this.capEvents();
    this.drawFigure();
    this.drawSeek();
    this.map.refresh();
  }

  /** Lets the list of events end where the window does. */
  capEvents() {
    const top = document.querySelector('main').getBoundingClientRect().top + window.scrollY;
    document.documentElement.style.setProperty('--main-top', `${Math.ceil(top)}px`);
  }

  /** The height that is left for a tall picture between what is above it and the player. */
  measureRoom() {
    const { figure } = this.parts;
    const player = document.querySelector('.player').getBoundingClientRect().height;
    const top = figure.getBoundingClientRect().top + window.scrollY;
    return Math.min(MOST_ROOM, Math.floor(window.innerHeight - top - player));
  }

  drawFigure() {
    const { app, parts } = this;
    this.width ||= Math.floor(parts.figure.clientWidth);
    const { twin } = app;
    document.body.classList.toggle('twinned', Boolean(twin));
    render(twin ? twinTitle(app.fencing, app.run) : briefLine(app.run), parts['figure-title']);
    render(twin ? twinTitle(!app.fencing, twin) : nothing, parts['twin-title']);
    this.room ??= this.measureRoom();
    const { innerHeight, innerWidth } = window;
    const isLow = innerHeight < LOW_WINDOW;
    const shared = {
      room: this.room,
      low: Boolean(twin) || isLow,
      // Twins lie one below the other with one scale of time, on a phone too.
      lying: Boolean(twin) || (isLow && innerWidth > innerHeight),
      width: this.width,
      domain: this.heldDomain ?? app.domain,
      document: app.document,
    };
    const name = 'The run drawn over time; the list of events says the same in words';
    this.figure.draw(app.run, {
      ...shared,
      id: 'main',
      ghost: app.ghost,
      differsAt: app.ghost?.differsAt ?? twin?.differsAt,
      name: twin ? `${fencingTitle(app.fencing)}. ${name}` : name,
    });
    if (twin) {
      const title = fencingTitle(!app.fencing);
      this.twinFigure.draw(twin, {
        ...shared,
        id: 'twin',
        differsAt: twin.differsAt,
        name: `${title}. The same schedule under the other rule`,
      });
    } else {
      this.twinFigure.clear();
    }
  }

  /** Keeps the scale of time as it is while something is dragged along it. */
  holdScale(geometry) {
    this.heldDomain = geometry?.domain ?? null;
    if (!geometry) this.update('view');
  }

  drawControls() {
    const { app, parts, actions } = this;
    render(header(app, actions), parts.header);
    render(tools(app, actions), parts.tools);
    render(this.jobs.template(), parts.working);
    render(faults(app), parts.faults);
    render(settings(app), parts.settings);
    render(messageField(app), parts.message);
    render(app.error ? html`<p class="error" role="alert">${app.error}</p>` : nothing, parts.error);
    // What is written anew is announced anew.
    if (parts.notice.textContent !== app.notice) parts.notice.textContent = app.notice;
  }

  drawRun() {
    const { app, parts } = this;
    this.eventPage = -1;
    this.difference = (app.ghost ?? app.twin)?.differsIn ?? null;
    render(app.twin ? twinVerdicts(app) : verdictLine(app.run), parts.verdict);
    render(judgedLine(app.run), parts.judged);
    if (!this.room) this.drawPlayer();
    this.drawFigure();
    this.map.refresh();
    render(story(app), parts.story);
    this.capEvents();
    parts['events-of'].textContent = app.twin ? ` · ${fencingTitle(app.fencing)}` : '';
  }

  drawSeek() {
    const { app, parts } = this;
    const atRest = app.index === 0 && app.time === 0 && !app.playing;
    this.figure.seek(app.time, app.index, atRest);
    if (app.twin) this.twinFigure.seek(app.time, app.twinIndex, atRest);
    this.drawPlayer();
    this.markSteps(atRest);
    render(states(app), parts.state);
    render(messageField(app), parts.message);
    this.markEvent();
    this.remember();
  }

  drawPlayer() {
    const { app, parts, actions } = this;
    // While playing the slider's words stay, since each change of them would be read out.
    if (!app.playing || !this.whereabouts) this.whereabouts = whereabouts(app);
    render(slider(app, this.whereabouts), parts.slider);
    render(transport(app, actions), parts.transport);
    const sliderSpeaks = parts.slider.contains(document.activeElement);
    render(now(app, actions, app.playing || sliderSpeaks), parts.now);
  }

  /** Lights up the numbered steps that the playhead has passed. */
  markSteps(atRest) {
    for (const step of this.parts.story.querySelectorAll('[data-index]')) {
      step.classList.toggle('ahead', !atRest && Number(step.dataset.index) >= this.app.index);
    }
  }

  /**
   * Says the verdict to those who don't see it, when another rule, another scenario or the end of a
   * drag has changed it; never by itself, and not at the first sight of the page.
   */
  announce() {
    const { app, parts } = this;
    if (app.gesture) return;
    const { preset, suite, seed } = app.source;
    const name = `${preset} ${suite} ${seed} ${app.document?.fencing} ${app.twinShown}`;
    const said = (app.twin ? ['figure-title', 'twin-title'] : ['verdict'])
      .map((one) => parts[one].textContent.replace(/\s+/g, ' ').trim())
      .filter(Boolean)
      .join(' ');
    const isNew = this.announced && (name !== this.announced.name || said !== this.announced.said);
    this.announced = { name, said };
    if (isNew) parts.announcement.textContent = said;
  }

  markEvent() {
    const { app } = this;
    const index = app.index - 1;
    this.showEvents(Math.max(0, Math.floor(index / PAGE_OF_EVENTS)));
    this.current?.removeAttribute('aria-current');
    const offset = index - this.eventPage * PAGE_OF_EVENTS;
    this.current = index < 0 ? null : this.parts.events.children[offset];
    this.current?.setAttribute('aria-current', 'step');
    this.scrollSoon();
  }

  /** Shows one page of the event list; a long list is too much to lay out at once. */
  showEvents(page) {
    if (page === this.eventPage) return;
    const { app, parts } = this;
    this.eventPage = page;
    this.current?.removeAttribute('aria-current');
    this.current = null;
    const [from, to] = this.spanOf(page);
    render(eventItems(app.run, this.difference, from, to), parts.events);
    render(
      eventPages(app.run, from, to, (by) => this.showEvents(page + by)),
      parts.pages,
    );
  }

  /** From which event to before which one a page of the list goes. */
  spanOf(page) {
    const from = page * PAGE_OF_EVENTS;
    return [from, Math.min(from + PAGE_OF_EVENTS, this.app.run.model.events.length)];
  }

  /** On paper the list of events is whole, or where it is long, the page of it that is shown. */
  listenToPrinting() {
    const print = matchMedia('print');
    const turn = (printing) => {
      if (printing === Boolean(this.printing) || !this.app.run) return;
      this.printing = printing;
      if (printing) this.layOutEvents();
      else this.redrawEvents();
    };
    print.addEventListener('change', () => turn(print.matches));
    window.addEventListener('beforeprint', () => turn(true));
    window.addEventListener('afterprint', () => turn(false));
  }

  layOutEvents() {
    const { app, parts } = this;
    if (app.run.model.events.length > MOST_ON_PAPER) {
      render(printedPart(app.run, ...this.spanOf(this.eventPage)), parts.pages);
      return;
    }
    render(eventItems(app.run, this.difference, 0, Infinity), parts.events);
    render(nothing, parts.pages);
  }

  redrawEvents() {
    this.eventPage = -1;
    this.markEvent();
  }

  /** Brings the current event into the list's view, once a frame at most. */
  scrollSoon() {
    if (this.scrolling) return;
    this.scrolling = requestAnimationFrame(() => {
      this.scrolling = null;
      const list = this.parts.events;
      if (!this.current) {
        list.scrollTop = 0;
        return;
      }
      const top = this.current.offsetTop - list.offsetTop;
      const bottom = top + this.current.offsetHeight;
      if (top < list.scrollTop + 40 || bottom > list.scrollTop + list.clientHeight - 40) {
        list.scrollTop = top - list.clientHeight / 2;
      }
    });
  }

  // Playing ----------------------------------------------------------------------------------

  playOrPause() {
    const { app } = this;
    if (app.playing) {
      app.pause();
      return;
    }
    app.play({ byEvents: this.reduced.matches });
    // What is left of a play that was paused a moment ago would go on beside this one.
    cancelAnimationFrame(this.nextFrame);
    clearTimeout(this.nextEvent);
    if (this.reduced.matches) this.playEvents();
    else this.playFrames();
  }

  playFrames() {
    const { app } = this;
    let before = null;
    const frame = (stamp) => {
      if (!app.playing) return;
      const passed = before === null ? 0 : Math.min(MOST_PASSED, (stamp - before) / 1000);
      before = stamp;
      app.seekTime(app.time + passed * app.speed);
      if (app.time >= app.run.model.endTime) app.pause();
      else this.nextFrame = requestAnimationFrame(frame);
    };
    this.nextFrame = requestAnimationFrame(frame);
  }

  playEvents() {
    const { app } = this;
    const next = () => {
      if (!app.playing) return;
      app.seekIndex(app.index + 1);
      if (app.index >= app.run.model.events.length) app.pause();
      else this.nextEvent = setTimeout(next, EVENT_BY_EVENT / app.speed);
    };
    next();
  }

  /** Leads from the first roll, far down, to where the run is and the next one is rolled. */
  goToSeed() {
    window.scrollTo({ top: 0 });
    this.parts.header.querySelector('[data-next-seed]').focus({ preventScroll: true });
  }

  /** Opens the map below the picture and leads to it, far up from its button; or puts it away. */
  toggleMap() {
    const { app } = this;
    app.setMap(!app.mapShown);
    if (app.mapShown) this.map.reveal();
  }

  // Address ----------------------------------------------------------------------------------

  link() {
    const { app } = this;
    const { preset, suite, seed } = app.source;
    const { time, index, domain, document: scenario, twinShown: twin, mapShown: map } = app;
    const shown = { document: scenario, preset, suite, seed, time, index, domain, twin, map };
    const speed = app.speed === USUAL_SPEED ? undefined : app.speed;
    const rule = !app.fencing && app.fencedRule === 'above' ? 'above' : undefined;
    const ghost = app.ghost?.trace.scenario;
    const { events, endTime } = app.run.model;
    const end = endTime > roomy(events.at(-1)?.time ?? 0) ? endTime : undefined;
    return toLink({ ...shown, end, speed, rule, ghost, hash: app.run.trace.hash });
  }

  /** Keeps the address in step, but not on every frame. */
  remember() {
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => {
      // The lesson that stands in for a long run is not what the address is to say.
      if (this.app.pending && this.app.history === this.app.meanwhile) return;
      showAddress(this.app.document ? this.link() : location.pathname);
    }, 300);
  }

  async copyLink() {
    const address = new URL(this.link(), location.href).href;
    const copying = writeToClipboard(address);
    const isInBar = showAddress(address);
    if (await copying) this.copied = 'Link copied.';
    else if (isInBar) this.copied = 'The link is in the address bar.';
    else this.copied = 'The browser lets no link be copied here.';
    this.drawControls();
    clearTimeout(this.forgetting);
    this.forgetting = setTimeout(() => {
      this.copied = '';
      this.drawControls();
    }, COPIED_MS);
  }

  // Help -------------------------------------------------------------------------------------

  toggleHelp() {
    const dialog = this.parts.help;
    if (dialog.open) {
      dialog.close();
      return;
    }
    render(help(), dialog);
    dialog.showModal();
  }

  escape() {
    if (this.cancels.some((cancel) => cancel())) return;
    if (this.app.ghost) this.hideGhost();
  }

  /** The button that hides the ghost goes with it, and leaves the focus to the one that plays. */
  hideGhost() {
    const { app, parts } = this;
    const hadFocus = parts.now.contains(document.activeElement);
    app.forgetGhost();
    if (hadFocus) parts.transport.querySelector('.primary').focus({ preventScroll: true });
  }
}
