// Edits of a scenario document: each takes a document and gives another. Nothing here knows what
// comes of an edit; the core runs it.

/** Rid of the dust that subtraction leaves; a microsecond is below every clock tick shown. */
export const clean = (seconds) => Math.round(seconds * 1e6) / 1e6;

/** A time as it is dragged or typed: to the hundredth, as the clock shows it. */
export const rounded = (seconds) => Math.round(seconds * 100) / 100;

const SHORTEST = 0.01;

const replaced = (list, index, changes) =>
  list.map((one, i) => (i === index ? { ...one, ...changes } : one));

const faultsOf = (document) => document.faults ?? [];

export function withFault(document, index, changes) {
  return { ...document, faults: replaced(faultsOf(document), index, changes) };
}

export function withoutFault(document, index) {
  return { ...document, faults: faultsOf(document).filter((_, i) => i !== index) };
}

export function withNewFault(document, fault) {
  return { ...document, faults: [...faultsOf(document), fault] };
}

export function withClient(document, index, changes) {
  return { ...document, clients: replaced(document.clients, index, changes) };
}

/** A client's clock, changed; whoever has no clock in the document has a true one. */
export function withClock(document, index, changes) {
  const clock = { offset: 0, rate: 1, ...document.clients[index].clock, ...changes };
  return withClient(document, index, { clock });
}

export const withLease = (document, lease) => ({
  ...document,
  lease: Math.max(SHORTEST, rounded(lease)),
});

export const withHolder = (document, changes) => ({
  ...document,
  holder: { ...document.holder, ...changes },
});

export const withNetwork = (document, changes) => ({
  ...document,
  network: { ...document.network, ...changes },
});

// A fault that lasts has `from` and `to`; a crash has `at` and `restart`, which may be never.

const beginning = (fault) => fault.from ?? fault.at;
const ending = (fault) => fault.to ?? fault.restart ?? null;

const spanned = (fault, from, to) =>
  fault.kind === 'crash'
    ? { at: clean(from), restart: to === null ? null : clean(to) }
    : { from: clean(from), to: clean(to) };

/** Moves the beginning of a fault; what lasts stays at least a hundredth of a second long. */
export function withStart(document, index, from) {
  const fault = faultsOf(document)[index];
  const to = ending(fault);
  const latest = to === null ? Infinity : to - SHORTEST;
  return withFault(document, index, spanned(fault, Math.max(0, Math.min(from, latest)), to));
}

export function withEnd(document, index, to) {
  const fault = faultsOf(document)[index];
  const from = beginning(fault);
  return withFault(document, index, spanned(fault, from, Math.max(to, from + SHORTEST)));
}

/** Moves a whole fault; its length stays. */
export function withMoved(document, index, from) {
  const fault = faultsOf(document)[index];
  const start = Math.max(0, from);
  const to = ending(fault);
  const length = to === null ? null : to - beginning(fault);
  return withFault(document, index, spanned(fault, start, length === null ? null : start + length));
}

export function withLength(document, index, length) {
  const fault = faultsOf(document)[index];
  return withEnd(document, index, beginning(fault) + length);
}

export const startOf = beginning;
export const lengthOf = (fault) =>
  ending(fault) === null ? null : clean(ending(fault) - beginning(fault));

// Messages ------------------------------------------------------------------------------------

const delayAt = (document, message) =>
  faultsOf(document).findIndex((fault) => fault.kind === 'delay' && fault.message === message);

/** How much a message is delayed already. */
export function delayOf(document, message) {
  const index = delayAt(document, message);
  return index < 0 ? 0 : faultsOf(document)[index].by;
}

/** Delays a message by so long in all; by nothing, takes the delay away. */
export function withDelay(document, message, by) {
  const index = delayAt(document, message);
  const seconds = Math.max(0, rounded(by));
  if (index < 0) {
    return seconds === 0
      ? document
      : withNewFault(document, { kind: 'delay', message, by: seconds });
  }
  return seconds === 0
    ? withoutFault(document, index)
    : withFault(document, index, { by: seconds });
}
