// The command line checks histories: a file or standard input, each finding with its line.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLI, fencelock } from './command.js';

let folder;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'fencelock-check-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function trace(...parameters) {
  const file = join(folder, 'trace.jsonl');
  fencelock(['run', ...parameters, '--trace', file]);
  return file;
}

test('a trace of our own checks clean, and that is not called more than it is', () => {
  const { status, stdout, stderr } = fencelock(['check', trace('lesson')]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^Nothing found in \d+ events, by what they tell\.$/m);
  expect(stdout).toMatch(/^Judged:\n {2}I1: tokens rise/m);
  expect(stdout).toMatch(/^Not judged:\n/m);
  expect(stdout).not.toMatch(/prove|every invariant/i);
});

test('without fencing the fall of a token is found, with its line', () => {
  const file = trace('lesson', '--fencing', 'off');
  const { status, stdout } = fencelock(['check', file]);
  expect(status).toBe(1);
  const [, line] =
    /^line (\d+): I2 is broken at 16\.\d+ s: the file accepted token 33 of client 1 after token 34$/m.exec(
      stdout,
    );
  const event = JSON.parse(readFileSync(file, 'utf8').split('\n')[line - 1]);
  expect(event).toMatchObject({ kind: 'write', token: 33, outcome: 'accepted', stale: true });
  expect(stdout).toMatch(/^1 violation in /m);
});

test('standard input, in small parts and with blank lines', () => {
  const text = readFileSync('tests/history/redlock.jsonl', 'utf8');
  const { status, stdout } = fencelock(['check', '-'], text);
  expect(status).toBe(1);
  expect(stdout).toMatch(/^line 5: I1 is broken at 1753142403\.1 s: invoices was granted/m);
  expect(stdout).toMatch(/^line 6: I4 is broken/m);
  const command = `while read -r line; do printf '%s\\n' "$line"; done < tests/history/redlock.jsonl`;
  const slow = spawnSync('sh', ['-c', `${command} | "${process.execPath}" ${CLI} check -`], {
    encoding: 'utf8',
  });
  expect(slow.stdout).toBe(stdout);
});

test('--json prints one object', () => {
  const { status, stdout } = fencelock(['check', 'tests/history/stale-write.jsonl', '--json']);
  expect(status).toBe(1);
  const { violations, violationCount, judged } = JSON.parse(stdout);
  expect(violations).toMatchObject([{ invariant: 'I2', line: 4, sequence: 3 }]);
  expect(violationCount).toBe(1);
  expect(judged).toMatchObject({ events: 5, writes: 3, fencing: null });
});

test('--fencing and --tolerance say what is known', () => {
  const write = (time) => ({
    ...{ time, node: 'db', kind: 'write', peer: 'A', key: 'K', token: 1, outcome: 'accepted' },
  });
  const twice = `${JSON.stringify(write(1))}\n${JSON.stringify(write(2))}\n`;
  expect(fencelock(['check', '-'], twice).status).toBe(0);
  expect(fencelock(['check', '-', '--fencing', 'above'], twice).stdout).toMatch(
    'line 2: R11 is broken at 2 s',
  );
  const redlock = readFileSync('tests/history/redlock.jsonl', 'utf8');
  expect(fencelock(['check', '-', '--tolerance', '8'], redlock).status).toBe(0);
});

test('a long list is cut, and counted', () => {
  const lines = Array.from({ length: 1500 }, (_, i) =>
    JSON.stringify({
      ...{ time: i, node: 'db', kind: 'write', peer: 'A', key: 'K' },
      ...{ token: 2000 - i, outcome: 'accepted' },
    }),
  );
  const { stdout } = fencelock(['check', '-'], lines.join('\n'));
  expect(stdout.match(/^line \d+: I2/gm)).toHaveLength(1000);
  expect(stdout).toMatch(/^\.\.\. and 499 more\.$/m);
  expect(stdout).toMatch(/^1,499 violations in 1,500 events/m);
});

test('an endless text that is no history ends at once', () => {
  const command = `yes '# comment' | "${process.execPath}" ${CLI} check -`;
  const { status, stderr } = spawnSync('sh', ['-c', command], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(status).toBe(2);
  expect(stderr).toMatch(/line 1: not JSON/);
});

test('what a terminal takes for a command does not reach it by an error either', () => {
  const { status, stderr } = fencelock(['check', 'no-\u009b31m-\u001b[31m']);
  expect(status).toBe(2);
  expect(stderr).toMatch('no-\ufffd31m-\ufffd[31m');
  // eslint-disable-next-line no-control-regex
  expect(stderr).not.toMatch(/[\u001b\u009b]/);
});

test('a file that can’t be looked at is an error like any other', () => {
  const loop = join(folder, 'loop');
  symlinkSync('loop', loop);
  const { status, stderr } = fencelock(['check', loop]);
  expect(status).toBe(2);
  expect(stderr).toMatch(/can't read .*ELOOP/);
  expect(fencelock(['check', folder]).status).toBe(2);
});

test('a character that is cut off is read as such', () => {
  const event = '{"time":1,"node":"A","kind":"start"}\n';
  const { status, stderr } = fencelock(
    ['check', '-'],
    Buffer.concat([Buffer.from(event), Buffer.from([0xe2, 0x82])]),
  );
  expect(status).toBe(2);
  expect(stderr).toMatch(/line 2: not JSON/);
});

describe('what can’t be read ends with 2, and says where', () => {
  const good = '{"time":1,"node":"A","kind":"start"}';
  test.each([
    [
      ['-'],
      `${good}\n\n{"time":"soon","node":"A","kind":"x"}`,
      /line 3, field "time": expected a fin/,
    ],
    [['-'], `${good}\n{"time":`, /line 2: not JSON: it goes wrong at the end/],
    [['-'], `${good}\n{"time":0,"node":"A","kind":"x"}`, /line 2, field "time": 0 is before 1/],
    [['-'], `[${good},{"time":1}]`, /event 2, field "node": is missing/],
    [['-'], '', /The file is empty/],
    [['-'], '[]', /The history is empty/],
    [['-'], `# a comment\n${good}`, /line 1: not JSON/],
    [['-'], `{"time":1,"node":"A","kind":"\u009b31m",\n`, /not JSON/],
    [['package.json'], '', /package.json is no history, but one document/],
    [['no-such-file'], '', /can't read no-such-file: ENOENT/],
    [[], '', /check what\?/],
    [['a', 'b'], '', /check what\?/],
    [['-', '--fencing', 'maybe'], good, /fencing: expected at-least or above or off, got "maybe"/],
    [['-', '--tolerance', 'much'], good, /--tolerance: expected seconds, at least 0, got "much"/],
    [['-', '--tolerance', ''], good, /--tolerance: expected seconds/],
  ])('%j %j', (parameters, input, message) => {
    const { status, stdout, stderr } = fencelock(['check', ...parameters], input);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^ +at /m);
  });
});
