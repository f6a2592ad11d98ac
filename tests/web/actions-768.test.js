// Every action of the page at 768 pixels, in each of its ways; actions.js has the table.

import { testActions } from './matrix.js';

testActions(768);
