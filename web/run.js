// One run of the core, with what the page reads out of its trace. It can be taken in piece by
// piece, so that a long one does not hold up the page.

import { Reader } from './view/model.js';
import { Instants } from './view/instant.js';
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

  finish() {
    const model = this.reader.finish();
    return {
      trace: { ...this.about, events: model.events },
      model,
      instants: this.instants,
      story: tellStory(model),
      verdict: verdict(model),
    };
  }
}

/** The run of a trace; its picture ends no sooner than `atLeast`. */
export function runOf(trace, atLeast = 0) {
  const { events, ...about } = trace;
  const builder = new RunBuilder(about, atLeast);
  builder.add(events);
  return builder.finish();
}
