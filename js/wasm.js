// The core: lock service, fenced storage and lease holder.

import base64 from 'fencelock.wasm';
import { moduleLoader } from './loader.js';

export const { loadCore, init, textAt, trapped } = moduleLoader(base64);
