// The fenced storage (R9 to R13): the core keeps the fence, the values stay here, by slot.

import { checkOptionNames, disposed, notCloneable, outOfMemory, wrongType } from './errors.js';
import { checkName, hashKey, pack, words } from './names.js';
import { checkToken } from './tokens.js';
import { loadCore, trapped } from './wasm.js';

const REFUSED = 1;
const RULES = ['at-least', 'above']; // in the order of the core's numbers

let core; // set by the first storage that is made
const abandoned = new FinalizationRegistry((pointer) => {
  try {
    core.freeFencedStorage(pointer);
  } catch (error) {
    trapped(error); // for the next call to tell: here nobody could catch it
  }
});

/** A copy that shares nothing with the value (R13). May run code of the value's own: getters. */
function copy(value) {
  if (typeof value === 'function') throw notCloneable('it is a function');
  if (typeof value === 'symbol') throw notCloneable('it is a symbol');
  if (typeof value !== 'object' || value === null) return value;
  let clone;
  try {
    clone = structuredClone(value);
  } catch (error) {
    if (error?.name === 'DataCloneError') throw notCloneable(error.message, error);
    throw error;
  }
  if (isShared(clone)) throw notCloneable('it, or a part of it, would be shared and not copied');
  return clone;
}

// Shared memory, and host objects such as Node's BlockList, are what structuredClone passes on instead
// of copying. The parts are told apart by their tags, since a test runner's classes may not be those
// of structuredClone.
function isShared(clone) {
  const parts = new Set([clone]);
  for (const part of parts) {
    const add = (item) => typeof item === 'object' && item !== null && parts.add(item);
    if (ArrayBuffer.isView(part)) {
      add(part.buffer);
      continue;
    }
    switch (Object.prototype.toString.call(part)) {
      case '[object SharedArrayBuffer]':
      case '[object WebAssembly.Memory]':
        return true;
      case '[object Map]':
        part.forEach((item, key) => [item, key].forEach(add));
        break;
      case '[object Set]':
        part.forEach(add);
        break;
      case '[object Error]':
        add(part.cause);
        break;
      default:
        if (isHostObject(part)) return true;
        Object.values(part).forEach(add);
    }
  }
  return false;
}

// A class instance loses its class in a clone; one that kept it was not cloned.
function isHostObject(part) {
  if (Object.prototype.toString.call(part) !== '[object Object]') return false;
  return Object.getPrototypeOf(Object.getPrototypeOf(part)) !== null;
}

export class FencedStorage {
  #pointer;
  #values = []; // by slot

  constructor(options = {}) {
    if (typeof options !== 'object' || options === null) {
      throw wrongType('INVALID_OPTIONS', 'options', 'an object', options);
    }
    checkOptionNames(options, ['rule']);
    const { rule = 'at-least' } = options;
    const ruleNumber = RULES.indexOf(rule);
    if (ruleNumber < 0) {
      throw wrongType('INVALID_OPTIONS', 'options.rule', "'at-least' or 'above'", rule);
    }
    core = loadCore();
    let pointer;
    try {
      pointer = core.newFencedStorage(ruleNumber, ...hashKey());
    } catch (error) {
      throw trapped(error);
    }
    if (pointer === 0) throw outOfMemory();
    this.#pointer = pointer;
    abandoned.register(this, pointer, this);
  }

  write(key, value, token) {
    checkName(key, 'key');
    checkToken(token);
    const stored = copy(value);
    this.#pack(key);
    let slot;
    try {
      slot = core.write(this.#pointer, words[0], words[1], words[2], words[3], token);
    } catch (error) {
      throw trapped(error);
    }
    if (slot === -REFUSED) return false;
    if (slot < 0) throw outOfMemory();
    while (this.#values.length < slot) this.#values.push(undefined); // fenced, never written
    this.#values[slot] = stored;
    return true;
  }

  read(key) {
    checkName(key, 'key');
    this.#pack(key);
    let slot;
    try {
      slot = core.read(this.#pointer, words[0], words[1], words[2], words[3]);
    } catch (error) {
      throw trapped(error);
    }
    if (slot < 0) return null;
    const value = this.#values[slot];
    return typeof value === 'object' && value !== null ? structuredClone(value) : value;
  }

  highestToken(key) {
    checkName(key, 'key');
    this.#pack(key);
    let token;
    try {
      token = core.highestToken(this.#pointer, words[0], words[1], words[2], words[3]);
    } catch (error) {
      throw trapped(error);
    }
    return token < 0 ? null : token;
  }

  fence(key, token) {
    checkName(key, 'key');
    checkToken(token);
    this.#pack(key);
    let result;
    try {
      result = core.fence(this.#pointer, words[0], words[1], words[2], words[3], token);
    } catch (error) {
      throw trapped(error);
    }
    if (result > REFUSED) throw outOfMemory();
    return result === 0;
  }

  dispose() {
    if (this.#pointer === 0) return;
    const pointer = this.#pointer;
    abandoned.unregister(this);
    this.#pointer = 0;
    this.#values = [];
    try {
      core.freeFencedStorage(pointer);
    } catch (error) {
      throw trapped(error);
    }
  }

  #pack(key) {
    if (this.#pointer === 0) throw disposed('FencedStorage');
    pack(core, key);
  }
}

// Node 18 and older browsers have no Symbol.dispose; this is what compilers use there.
FencedStorage.prototype[Symbol.dispose ?? Symbol.for('Symbol.dispose')] =
  FencedStorage.prototype.dispose;
