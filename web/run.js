// One run of the core, with what the page reads out of its trace. It can be taken in piece by
// piece, so that a long one does not hold up the page.

import { Reader } from './view/model.js';
import { createInstants } from './view/instant.js';
import { tellStory, verdict } from './view/story.js';

export class RunBuilder {
  /** @param {{ scenario?: object, endTime?: number, violations?: object[], hash?: string }} about */
  constructor(about) {
    this.about = about;
    this.reader = new Reader(about);
  }

  add(events) {
    for (const event of events) this.reader.add(event);
  }

  finish() {
    const model = this.reader.finish();
    return {
      trace: { ...this.about, events: model.events, endTime: model.endTime },
      model,
      instants: createInstants(model),
      story: tellStory(model),
      verdict: verdict(model),
    };
  }
}

export function runOf(trace) {
  const { events, ...about } = trace;
  const builder = new RunBuilder(about);
  builder.add(events);
  return builder.finish();
}
