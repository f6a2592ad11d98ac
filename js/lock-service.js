// The lock service (R1 to R8): checks what it is given, and asks the core.

import { checkClock } from './clocks.js';
import { disposed, FencelockError, outOfMemory, outOfRange, wrongType } from './errors.js';
import { checkName, hashKey, pack, unpack, words } from './names.js';
import { checkToken } from './tokens.js';
import { loadCore, textAt, trapped } from './wasm.js';

const REFUSED = 1;
const OUT_OF_MEMORY = 2;

// Client ids are remembered by number up to so many characters, each id counting as a few more than
// it has, then forgotten all at once: what a service keeps for clients of the past stays small.
const CLIENT_CHARACTERS_MAX = 65536;
const CLIENT_CHARACTERS_EACH = 48;

let core; // set by the first service that is made
const abandoned = new FinalizationRegistry((pointer) => {
  try {
    core.freeLockService(pointer);
  } catch (error) {
    trapped(error); // for the next call to tell: here nobody could catch it
  }
});

/** What to throw for a result that is neither OK nor REFUSED. */
function failure(result) {
  if (result === OUT_OF_MEMORY) return outOfMemory();
  const code = textAt(core.resultName(result));
  if (code !== 'TOKENS_EXHAUSTED') return new FencelockError('INTERNAL', `unexpected ${code}`);
  return new FencelockError(code, 'no token is left: the next one would pass 2^53 - 1');
}

export class LockService {
  #pointer;
  #clock;
  #leaseSeconds;
  #clients; // client id -> number; made when first needed
  #clientIds; // client number -> id
  #clientCharacters = 0;

  constructor(clock, leaseSeconds = 10, firstToken = 1) {
    checkClock(clock, 'clock');
    if (!(Number.isFinite(leaseSeconds) && leaseSeconds > 0)) {
      const expected = 'a finite number of seconds above 0';
      throw outOfRange('INVALID_LEASE', 'leaseSeconds', expected, leaseSeconds);
    }
    checkToken(firstToken, 'firstToken');
    core = loadCore();
    let pointer;
    try {
      pointer = core.newLockService(leaseSeconds, firstToken, ...hashKey());
    } catch (error) {
      throw trapped(error);
    }
    if (pointer === 0) throw outOfMemory();
    this.#pointer = pointer;
    this.#clock = clock;
    this.#leaseSeconds = leaseSeconds;
    abandoned.register(this, pointer, this);
  }

  acquire(name, clientId) {
    checkName(name, 'name');
    checkName(clientId, 'clientId');
    const now = this.#readClock();
    const client = this.#clientNumber(clientId);
    pack(core, name);
    let token;
    try {
      token = core.acquire(this.#pointer, now, words[0], words[1], words[2], words[3], client);
    } catch (error) {
      throw trapped(error);
    }
    if (token >= 0) return token;
    if (token === -REFUSED) return null;
    throw failure(-token);
  }

  renew(name, clientId, token) {
    return this.#withToken('renew', name, clientId, token);
  }

  release(name, clientId, token) {
    return this.#withToken('release', name, clientId, token);
  }

  holder(name) {
    checkName(name, 'name');
    const now = this.#readClock();
    pack(core, name);
    let client;
    try {
      client = core.holder(this.#pointer, now, words[0], words[1], words[2], words[3]);
    } catch (error) {
      throw trapped(error);
    }
    return this.#succeeded(client < 0 ? -client : 0) ? this.#clientId(client) : null;
  }

  inspect(name) {
    checkName(name, 'name');
    const now = this.#readClock();
    pack(core, name);
    let client;
    try {
      client = core.inspect(this.#pointer, now, words[0], words[1], words[2], words[3]);
    } catch (error) {
      throw trapped(error);
    }
    if (!this.#succeeded(client < 0 ? -client : 0)) return null;
    const [token, expiresAt] = core.results;
    return { clientId: this.#clientId(client), token, expiresAt };
  }

  get size() {
    const now = this.#readClock();
    try {
      return core.size(this.#pointer, now);
    } catch (error) {
      throw trapped(error);
    }
  }

  get nextToken() {
    if (this.#pointer === 0) throw disposed('LockService');
    try {
      return core.nextToken(this.#pointer);
    } catch (error) {
      throw trapped(error);
    }
  }

  get clock() {
    return this.#clock;
  }

  get leaseSeconds() {
    return this.#leaseSeconds;
  }

  dispose() {
    if (this.#pointer === 0) return;
    const pointer = this.#pointer;
    abandoned.unregister(this);
    this.#pointer = 0;
    this.#clients = undefined;
    this.#clientIds = undefined;
    try {
      core.freeLockService(pointer);
    } catch (error) {
      throw trapped(error);
    }
  }

  #withToken(operation, name, clientId, token) {
    checkName(name, 'name');
    checkName(clientId, 'clientId');
    checkToken(token);
    const now = this.#readClock();
    const client = this.#clientNumber(clientId);
    pack(core, name);
    let result;
    try {
      // Named calls, not core[operation]: an engine inlines those.
      result =
        operation === 'renew'
          ? core.renew(this.#pointer, now, words[0], words[1], words[2], words[3], client, token)
          : core.release(this.#pointer, now, words[0], words[1], words[2], words[3], client, token);
    } catch (error) {
      throw trapped(error);
    }
    return this.#succeeded(result);
  }

  // Once in every operation (R7), right after its arguments are checked. The clock is the caller's
  // code: it may use this very service, or dispose it, so nothing may be packed before.
  #readClock() {
    const now = this.#clock.now();
    if (typeof now !== 'number' || now - now !== 0) {
      throw wrongType('INVALID_TIME', 'clock.now()', 'a finite number of seconds', now);
    }
    if (this.#pointer === 0) throw disposed('LockService');
    return now;
  }

  #succeeded(result) {
    if (result === 0) return true;
    if (result === REFUSED) return false;
    throw failure(result);
  }

  #clientNumber(clientId) {
    return this.#clients?.get(clientId) ?? this.#newClientNumber(clientId);
  }

  #newClientNumber(clientId) {
    if (this.#clientCharacters > CLIENT_CHARACTERS_MAX) this.#forgetClients();
    pack(core, clientId);
    let client;
    try {
      client = core.client(this.#pointer, words[0], words[1], words[2], words[3]);
    } catch (error) {
      throw trapped(error);
    }
    if (client < 0) throw failure(-client);
    this.#clients ??= new Map();
    this.#clientIds ??= [];
    this.#clients.set(clientId, client);
    this.#clientIds[client] = clientId;
    this.#clientCharacters += clientId.length + CLIENT_CHARACTERS_EACH;
    return client;
  }

  #forgetClients() {
    try {
      core.forgetClients(this.#pointer);
    } catch (error) {
      throw trapped(error);
    }
    this.#clients.clear();
    this.#clientIds.length = 0;
    this.#clientCharacters = 0;
  }

  // The core knows ids that were forgotten here, for as long as they hold a lease.
  #clientId(client) {
    const known = this.#clientIds?.[client];
    if (known !== undefined) return known;
    let length;
    try {
      length = core.clientId(this.#pointer, client);
    } catch (error) {
      throw trapped(error);
    }
    const begin = core.results[0];
    return unpack(core.bytes.subarray(begin, begin + length));
  }
}

// Node 18 and older browsers have no Symbol.dispose; this is what compilers use there.
LockService.prototype[Symbol.dispose ?? Symbol.for('Symbol.dispose')] =
  LockService.prototype.dispose;
