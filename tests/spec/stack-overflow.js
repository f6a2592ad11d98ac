// A program for memory.test.js: takes locks where the stack is all but full, so that some calls are
// cut off in the core's middle. Prints what became of the locks it was granted.

import { FakeClock, LockService } from 'fencelock';

const OPERATIONS_A_DESCENT = 600;
const DESCENTS = 60;

const locks = new LockService(new FakeClock());
const granted = new Map();
let count = 0;
let left;

function takeOne() {
  const name = `a name with more than fifteen bytes ${count++}${'x'.repeat((count % 100) * 30)}`;
  try {
    granted.set(name, locks.acquire(name, `client ${count % 1000}`));
  } catch {
    // That the stack is full is the caller's; whether the core noticed is looked at below.
  }
}

function descend(a, b) {
  const sum = a + b;
  try {
    descend(b, sum);
  } catch (error) {
    if (left-- > 0) takeOne();
    throw error;
  }
  return sum;
}

takeOne();
for (let descent = 0; descent < DESCENTS; descent += 1) {
  left = OPERATIONS_A_DESCENT;
  try {
    descend(1, 2);
  } catch {
    // as intended
  }
}
try {
  const lost = [...granted].filter(([name, token]) => locks.inspect(name)?.token !== token);
  console.log(lost.length === 0 && locks.size >= granted.size ? 'kept' : `lost ${lost.length}`);
} catch (error) {
  console.log(error.code);
}
