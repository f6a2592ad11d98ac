// What is done in a worker, one job at a time: opening files, chosen or dropped on the page, and
// running documents that would hold up the page.

import { html, nothing } from 'lit-html';
import { RunBuilder } from '../run.js';
import { rest } from './rest.js';
import { work } from './worker.js';

const LARGEST = 256 * 1024 * 1024;

export class Jobs {
  constructor(app, draw) {
    this.app = app;
    this.draw = draw;
    document.addEventListener('dragover', (event) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    });
    document.addEventListener('drop', (event) => {
      const [file] = event.dataTransfer?.files ?? [];
      if (!file) return;
      event.preventDefault();
      this.open(file);
    });
  }

  async open(file) {
    const { app } = this;
    this.stop();
    if (file.size > LARGEST) {
      app.fail(`${file.name} is larger than 256 MiB.`);
      return;
    }
    const then = (run, document) => app.openRun(run, document, { file: file.name });
    await this.take(file.name, { task: 'open', file }, { then });
  }

  /** Runs a document that would hold up the page, and hands its run to `then`. */
  async run(document, atLeast, then, what) {
    await this.take('the scenario', { task: 'run', document }, { atLeast, then, what });
  }

  async take(name, task, { atLeast = 0, then, what = 'run' }) {
    const { app } = this;
    let builder = new RunBuilder({}, atLeast);
    let scenario = null;
    this.name = name;
    this.share = 0;
    const job = work(task, (told) => {
      if (told.scenario) scenario = told.scenario;
      if (told.about) builder = new RunBuilder(told.about, atLeast);
      if (told.events) builder.add(told.events);
      if (told.share) this.share = told.share;
      this.draw();
    });
    this.job = job;
    app.pending = what;
    this.draw();
    try {
      if ((await job.done) && (await this.finish(builder, job))) {
        this.stop();
        then(builder.run, scenario);
      }
    } catch (error) {
      app.fail(`${name}: ${error.message}`);
    }
    if (this.job === job) this.stop();
  }

  /** Finishes a long run with rests for the page; says whether it was not stopped meanwhile. */
  async finish(builder, job) {
    const pieces = builder.finishing();
    let isDone;
    do {
      isDone = pieces.next().done;
      await rest();
    } while (!isDone && this.job === job);
    return this.job === job;
  }

  stop() {
    this.job?.stop();
    this.job = null;
    this.app.pending = null;
    this.draw();
  }

  template() {
    if (!this.job) return nothing;
    return html`<p class="working">
      <span class="working-on">Working on ${this.name}</span>
      <progress max="1" value=${this.share || nothing} aria-label="Work done"></progress>
      <button type="button" @click=${() => this.app.giveUp()}>Stop</button>
    </p>`;
  }
}
