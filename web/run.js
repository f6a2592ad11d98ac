// One run of the core, with what the page reads out of its trace. It can be taken in piece by
// piece, so that a long one does not hold up the page.

import { Reader } from './view/model.js';
import { Instants } from './view/instant.js';
import { findingsOf } from './view/judged.js';
import { tellStory, verdict } from './view/story.js';

export class RunBuilder {
  /** @param {{ scenario?: object, endTime?: number, violations?: object[], hash?: string }} about */
  constructor(about, atLeast = 0) {
    this.about = about;
    this.reader = new Reader(about, atLeast);
    const clients = about.scenario?.clients ?? [];
    this.instants = new Instants(clients.map((client) => client.id));
  }

  add(events) {
    for (const event of events) {
      this.reader.add(event);
      this.instants.add(event);
    }
  }

  /** Makes the run of what was added, piece by piece; `run` is it when no piece is left. */
  *finishing() {
    const model = this.reader.finish();
    yield;
    const story = tellStory(model);
    yield;
    const trace = { ...this.about, events: model.events };
    const findings = findingsOf(model);
    this.run = { trace, model, instants: this.instants, story, verdict: verdict(model), findings };
  }

  finish() {
    const pieces = this.finishing();
    while (!pieces.next().done);
    return this.run;
  }
}

/** The run of a trace; its picture ends no sooner than `atLeast`. */
export function runOf(trace, atLeast = 0) {
  const { events, ...about } = trace;
  const builder = new RunBuilder(about, atLeast);
  builder.add(events);
  return builder.finish();
}
