export { FakeClock, systemClock } from './clocks.js';
export { FencelockError } from './errors.js';
export { FencedStorage } from './fenced-storage.js';
export { LockService } from './lock-service.js';
export { init } from './wasm.js';
export { hold, withLock } from './hold.js';
