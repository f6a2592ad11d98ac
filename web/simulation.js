// The simulator, as the page uses it. It is in a script of its own (core.js), loaded before this one,
// so that a worker can run that script alone.

export const { simulate, presets, suiteScenario, describe } = globalThis.fencelockCore;
