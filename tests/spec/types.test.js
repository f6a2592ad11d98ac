// The types name what the modules export, no more and no less.

import { readFileSync } from 'node:fs';
import * as index from 'fencelock';
import * as simulator from 'fencelock/simulator';

const DECLARED = /^export (?:declare )?(?:class|const|function) (\w+)/gm;
const PASSED_ON = /^export \{ ([\w, ]+) \} from/gm;

function declaredIn(file) {
  const text = readFileSync(file, 'utf8');
  const passedOn = [...text.matchAll(PASSED_ON)].flatMap(([, names]) => names.split(', '));
  return new Set([...text.matchAll(DECLARED)].map(([, name]) => name).concat(passedOn));
}

test.each([
  ['index', index],
  ['simulator', simulator],
])('%s', (name, module) => {
  expect([...declaredIn(`dist/${name}.d.ts`)].sort()).toEqual(Object.keys(module).sort());
});
