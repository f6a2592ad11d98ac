// Every action of the page at 360 pixels, in each of its ways; actions.js has the table.

import { testActions } from './matrix.js';

testActions(360);
