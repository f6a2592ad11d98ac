// Edits of a scenario document: each takes a document and gives another, or the same one when
// nothing would change. Times are rounded to the hundredth that a person means.

export const round = (seconds) => Math.round(seconds * 100) / 100;

const replaced = (list, index, changes) =>
  list.map((one, i) => (i === index ? { ...one, ...changes } : one));

export function withFault(document, index, changes) {
  return { ...document, faults: replaced(document.faults ?? [], index, changes) };
}

export function withoutFault(document, index) {
  return { ...document, faults: (document.faults ?? []).filter((_, i) => i !== index) };
}

export function withNewFault(document, fault) {
  return { ...document, faults: [...(document.faults ?? []), fault] };
}

export function withClient(document, index, changes) {
  return { ...document, clients: replaced(document.clients, index, changes) };
}

export const withLease = (document, lease) => ({
  ...document,
  lease: Math.max(0.01, round(lease)),
});

/** Moves the beginning of a span, which stays at least a hundredth long. */
export function withStart(document, index, from) {
  const fault = document.faults[index];
  return withFault(document, index, { from: Math.max(0, Math.min(round(from), fault.to - 0.01)) });
}

export function withEnd(document, index, to) {
  const fault = document.faults[index];
  return withFault(document, index, { to: Math.max(round(to), round(fault.from + 0.01)) });
}

/** Moves a whole span. */
export function withMoved(document, index, from) {
  const fault = document.faults[index];
  const start = Math.max(0, round(from));
  return withFault(document, index, { from: start, to: round(start + fault.to - fault.from) });
}

export const withLength = (document, index, length) =>
  withEnd(document, index, document.faults[index].from + Math.max(0.01, length));
