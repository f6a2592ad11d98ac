#!/usr/bin/env node
// The command line: runs scenarios and suites, and turns a failing seed into a small picture of why.
// It checks the histories of other systems too. Exit codes: 0 when every invariant held, 1 when one did
// not, 2 for any error.

import { createReadStream, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import process from 'node:process';
import { parseArgs } from 'node:util';

import {
  causes,
  explainFailure,
  fromLink,
  HistoryChecker,
  HistoryReader,
  linkOf,
  presets,
  runSuite,
  simulate,
  story,
  suiteScenario,
  whatWasJudged,
  withoutDefaults,
} from './simulator.js';

const USAGE = `fencelock: locks with fencing tokens, and a simulator that tries to break them

  npx fencelock demo                 the lesson, with fencing and without
  npx fencelock run WHAT             runs one scenario
  npx fencelock chaos                runs a suite of random schedules, checked against invariants
  npx fencelock check HISTORY        checks what some lock service, its clients and its storage did

WHAT is a preset (${presets.map(({ name }) => name).join(', ')}),
a JSON file, a link of the page, or - for JSON on standard input.

run
  --all            tells every event, messages too; else only what matters
  --fencing RULE   at-least, above or off, instead of the scenario's own
  --json           prints one object: the result, for programs
  --trace FILE     writes the events as JSON lines
  --suite NAME --seed N   instead of WHAT: the scenario that a suite draws from a seed

chaos
  --suite NAME     chaos: clients that stall and crash (the default); drift: holders that renew,
                   under skew, partitions, pauses and lost messages
  --seeds N        how many schedules (1000)
  --seed S         the first seed (1)
  --fencing RULE   at-least (the default), above or off
  --save FILE      writes the first failing schedule, shrunk, as a scenario
  --json           prints one object: seeds, violations, events, seconds, traceHash ...

check: HISTORY is a file of JSON lines as --trace writes them, or - for standard input
  --fencing RULE   the storage's rule: at-least, above or off (not known)
  --tolerance S    how exact times are, in seconds (0.001)
  --json           prints one object: violations, and what was judged

Exit code: 0 when every invariant held, 1 when one did not, 2 for a wrong call, a file that can't be
read, or any other error.`;

class UsageError extends Error {}

const OPTIONS = {
  demo: {},
  run: {
    all: { type: 'boolean' },
    fencing: { type: 'string' },
    json: { type: 'boolean' },
    trace: { type: 'string' },
    suite: { type: 'string' },
    seed: { type: 'string' },
  },
  chaos: {
    suite: { type: 'string', default: 'chaos' },
    seeds: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    fencing: { type: 'string', default: 'at-least' },
    save: { type: 'string' },
    json: { type: 'boolean' },
  },
  check: {
    fencing: { type: 'string' },
    tolerance: { type: 'string' },
    json: { type: 'boolean' },
  },
};

// Names may hold anything, and what a terminal takes for a command must not reach it.
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const harmless = (text) => text.replaceAll(CONTROL, '\ufffd');
const print = (line = '') => process.stdout.write(`${harmless(line)}\n`);
const printError = (line) => process.stderr.write(`${harmless(line)}\n`);
const isTerminal = process.stderr.isTTY === true;
const count = (number) => number.toLocaleString('en-US');
const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** A line that is written over, on a terminal only. */
function showProgress(line) {
  if (isTerminal) process.stderr.write(`\r\x1b[K${harmless(line)}`);
}

function wholeNumber(text, option, low) {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= low) return number;
  throw new UsageError(`--${option}: expected a whole number of at least ${low}, got "${text}"`);
}

// Scenarios --------------------------------------------------------------------------------------

async function readStandardInput() {
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const part of process.stdin) text += part;
  return text;
}

function readFile(source) {
  try {
    return readFileSync(source, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw new UsageError(`can't read ${source}: ${error.message}`);
    const names = presets.map(({ name }) => name).join(', ');
    throw new UsageError(`there is neither a file nor a preset "${source}" (presets: ${names})`);
  }
}

function writeFile(path, text) {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new UsageError(`can't write ${path}: ${error.message}`);
  }
}

function presetNamed(name) {
  return presets.find((preset) => preset.name === name)?.scenario;
}

/** The scenario in a link, or that a link names; undefined where the text is no link. */
function scenarioInLink(text) {
  if (!text.includes('#')) return undefined;
  let link;
  try {
    link = fromLink(text.slice(text.indexOf('#')));
  } catch (error) {
    throw new UsageError(error.message);
  }
  if (link === null || link.document !== undefined) return link?.document;
  if (link.suite !== undefined) return suiteScenario(link.suite, link.seed ?? 1);
  const scenario = presetNamed(link.preset);
  if (scenario === undefined) throw new UsageError(`there is no preset "${link.preset}"`);
  return scenario;
}

async function scenarioFrom(source) {
  const found = presetNamed(source) ?? scenarioInLink(source);
  if (found !== undefined) return found;
  const text = source === '-' ? await readStandardInput() : readFile(source);
  let document;
  try {
    document = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new UsageError(`${source} is not JSON: ${error.message}`);
  }
  // What `run --json` prints has the scenario in it.
  return document?.version === undefined && document?.scenario ? document.scenario : document;
}

async function chosenScenario(positionals, { suite, seed, fencing }) {
  if (positionals.length > 1) throw new UsageError(`one scenario at a time, not ${positionals}`);
  let scenario;
  if (suite !== undefined) {
    if (positionals.length > 0) throw new UsageError('either --suite or a scenario, not both');
    const number = wholeNumber(seed ?? '1', 'seed', 0);
    return suiteScenario(suite, number, fencing === undefined ? {} : { fencing });
  }
  if (positionals.length === 0) throw new UsageError('run what? A preset, a file, a link or -');
  scenario = await scenarioFrom(positionals[0]);
  if (fencing !== undefined) scenario = { ...scenario, fencing };
  if (seed !== undefined) scenario = { ...scenario, seed: wholeNumber(seed, 'seed', 0) };
  return scenario;
}

// The page lies beside this file.
const PAGE = `${new URL('fencelock.html', import.meta.url)}`;

// run --------------------------------------------------------------------------------------------

async function run(positionals, options) {
  const chosen = await chosenScenario(positionals, options);
  const began = performance.now();
  const trace = simulate(chosen);
  const seconds = (performance.now() - began) / 1000;
  const { violations, events, hash, truncated } = trace;
  if (options.trace !== undefined) {
    writeFile(options.trace, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  }
  if (options.json) {
    const { scenario } = trace;
    const result = { violations, events: events.length, truncated, seconds, traceHash: hash };
    print(JSON.stringify({ scenario, ...result }));
    return violations.length > 0 ? 1 : 0;
  }
  story(trace, options).forEach(print);
  print();
  if (truncated) print(`Cut off at ${trace.endTime} s, after as many events as a run may have.`);
  if (violations.length === 0) print(`Every invariant held${truncated ? ' until then' : ''}.`);
  causes(trace).forEach(print);
  print(`${plural(events.length, 'event')}, trace ${hash}. On the page:`);
  print(PAGE + linkOf(trace, withoutDefaults(trace.scenario)));
  return violations.length > 0 ? 1 : 0;
}

// chaos ------------------------------------------------------------------------------------------

function tellProgress({ suite, fencing, seeds, events, violations }, wanted, seconds) {
  const share = `${count(seeds)} of ${plural(wanted, 'seed')}`;
  const rate = `${count(Math.round(events / seconds))} events/s`;
  showProgress(`${suite}, ${fencing}: ${share}, ${rate}, ${plural(violations, 'violation')}`);
}

function faultTable(faults) {
  const width = Math.max(...faults.map(({ kind }) => kind.length));
  const row = (kind, injected, tookEffect) =>
    print(`  ${kind.padEnd(width)} ${injected.padStart(12)} ${tookEffect.padStart(12)}`);
  row('fault', 'injected', 'took effect');
  for (const { kind, injected, tookEffect } of faults) {
    if (injected > 0) row(kind, count(injected), count(tookEffect));
  }
}

/** A path as a shell takes it. */
function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Explains the first failing seed, and saves it shrunk where that was asked for. */
function explain({ suite, fencing, firstFailingSeed }, { save }) {
  const onProgress = ({ runs, clients, faults }) => {
    const size = `${plural(clients, 'client')}, ${plural(faults, 'fault')}`;
    showProgress(`shrinking: ${plural(runs, 'run')}, ${size}`);
  };
  const command = save === undefined ? undefined : `npx fencelock run ${shellWord(save)}`;
  const options = { fencing, page: PAGE, command, onProgress };
  const { scenario, text } = explainFailure(suite, firstFailingSeed, options);
  showProgress('');
  if (save !== undefined) writeFile(save, `${JSON.stringify(scenario, null, 2)}\n`);
  return text;
}

function chaos(positionals, options) {
  if (positionals.length > 0) throw new UsageError(`chaos takes options only, not ${positionals}`);
  const seeds = wholeNumber(options.seeds, 'seeds', 1);
  const seed = wholeNumber(options.seed, 'seed', 0);
  const { suite, fencing } = options;
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
  const onProgress = (soFar) => tellProgress(soFar, seeds, elapsed());
  const result = runSuite(suite, { fencing, seed, seeds, onProgress });
  const seconds = elapsed();
  showProgress('');
  if (options.json) {
    if (result.violations > 0 && options.save !== undefined) explain(result, options);
    print(JSON.stringify({ ...result, seconds }));
    return result.violations > 0 ? 1 : 0;
  }
  const { violations, failingSeeds, events, traceHash } = result;
  const rate = count(Math.round(events / seconds));
  print(
    `${suite}, ${fencing}: ${plural(result.seeds, 'seed')}, ${plural(violations, 'violation')}`,
  );
  print(
    `${plural(events, 'event')} in ${seconds.toFixed(1)} s (${rate} a second), trace ${traceHash}`,
  );
  print();
  faultTable(result.faults);
  if (violations === 0) return 0;
  print();
  if (failingSeeds > 1) print(`${plural(failingSeeds, 'seed')} fail. The first:`);
  explain(result, options).split('\n').forEach(print);
  return 1;
}

// check ------------------------------------------------------------------------------------------

async function* partsOf(source) {
  const stream = source === '-' ? process.stdin : createReadStream(source);
  const decoder = new TextDecoder();
  try {
    for await (const part of stream) {
      yield { text: decoder.decode(part, { stream: true }), size: part.length };
    }
  } catch (error) {
    throw new UsageError(`can't read ${source}: ${error.message}`);
  }
  yield { text: decoder.decode(), size: 0 }; // a character that was cut off
}

function sizeOf(source) {
  if (source === '-') return 0;
  try {
    return statSync(source).size;
  } catch (error) {
    throw new UsageError(`can't read ${source}: ${error.message}`);
  }
}

/** Reads a history to its end, and gives the check of it. */
async function checked(source, options) {
  const reader = new HistoryReader();
  const checker = new HistoryChecker(options);
  const whole = sizeOf(source);
  let bytes = 0;
  let events = 0;
  const take = (read) => {
    for (const { event, place } of read) {
      checker.add(event, place);
      events += 1;
    }
  };
  for await (const { text, size } of partsOf(source)) {
    take(reader.push(text));
    bytes += size;
    const share = whole > 0 ? `${Math.floor((100 * bytes) / whole)} %, ` : '';
    showProgress(`${source}: ${share}${plural(events, 'event')}`);
  }
  take(reader.end());
  showProgress('');
  if (reader.document !== undefined) {
    throw new UsageError(`${source} is no history, but one document: is it a scenario to run?`);
  }
  return checker.finish();
}

function toleranceFrom(text) {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (text.trim() !== '' && seconds >= 0 && seconds <= 1e9) return seconds;
  throw new UsageError(`--tolerance: expected seconds, at least 0, got "${text}"`);
}

function tellJudged(result) {
  const { judged, notJudged } = whatWasJudged(result);
  const tell = (title, lines) => {
    if (lines.length === 0) return;
    print(title);
    for (const line of lines) print(`  ${line}`);
  };
  tell('Judged:', judged);
  tell('Not judged:', notJudged);
}

async function check(positionals, { fencing, tolerance, json }) {
  if (positionals.length !== 1) throw new UsageError('check what? One history: a file, or -');
  const [source] = positionals;
  const options = { fencing, tolerance: toleranceFrom(tolerance) };
  const result = await checked(source, options);
  const { violations, violationCount, judged } = result;
  if (json) {
    print(JSON.stringify(result));
    return violationCount > 0 ? 1 : 0;
  }
  const lines = causes(result);
  violations.forEach(({ line, sequence }, i) =>
    print(`${line === undefined ? `event ${sequence + 1}` : `line ${line}`}: ${lines[i]}`),
  );
  const more = violationCount - violations.length;
  if (more > 0) print(`... and ${count(more)} more.`);
  if (violationCount > 0) print();
  const found = violationCount > 0 ? plural(violationCount, 'violation') : 'Nothing found';
  print(`${found} in ${plural(judged.events, 'event')}, by what they tell.`);
  tellJudged(result);
  return violationCount > 0 ? 1 : 0;
}

// demo -------------------------------------------------------------------------------------------

function demo(positionals) {
  if (positionals.length > 0) throw new UsageError('demo takes no argument');
  for (const name of ['lesson', 'unfenced']) {
    const { title, scenario } = presets.find((preset) => preset.name === name);
    print(title);
    print();
    const trace = simulate(scenario);
    story(trace).forEach(print);
    print();
    const stale = trace.events.some((event) => event.stale);
    print(stale ? 'CORRUPTED DATA: the stale write was accepted.' : 'The stale write was refused.');
    print();
  }
  print('On the page, where you can drag the pause:');
  print(PAGE);
  return 0;
}

const COMMANDS = { demo, run, chaos, check };

async function main([command, ...rest]) {
  if (command === undefined || ['help', '--help', '-h'].includes(command)) {
    print(USAGE);
    return command === undefined ? 2 : 0;
  }
  if (command === '--version') {
    const file = fileURLToPath(new URL('../package.json', import.meta.url));
    print(JSON.parse(readFileSync(file, 'utf8')).version);
    return 0;
  }
  if (!Object.hasOwn(COMMANDS, command)) throw new UsageError(`no such command: ${command}`);
  if (rest.includes('--help') || rest.includes('-h')) {
    print(USAGE);
    return 0;
  }
  let parsed;
  try {
    parsed = parseArgs({ args: rest, options: OPTIONS[command], allowPositionals: true });
  } catch (error) {
    throw new UsageError(error.message);
  }
  return COMMANDS[command](parsed.positionals, parsed.values);
}

const USER_ERRORS = ['INVALID_SCENARIO', 'INVALID_OPTIONS', 'INVALID_HISTORY'];

// A reader that has seen enough (`| head`) is no error.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') printError(`fencelock: can't write: ${error.message}`);
  process.exit(error.code === 'EPIPE' ? process.exitCode : 2);
});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsers = error instanceof UsageError || USER_ERRORS.includes(error.code);
  printError(`fencelock: ${isUsers ? error.message : (error.stack ?? error)}`);
  if (error instanceof UsageError) printError('Try: npx fencelock --help');
  process.exitCode = 2;
}
