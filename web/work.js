// The work that is too long for the page itself, as done in a worker: each task is a generator that
// yields what is to be told on the way.

import { simulate } from '../js/simulator.js';
import { readFile } from './open.js';
import { runOf } from './run.js';
import { cellDocument, gridOf, outcomeOf, variedPause } from './view/map.js';

const PIECE = 1000;

/** Tells a trace piece by piece, so that taking it in does not hold up the page. */
function* pieces(trace) {
  const { events, ...about } = trace;
  yield { about };
  for (let i = 0; i < events.length; i += PIECE) {
    yield { events: events.slice(i, i + PIECE), share: Math.min(1, (i + PIECE) / events.length) };
  }
}

function* run({ document }) {
  yield* pieces(simulate(document));
}

function* open({ text }) {
  const read = yield* readFile(text, PIECE);
  if (!read.scenario) return;
  yield { scenario: read.scenario };
  yield* pieces(simulate(read.scenario));
}

function* map({ document }) {
  const pause = variedPause(document);
  const { starts, lengths } = gridOf(document);
  for (const [row, length] of lengths.entries()) {
    const cells = starts.map((start) =>
      outcomeOf(runOf(simulate(cellDocument(pause, start, length)))),
    );
    yield { row, cells, share: (row + 1) / lengths.length };
  }
}

const TASKS = { run, open, map };

/** Answers the page, when this script runs as its worker. */
export function listenAsWorker(scope) {
  scope.onmessage = ({ data }) => {
    try {
      for (const told of TASKS[data.task](data)) scope.postMessage(told);
      scope.postMessage({ done: true });
    } catch (error) {
      const { message, code, line, field } = error;
      scope.postMessage({ error: { message, code, line, field } });
    }
  };
}
