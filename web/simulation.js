// The simulator, as the page uses it. It is in a script of its own (core.js), loaded before this one,
// so that a worker can run that script alone.

const core = globalThis.fencelockCore;

export const { init, simulate, presets, suiteScenario, fromLink, toLink, describe } = core;
