// The command line, as a user runs it.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { presets, simulate, suiteScenario } from 'fencelock/simulator';
import { CLI, fencelock } from './command.js';

let folder;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'fencelock-cli-'))));
afterAll(() => rmSync(folder, { recursive: true }));

describe('help', () => {
  test('is printed when asked for, and with exit code 2 when nothing is', () => {
    expect(fencelock(['--help'])).toMatchObject({ status: 0, stderr: '' });
    expect(fencelock(['chaos', '--help']).stdout).toMatch('--seeds N');
    expect(fencelock([]).status).toBe(2);
  });

  test('the version is the package’s', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(fencelock(['--version']).stdout).toBe(`${version}\n`);
  });
});

describe('demo', () => {
  test('tells the lesson with fencing and without', () => {
    const { status, stdout } = fencelock(['demo']);
    expect(status).toBe(0);
    expect(stdout).toMatch('with token 33: 33 < 34.');
    expect(stdout.match(/CORRUPTED DATA/g)).toHaveLength(1);
  });
});

describe('run', () => {
  test.each(presets.map(({ name }) => name))('preset %s', (name) => {
    const { scenario } = presets.find((preset) => preset.name === name);
    const { violations, hash } = simulate(scenario);
    const { status, stdout } = fencelock(['run', name]);
    expect(status).toBe(violations.length > 0 ? 1 : 0);
    expect(stdout).toMatch(`trace ${hash}`);
  });

  test('a file, standard input and a link give the same trace as the preset', () => {
    const preset = fencelock(['run', 'unfenced']).stdout;
    const { scenario } = presets.find(({ name }) => name === 'unfenced');
    const file = join(folder, 'scenario.json');
    writeFileSync(file, JSON.stringify(scenario));
    expect(fencelock(['run', file]).stdout).toBe(preset);
    expect(fencelock(['run', '-'], JSON.stringify(scenario)).stdout).toBe(preset);
    expect(fencelock(['run', preset.trim().split('\n').at(-1)]).stdout).toBe(preset);
    expect(fencelock(['run', 'fencelock.html#preset=unfenced']).stdout).toBe(preset);
    expect(fencelock(['run', '#suite=drift&seed=5']).stdout).toBe(
      fencelock(['run', '--suite', 'drift', '--seed', '5']).stdout,
    );
  });

  test('--json prints one object, --trace the events as JSON lines', () => {
    const file = join(folder, 'trace.jsonl');
    const { status, stdout } = fencelock(['run', 'unfenced', '--json', '--trace', file]);
    const result = JSON.parse(stdout);
    expect(status).toBe(1);
    expect(result.violations[0].invariant).toBe('I2');
    const events = readFileSync(file, 'utf8').trim().split('\n').map(JSON.parse);
    expect(events).toHaveLength(result.events);
    expect(events.filter(({ stale }) => stale)).toHaveLength(1);
  });

  test('standard input may take its time', async () => {
    const { scenario } = presets.find(({ name }) => name === 'lesson');
    const child = spawn(process.execPath, [CLI, 'run', '-', '--json']);
    let printed = '';
    child.stdout.on('data', (data) => (printed += data));
    await sleep(500);
    child.stdin.end(`\ufeff${JSON.stringify(scenario)}`);
    const [status] = await once(child, 'close');
    expect(status).toBe(0);
    expect(JSON.parse(printed).traceHash).toBe(simulate(scenario).hash);
  });

  test('what --json prints can be run again', () => {
    const { stdout } = fencelock(['run', 'unfenced', '--json']);
    const again = JSON.parse(fencelock(['run', '-', '--json'], stdout).stdout);
    expect(again.traceHash).toBe(JSON.parse(stdout).traceHash);
  });

  test('a run that is cut off does not pass for a whole one', () => {
    const long = {
      version: 1,
      until: 1e6,
      clients: [{ cycles: 1e6, work: 0 }],
      network: { latency: [0, 0] },
    };
    const file = join(folder, 'long.json');
    writeFileSync(file, JSON.stringify(long));
    const command = `"${process.execPath}" ${CLI} run ${file} | tail -4`;
    const { stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    expect(stdout).toMatch(/^Cut off at [\d.]+ s/m);
    expect(stdout).toMatch('Every invariant held until then.');
    expect(JSON.parse(fencelock(['run', file, '--json']).stdout).truncated).toBe(true);
  });

  test('a reader that goes away ends it quietly', () => {
    const command = `"${process.execPath}" ${CLI} run partition --all | head -1`;
    const { stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stderr).toBe('');
  });

  test('a name can’t command the terminal', () => {
    const scenario = { version: 1, clients: [{ id: 'a\u001b[2Jb' }] };
    const { stdout } = fencelock(['run', '-', '--all'], JSON.stringify(scenario));
    expect(stdout).toMatch('a\ufffd[2Jb');
    expect(stdout).not.toMatch('\u001b');
  });

  test('--fencing and --seed change the scenario, --suite draws one', () => {
    expect(fencelock(['run', 'lesson', '--fencing', 'off']).status).toBe(1);
    const drawn = JSON.parse(
      fencelock(['run', '--suite', 'drift', '--seed', '5', '--json']).stdout,
    );
    expect(drawn.traceHash).toBe(simulate(suiteScenario('drift', 5)).hash);
  });
});

describe('chaos', () => {
  test('--json prints one object', () => {
    const { status, stdout } = fencelock(['chaos', '--suite', 'drift', '--seeds', '20', '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      suite: 'drift',
      seeds: 20,
      violations: 0,
      events: expect.any(Number),
      seconds: expect.any(Number),
      traceHash: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  });

  test('a failing seed comes with a shrunk scenario that fails, and a link to it', () => {
    const file = join(folder, 'a small one.json');
    const { status, stdout } = fencelock(['chaos', '--fencing', 'off', '--save', file]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^I2 is broken at /m);
    const small = JSON.parse(readFileSync(file, 'utf8'));
    expect(small.clients).toHaveLength(2);
    expect((small.faults ?? []).length).toBeLessThan(4);
    const [, replayed] = /^Replay it: +npx fencelock (run .*)$/m.exec(stdout);
    const again = spawnSync('sh', ['-c', `"${process.execPath}" ${CLI} ${replayed}`]);
    expect(again.stdout.toString()).toMatch('I2 is broken at');
    const quiet = join(folder, 'quiet.json');
    fencelock(['chaos', '--fencing', 'off', '--save', quiet, '--json']);
    expect(JSON.parse(readFileSync(quiet, 'utf8'))).toEqual(small);
    const link = stdout.trim().split('\n').at(-1);
    expect(fencelock(['run', link]).status).toBe(1);
  });

  test('progress is for terminals only', () => {
    expect(fencelock(['chaos', '--seeds', '300']).stderr).toBe('');
  });
});

describe('a wrong call says what to do, and exits with 2', () => {
  test.each([
    [['frobnicate'], 'no such command: frobnicate'],
    [['run'], 'run what?'],
    [['run', 'no-such-thing'], 'neither a file nor a preset "no-such-thing"'],
    [['run', 'lesson', 'unfenced'], 'one scenario at a time'],
    [['run', 'lesson', '--bogus'], "Unknown option '--bogus'"],
    [
      ['run', 'lesson', '--fencing', 'maybe'],
      'fencing: expected one of "at-least", "above", "off"',
    ],
    [['run', 'http://x/#scenario=eyJ'], 'This link is broken'],
    [['run', 'lesson', '--trace', '/no/such/folder/x'], "can't write /no/such/folder/x: ENOENT"],
    [['run', '#nonsense'], 'neither a file nor a preset'],
    [['run', '#preset=no-such-thing'], 'there is no preset "no-such-thing"'],
    [['run', '#suite=calm&seed=1'], 'suite: expected chaos or drift, got "calm"'],
    [['run', '--suite', 'drift', '--seed', '-1'], "'--seed"],
    [['chaos', '--seeds', '0'], '--seeds: expected a whole number of at least 1, got "0"'],
    [['chaos', '--suite', 'calm'], 'suite: expected chaos or drift, got "calm"'],
  ])('%j', (parameters, message) => {
    const { status, stdout, stderr } = fencelock(parameters);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  test('so does a broken document', () => {
    const broken = '{"version":1,"clients":[{"work":"long"}]}';
    const { status, stderr } = fencelock(['run', '-'], broken);
    expect(status).toBe(2);
    expect(stderr).toMatch(
      'clients[0].work: expected a number of seconds from 0 to 8388608, got "long"',
    );
    expect(fencelock(['run', '-'], '{').stderr).toMatch('- is not JSON');
  });
});

test('the file is executable', () => {
  expect(execFileSync(CLI, ['--help'], { encoding: 'utf8' })).toMatch('npx fencelock');
});
