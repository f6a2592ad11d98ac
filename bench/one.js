// Runs one load on one implementation, in a process of its own, and prints the number it gives.
// node --expose-gc bench/one.js ours|plain LOAD LIVE OPERATIONS

import * as ours from 'fencelock';
import { loads } from './loads.js';
import { PlainFencedStorage, PlainLockService } from './plain.js';

const [implementation, load, live, operations] = process.argv.slice(2);
const classes =
  implementation === 'ours'
    ? ours
    : { LockService: PlainLockService, FencedStorage: PlainFencedStorage };
console.log(loads[load](classes, Number(live), Number(operations)));
