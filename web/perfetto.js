// A run in the trace-event format that Perfetto and Chrome's tracing open: a thread a node, slices
// for what lasts, arrows for messages, instants for the rest.

const PROCESS = 1;
const microseconds = (time) => Math.round(time * 1e6);
const LASTING = new Set([
  'acquire',
  'trust',
  'pause',
  'suspend',
  'crash',
  'work',
  'send',
  'deliver',
]);

/** The events of the file, one by one. */
function* traceEvents(model) {
  const threads = new Map(model.nodes.map((node, index) => [node.name, index + 1]));
  const at = (node, time) => ({ pid: PROCESS, tid: threads.get(node), ts: microseconds(time) });
  const slice = (node, name, from, to, args = {}) => ({
    ...at(node, from),
    ph: 'X',
    dur: microseconds(to) - microseconds(from),
    name,
    args,
  });
  yield { pid: PROCESS, ph: 'M', name: 'process_name', args: { name: 'fencelock' } };
  for (const [name, tid] of threads) {
    yield { pid: PROCESS, tid, ph: 'M', name: 'thread_name', args: { name } };
    yield { pid: PROCESS, tid, ph: 'M', name: 'thread_sort_index', args: { sort_index: tid } };
  }
  for (const { lock, client, token, from, to } of model.leases) {
    const name = `lease ${token ?? ''} of ${client}`.replace('  ', ' ');
    yield slice('lock service', name, from, to, { lock, token });
  }
  for (const { client, token, from, to } of model.beliefs) {
    yield slice(client, `believes it holds ${token ?? 'the lock'}`, from, to, { token });
  }
  for (const { kind, node, from, to } of model.absences) yield slice(node, kind, from, to);
  for (const { client, from, to } of model.works) yield slice(client, 'work', from, to);
  for (const [id, message] of model.messages.entries()) {
    if (message.lost) continue;
    const name = `${message.operation}${message.reply ? ' answer' : ''}`;
    const flow = { name, cat: 'message', id };
    yield slice(message.from, `send ${name}`, message.sent, message.sent);
    yield { ...at(message.from, message.sent), ...flow, ph: 's' };
    yield slice(message.to, `receive ${name}`, message.arrives, message.arrives);
    yield { ...at(message.to, message.arrives), ...flow, ph: 'f', bp: 'e' };
  }
  for (const event of model.events) {
    if (LASTING.has(event.kind) && event.outcome !== 'refused') continue;
    if (!threads.has(event.node)) continue;
    const { kind, node, time, ...args } = event;
    const name = args.outcome ? `${kind} ${args.outcome}` : kind;
    yield { ...at(node, time), ph: 'i', s: 't', name, args };
  }
}

/** The text of the file, piece by piece. */
export function* perfettoText(model) {
  let before = '{"displayTimeUnit":"ms","traceEvents":[';
  for (const event of traceEvents(model)) {
    yield `${before}${JSON.stringify(event)}`;
    before = ',\n';
  }
  yield ']}\n';
}

/** The events, one a line. */
export function* lines(events) {
  for (const event of events) yield `${JSON.stringify(event)}\n`;
}
