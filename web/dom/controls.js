// The bars of controls: which run, and where in it.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { presets, describe } from '../simulation.js';
import { FIRST_SEED, hintOf } from '../view/hint.js';
import { clock } from '../view/text.js';
import { commandFor, isEdited } from '../source.js';
import { SAVES } from './save.js';
import { SPEEDS } from '../app.js';
import * as icons from './icons.js';

const RANDOM = 'random';

function scenarioChoice(app) {
  const { preset, suite, file } = app.source;
  const chosen = suite ? RANDOM : (preset ?? 'file');
  const choose = (event) => {
    const { value } = event.target;
    if (value === RANDOM) app.openSeed(FIRST_SEED);
    else app.openPreset(value);
  };
  return html`<label class="choice"
    ><span>Scenario</span>
    <select aria-label="Scenario" .value=${live(chosen)} @change=${choose}>
      ${presets.map(
        (one) =>
          html`<option value=${one.name} ?selected=${one.name === chosen}>${one.title}</option>`,
      )}
      <option value=${RANDOM} ?selected=${chosen === RANDOM}>Random faults, three clients</option>
      ${
        chosen === 'file'
          ? html`<option value="file" selected>${file ?? 'From a link'}</option>`
          : nothing
      }
    </select>
  </label>`;
}

const shownSeed = ({ source, document }) =>
  source.suite ? source.seed : (document?.seed ?? FIRST_SEED);

/**
 * For a button that a press can exhaust: it keeps the focus, which `disabled` would take from it, and
 * does nothing more.
 */
export const spent = (isSpent) => (isSpent ? 'true' : nothing);

/** Rolling: among the other runs, and in the bar above the picture once one of them is shown. */
function seedField(app, actions) {
  const shown = shownSeed(app);
  const show = (seed) => {
    const isElsewhere = !app.source.suite;
    app.openSeed(seed);
    if (isElsewhere) actions.goToSeed();
  };
  const change = (event) => {
    const { valueAsNumber: seed } = event.target;
    if (Number.isSafeInteger(seed) && seed >= 0) show(seed);
    event.target.value = String(shownSeed(app));
  };
  const isFirst = !app.source.suite || shown === 0;
  const isLast = Boolean(app.source.suite) && shown === Number.MAX_SAFE_INTEGER;
  const roll = (by) => show(app.source.suite ? shown + by : shown);
  return html`<div class="seed">
    <label class="choice"
      ><span>Seed</span>
      <input
        type="number"
        min="0"
        step="1"
        aria-label="Seed"
        .value=${live(String(shown))}
        @change=${change}
    /></label>
    <button type="button" aria-disabled=${spent(isFirst)} @click=${() => isFirst || roll(-1)}>
      Previous seed
    </button>
    <button
      type="button"
      data-next-seed
      aria-disabled=${spent(isLast)}
      @click=${() => isLast || roll(1)}
    >
      Next seed
    </button>
  </div>`;
}

export function header(app, actions) {
  const text = hintOf(app.source, app.run);
  const { past, future } = app.history;
  return html`<div class="bar">
      ${scenarioChoice(app)} ${app.source.suite ? seedField(app, actions) : nothing}
      <label class="switch"
        ><input
          type="checkbox"
          aria-label="Fencing"
          .checked=${live(app.fencing && Boolean(app.document))}
          ?disabled=${!app.document}
          @change=${(event) => app.setFencing(event.target.checked)}
        />
        <span>Fencing</span></label
      >
      <label class="switch" title="The same schedule with fencing on and off"
        ><input
          type="checkbox"
          aria-label="Twin"
          .checked=${live(Boolean(app.twinShown))}
          ?disabled=${!app.document}
          @change=${(event) => app.setTwin(event.target.checked)}
        />
        <span>Twin</span></label
      >
      <span class="spread edited"
        >${isEdited(app.document, app.source) ? html`<span>edited</span>` : nothing}</span
      >
      <span class="pair">
        <button
          type="button"
          class="square"
          aria-label="Undo"
          title="Undo (Ctrl+Z)"
          aria-disabled=${spent(past.length === 0)}
          @click=${() => app.undo()}
        >
          ${icons.undo}
        </button>
        <button
          type="button"
          class="square"
          aria-label="Redo"
          title="Redo (Ctrl+Shift+Z, Ctrl+Y)"
          aria-disabled=${spent(future.length === 0)}
          @click=${() => app.redo()}
        >
          ${icons.redo}
        </button>
      </span>
    </div>
    ${text ? html`<p class="try">${text}</p>` : nothing}`;
}

/** Where other runs come from, and where this one can go. */
export function tools(app, actions) {
  const choose = (event) => {
    const [file] = event.target.files;
    if (file) actions.open(file);
    event.target.value = '';
  };
  const saves = Object.entries(SAVES).filter(([, { own }]) => !own || app.document);
  return html`<div class="tools">
    ${app.source.suite ? nothing : seedField(app, actions)}
    <span class="copy">
      <button type="button" ?disabled=${!app.document} @click=${actions.copyLink}>Copy link</button>
      <span class="copied" role="status">${actions.copied()}</span>
    </span>
    <button
      type="button"
      aria-expanded=${app.mapShown ? 'true' : 'false'}
      ?disabled=${!app.document}
      @click=${actions.toggleMap}
    >
      Map of pauses
    </button>
    <label class="button"
      ><input
        type="file"
        class="hidden"
        aria-label="Open a scenario or a history"
        accept=".json,.jsonl,.ndjson,.txt,application/json"
        @change=${choose}
      />
      <span>Open…</span></label
    >
    <span class="saves" role="group" aria-label="Save">
      <span class="label-text">Save</span>
      ${saves.map(
        ([what, { text, name }]) =>
          html`<button
            type="button"
            aria-label=${name}
            title=${name}
            @click=${() => actions.save(what)}
          >
            ${text}
          </button>`,
      )}
    </span>
    ${
      app.document
        ? html`<p class="command">
            <span class="label-text">Command line</span>
            <code>${commandFor(app.document, app.source)}</code>
          </p>`
        : nothing
    }
  </div>`;
}

/** What the dashed outlines are, while there are any. */
function ghostNote(app, actions) {
  const { ghost } = app;
  if (!ghost) return nothing;
  return html`<p class="ghost-note">
    Dashed: the old run; first differs at ${clock(ghost.differsAt)} s.
    <button type="button" class="link" @click=${actions.hideGhost}>Hide it</button>
  </p>`;
}

/** What the slider says in words. */
export function whereabouts(app) {
  const { event } = app;
  const time = `${clock(app.time)} seconds`;
  return event
    ? `${time}. ${describe(event, app.run.trace)}`
    : `${time}. Nothing has happened yet.`;
}

export function transport(app, actions) {
  return html`<div class="transport">
    <button
      type="button"
      class="square"
      aria-label="Previous event"
      title="Previous event (←)"
      aria-disabled=${spent(app.index === 0)}
      @click=${() => app.stepEvents(-1)}
    >
      ${icons.previous}
    </button>
    <button
      type="button"
      class="square primary"
      aria-label=${app.playing ? 'Pause' : 'Play'}
      title=${app.playing ? 'Pause (space)' : 'Play (space)'}
      @click=${actions.playOrPause}
    >
      ${app.playing ? icons.pause : icons.play}
    </button>
    <button
      type="button"
      class="square"
      aria-label="Next event"
      title="Next event (→)"
      aria-disabled=${spent(app.index === app.run.model.events.length)}
      @click=${() => app.stepEvents(1)}
    >
      ${icons.next}
    </button>
    <span class="clock">
      <output class="time" aria-live="off">${clock(app.time)} s</output>
      <span class="count">${app.index} of ${app.run.model.events.length}</span>
    </span>
    <label class="speed"
      ><span class="hidden">Speed</span
      ><select @change=${(event) => app.setSpeed(Number(event.target.value))}>
        ${SPEEDS.map(
          (speed) =>
            html`<option value=${speed} ?selected=${speed === app.speed}>${speed}×</option>`,
        )}
      </select></label
    >
  </div>`;
}

/** The ways to magnify; `crowded` names what there is too much of to be drawn. */
export function zoom(app, actions, crowded) {
  return html`${crowded ? html`<p class="crowded">Zoom in to see the ${crowded}.</p>` : nothing}
    <button
      type="button"
      class="square"
      aria-label="Zoom out"
      title="Zoom out (−)"
      aria-disabled=${spent(!app.domain)}
      @click=${() => actions.zoom(0.5)}
    >
      −
    </button>
    <button
      type="button"
      class="square"
      aria-label="Zoom in"
      title="Zoom in (+)"
      @click=${() => actions.zoom(2)}
    >
      +
    </button>
    <button type="button" aria-disabled=${spent(!app.domain)} @click=${() => actions.zoom(0)}>
      Whole run
    </button>`;
}

/** The slider of time; `words` say where it is. */
export function slider(app, words) {
  return html`<input
    type="range"
    class="slider"
    min="0"
    max=${app.run.model.endTime}
    step="any"
    aria-label="Time"
    aria-valuetext=${words}
    .value=${live(String(app.time))}
    @input=${(event) => {
      app.pause();
      app.seekTime(Number(event.target.value));
    }}
  />`;
}

/** What happens at the playhead; `silent` while it is not to be read out. */
export function now(app, actions, silent) {
  const { event } = app;
  return html`<div class="now">
    <p aria-live=${silent ? 'off' : 'polite'}>
      ${
        event
          ? describe(event, app.run.trace)
          : 'The picture shows the whole run. Press play, or move the slider, to go through it.'
      }
    </p>
    ${ghostNote(app, actions)}
  </div>`;
}
