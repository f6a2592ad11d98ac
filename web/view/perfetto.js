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

/** @returns {{ traceEvents: object[], displayTimeUnit: string }} */
export function toPerfetto(model) {
  const threads = new Map(model.nodes.map((node, index) => [node.name, index + 1]));
  const at = (node, time) => ({ pid: PROCESS, tid: threads.get(node), ts: microseconds(time) });
  const slice = (node, name, from, to, args = {}) => ({
    ...at(node, from),
    ph: 'X',
    dur: microseconds(to) - microseconds(from),
    name,
    args,
  });
  const events = [{ pid: PROCESS, ph: 'M', name: 'process_name', args: { name: 'fencelock' } }];
  for (const [name, tid] of threads) {
    events.push({ pid: PROCESS, tid, ph: 'M', name: 'thread_name', args: { name } });
    events.push({
      pid: PROCESS,
      tid,
      ph: 'M',
      name: 'thread_sort_index',
      args: { sort_index: tid },
    });
  }
  for (const { lock, client, token, from, to } of model.leases) {
    const name = `lease ${token ?? ''} of ${client}`.replace('  ', ' ');
    events.push(slice('lock service', name, from, to, { lock, token }));
  }
  for (const { client, token, from, to } of model.beliefs) {
    events.push(slice(client, `believes it holds ${token ?? 'the lock'}`, from, to, { token }));
  }
  for (const { kind, node, from, to } of model.absences) events.push(slice(node, kind, from, to));
  for (const { client, from, to } of model.works) events.push(slice(client, 'work', from, to));
  for (const [id, message] of model.messages.entries()) {
    if (message.lost) continue;
    const name = `${message.operation}${message.reply ? ' answer' : ''}`;
    const flow = { name, cat: 'message', id };
    events.push(slice(message.from, `send ${name}`, message.sent, message.sent));
    events.push({ ...at(message.from, message.sent), ...flow, ph: 's' });
    events.push(slice(message.to, `receive ${name}`, message.arrives, message.arrives));
    events.push({ ...at(message.to, message.arrives), ...flow, ph: 'f', bp: 'e' });
  }
  for (const event of model.events) {
    if (LASTING.has(event.kind) && event.outcome !== 'refused') continue;
    if (!threads.has(event.node)) continue;
    const { kind, node, time, ...args } = event;
    const name = args.outcome ? `${kind} ${args.outcome}` : kind;
    events.push({ ...at(node, time), ph: 'i', s: 't', name, args });
  }
  return { traceEvents: events, displayTimeUnit: 'ms' };
}

/** The events, one a line. */
export const toLines = (events) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
