// The script that holds the core: for the page, which finds it in a global, and for its worker.

import * as simulator from '../js/simulator.js';
import { listenAsWorker } from './work.js';

globalThis.fencelockCore = simulator;
if (typeof document === 'undefined') listenAsWorker(globalThis);
