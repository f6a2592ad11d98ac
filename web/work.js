// The work that is too long for the page itself, as done in a worker: each task is a generator that
// yields what is to be told on the way.

import { HistoryChecker, simulate } from '../js/simulator.js';
import { FileError, readFile } from './open.js';
import { runOf } from './run.js';
import { lineOfPath } from './locate.js';
import { cellDocument, gridOf, outcomeOf, variedPause } from './view/map.js';

const PIECE = 1000;
const VIOLATIONS_MAX = 100_000; // that are shown of a history

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

function* open({ file }) {
  const text = new globalThis.FileReaderSync().readAsText(file);
  const read = yield* readFile(text, new HistoryChecker({ limit: VIOLATIONS_MAX }));
  if (!read.scenario) {
    yield* pieces(read);
    return;
  }
  try {
    const trace = simulate(read.scenario);
    yield { scenario: read.scenario };
    yield* pieces(trace);
  } catch (error) {
    const path = /^([\w.[\]]+): /.exec(error.message)?.[1];
    if (error.code !== 'INVALID_SCENARIO' || path === undefined) throw error;
    const what = error.message.slice(path.length + 2);
    throw new FileError(lineOfPath(text, path), path, what);
  }
}

function* map({ document, size }) {
  const pause = variedPause(document);
  const { starts, lengths } = gridOf(document, size);
  for (const [row, length] of lengths.entries()) {
    const cells = starts.map((start) =>
      outcomeOf(runOf(simulate(cellDocument(pause, start, length)))),
    );
    yield { row, cells, share: (row + 1) / lengths.length };
  }
}

const TASKS = { run, open, map };

/**
 * Answers the page, when this script runs as its worker. After each piece of a trace it waits to be
 * asked for more, so that the page has time for what is more urgent.
 */
export function listenAsWorker(scope) {
  let doing;
  const goOn = () => {
    for (;;) {
      const { value, done } = doing.next();
      if (done) return scope.postMessage({ done: true });
      scope.postMessage(value);
      if (value.events) return undefined;
    }
  };
  scope.onmessage = ({ data }) => {
    if (data.task) doing = TASKS[data.task](data);
    try {
      goOn();
    } catch (error) {
      const { message, code, line, field } = error;
      scope.postMessage({ error: { message, code, line, field } });
    }
  };
}
