// The simulator, with the core in it. It is a module of its own, so that a program which only locks
// does not carry it, and a simulation that stops leaves the program's locks alone.

import base64 from 'simulator.wasm';
import { moduleLoader } from './loader.js';

export const { loadCore, init, textAt, trapped } = moduleLoader(base64);
