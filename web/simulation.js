// The simulator, as the page uses it. It is in a script of its own (core.js), loaded before this one,
// so that a worker can run that script alone.

const core = globalThis.fencelockCore;

export const { init, simulate, presets, suiteScenario, fromLink, toLink } = core;

/** One plain sentence for an event; those of other systems' histories need not be known to us. */
export function describe(event, trace) {
  try {
    return core.describe(event, trace);
  } catch {
    const { node, kind, peer, outcome, reason } = event;
    const more = [peer, outcome, reason].filter((one) => typeof one === 'string');
    return `${node}: ${kind}${more.length > 0 ? ` (${more.join(', ')})` : ''}.`;
  }
}
