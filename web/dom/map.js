// The map's panel: a grid of cells, computed in a worker, each of which opens its schedule.

import { html, nothing, render } from 'lit-html';
import { cellDocument, gridOf, gridSize, OUTCOMES, outcomesShown } from '../view/map.js';
import { variedPause } from '../view/map.js';
import { TALL_BELOW } from './figure.js';
import { seconds } from '../view/text.js';
import { work } from './worker.js';

const LOW_WINDOW = 480;
const MOST_SEEN = 0.6; // of a picture, that need not be brought into view
const GLIMPSE = 200; // pixels of the map that are seen at least once it is opened

export class MapPanel {
  constructor(app, host, picture) {
    this.app = app;
    this.host = host;
    this.picture = picture;
    this.rows = [];
    this.cursor = [0, 0]; // where Tab leads to: row and column
    this.current = null;
    host.addEventListener('keydown', (event) => this.walk(event));
  }

  /**
   * The map is of one document but for its pause; another document makes it old. While something is
   * dragged an old map waits.
   */
  refresh() {
    const { document, mapShown, gesture } = this.app;
    const isOld = mapShown && this.key !== this.keyOf(document);
    if (isOld && !(gesture && this.grid)) {
      this.compute();
      return;
    }
    if (isOld || !mapShown) this.forget();
    this.draw();
  }

  /** Computes what a drag has left waiting. */
  settle() {
    if (this.app.mapShown && !this.key && !this.app.gesture) this.compute();
  }

  forget() {
    this.job?.stop();
    this.job = null;
    this.key = null;
    this.rows = [];
  }

  keyOf(document) {
    const pause = variedPause(document);
    return JSON.stringify([cellDocument(pause, 0, 1), this.size]);
  }

  get size() {
    const wide = this.host.clientWidth >= TALL_BELOW;
    return gridSize({ wide, low: window.innerHeight <= LOW_WINDOW });
  }

  /** Leads to the map, with as much of the picture above it as there is room for. */
  reveal() {
    const picture = this.picture.getBoundingClientRect();
    const map = this.host.getBoundingClientRect();
    const least = Math.min(map.bottom, map.top + GLIMPSE) - window.innerHeight;
    const by = Math.max(least, Math.min(picture.top, map.bottom - window.innerHeight));
    window.scrollBy({ top: by, behavior: 'instant' });
    this.host.querySelector('[data-cell][tabindex="0"]').focus({ preventScroll: true });
  }

  /** Brings the picture into view where most of it is out of sight; the cell stays in sight. */
  showPicture(cell) {
    const { top, bottom, height } = this.picture.getBoundingClientRect();
    if (Math.min(bottom, window.innerHeight) - Math.max(top, 0) > height * MOST_SEEN) return;
    const by = Math.max(top, cell.getBoundingClientRect().bottom + 8 - window.innerHeight);
    window.scrollBy({ top: by, behavior: 'instant' });
  }

  async compute() {
    this.job?.stop();
    const { document } = this.app;
    this.key = this.keyOf(document);
    const { size } = this;
    this.grid = gridOf(document, size);
    this.rows = [];
    this.share = 0;
    this.error = '';
    const job = work({ task: 'map', document, size }, ({ row, cells, share }) => {
      if (job !== this.job) return;
      this.rows[row] = cells;
      this.share = share;
      this.draw();
    });
    this.job = job;
    this.draw();
    try {
      await job.done;
    } catch (error) {
      this.error = error.message;
    }
    if (job !== this.job) return;
    this.job = null;
    this.draw();
  }

  open(row, column, cell) {
    const { app } = this;
    const { starts, lengths } = this.grid;
    app.edit(cellDocument(variedPause(app.document), starts[column], lengths[row]));
    this.showPicture(cell);
  }

  walk(event) {
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const move = moves[event.key];
    const cell = event.target.closest('[data-cell]');
    if (!move || !cell) return;
    event.preventDefault();
    const [row, column] = cell.dataset.cell.split(' ').map(Number);
    const next = this.host.querySelector(`[data-cell="${row + move[0]} ${column + move[1]}"]`);
    if (!next) return;
    this.cursor = [row + move[0], column + move[1]];
    this.draw();
    next.focus();
  }

  cell(row, column, start, length) {
    const outcome = this.rows[row]?.[column];
    const place = `${row} ${column}`;
    const here = place === this.current?.join(' ');
    const isStop = place === this.cursor.join(' ');
    const text = outcome ? OUTCOMES[outcome].text : 'not computed yet';
    const name = `Pause from ${seconds(start)} s for ${seconds(length)} s: ${text}`;
    return html`<td role="gridcell">
      <button
        type="button"
        class="cell ${outcome ?? 'waiting'}"
        data-cell=${place}
        tabindex=${isStop ? 0 : -1}
        aria-label=${name}
        title=${name}
        aria-current=${here ? 'true' : nothing}
        @click=${(event) => this.open(row, column, event.currentTarget)}
      >
        ${outcome ? OUTCOMES[outcome].sign : nothing}
      </button>
    </td>`;
  }

  /** Finds the cell of the pause as it is now; when that is another one, Tab leads to it. */
  findCurrent({ starts, lengths }) {
    const { document } = this.app;
    const pause = variedPause(document);
    const fault = pause.document.faults[pause.index];
    const near = (list, value, tolerance) =>
      list.findIndex((one) => Math.abs(one - value) <= tolerance);
    const column = near(starts, fault.from, (starts[1] - starts[0]) / 2);
    const row = near(lengths, fault.to - fault.from, (lengths[0] - lengths[1]) / 2);
    const current = row < 0 || column < 0 ? null : [row, column];
    if (current && current.join(' ') !== this.current?.join(' ')) this.cursor = current;
    this.current = current;
    const [down, across] = this.cursor;
    if (down >= lengths.length || across >= starts.length) this.cursor = [0, 0];
  }

  draw() {
    if (!this.app.mapShown) {
      render(nothing, this.host);
      return;
    }
    const { starts, lengths } = this.grid;
    const { node } = variedPause(this.app.document);
    this.findCurrent(this.grid);
    const row = (length, index) =>
      html`<tr role="row">
        <th scope="row" role="rowheader">${seconds(length)} s</th>
        ${starts.map((start, column) => this.cell(index, column, start, length))}
      </tr>`;
    const foot = starts.map((start, index) =>
      index % 4 === 0 ? html`<td colspan="4" class="foot">${seconds(start)} s</td>` : nothing,
    );
    render(
      html`<div class="map">
        <p>What becomes of the run when ${node} pauses. A cell opens its schedule.</p>
        <div class="grid">
          <p class="axis-title" aria-hidden="true">pause lasts</p>
          <table role="grid" aria-label="Map of pauses">
            <tbody>
              ${lengths.map(row)}
            </tbody>
            <tfoot aria-hidden="true">
              <tr>
                <th></th>
                ${foot}
              </tr>
            </tfoot>
          </table>
          <p class="axis-title across" aria-hidden="true">pause starts at</p>
        </div>
        <ul class="key">
          ${outcomesShown(this.rows).map((name) => {
            const { sign, text } = OUTCOMES[name];
            return html`<li>
              <span class="cell ${name}" aria-hidden="true">${sign}</span>${text}
            </li>`;
          })}
        </ul>
        ${this.error ? html`<p class="error" role="alert">${this.error}</p>` : nothing}
        ${
          this.job
            ? html`<p class="working">
                <progress max="1" .value=${this.share} aria-label="Map computed"></progress>
                <button type="button" @click=${() => this.stop()}>Stop</button>
              </p>`
            : nothing
        }
      </div>`,
      this.host,
    );
  }

  stop() {
    this.job?.stop();
    this.job = null;
    this.draw();
  }
}
