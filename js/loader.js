// Loads a WebAssembly module of the C core.

import { FencelockError } from './errors.js';

/**
 * Looks after the one instance of a module in a process: a service or a storage is an argument.
 */
export function moduleLoader(base64) {
  let core; // the instance's exports, and views of its memory
  let compiling;

  /** The core, ready for use; made at the first call, synchronously. */
  function loadCore() {
    if (core !== undefined) return core;
    let module;
    try {
      module = new WebAssembly.Module(bytesOf(base64));
    } catch (error) {
      throw notCompiled(error);
    }
    return start(module);
  }

  /** Compiles the core off the main thread. Never needed, but kind to a page's first frames. */
  async function init() {
    if (core !== undefined) return;
    compiling ??= WebAssembly.compile(bytesOf(base64));
    try {
      const module = await compiling;
      if (core === undefined) start(module);
    } catch (error) {
      throw notCompiled(error);
    } finally {
      compiling = undefined;
    }
  }

  function start(module) {
    const env = { emscripten_notify_memory_growth: lookAgain };
    const { exports } = new WebAssembly.Instance(module, { env });
    exports._initialize?.();
    core = { ...exports, bytes: null, results: null };
    lookAgain();
    return core;
  }

  // Views of the memory go stale when it grows.
  function lookAgain() {
    if (core === undefined) return;
    core.bytes = new Uint8Array(core.memory.buffer);
    core.results = new Float64Array(core.memory.buffer, core.resultArea(), 8);
  }

  /** The NUL-terminated text at an address, which is ASCII. */
  function textAt(address) {
    const begin = address >>> 0;
    return String.fromCharCode(...core.bytes.subarray(begin, core.bytes.indexOf(0, begin)));
  }

  /**
   * What to throw for an error that came out of a call into the core. A trap leaves the core in an
   * unknown state, so from then on every call fails with it, and frees nothing. Anything else, like
   * an overflow of the stack, is the caller's; where it cut a call off, the next one traps.
   */
  function trapped(error) {
    if (!(error instanceof WebAssembly.RuntimeError)) return error;
    const assertion = core.failedAssertion();
    const reason = assertion === 0 ? error.message : textAt(assertion);
    const message = `the core stopped, and can't be used any more in this process: ${reason}`;
    const fail = () => {
      throw new FencelockError('INTERNAL', message, { cause: error });
    };
    for (const [name, value] of Object.entries(core)) {
      if (typeof value === 'function') core[name] = name.startsWith('free') ? () => {} : fail;
    }
    return new FencelockError('INTERNAL', message, { cause: error });
  }

  return { loadCore, init, textAt, trapped };
}

function notCompiled(error) {
  if (!(error instanceof WebAssembly.CompileError)) return error;
  const hint = "a Content-Security-Policy must allow 'wasm-unsafe-eval' for scripts";
  const message = `WebAssembly can't be compiled here (${hint}): ${error.message}`;
  return new FencelockError('NO_WEBASSEMBLY', message, { cause: error });
}

function bytesOf(base64) {
  if (typeof Uint8Array.fromBase64 === 'function') return Uint8Array.fromBase64(base64);
  if (globalThis.Buffer !== undefined) return globalThis.Buffer.from(base64, 'base64');
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
