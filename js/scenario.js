// Scenarios: checks a document and fills in what it leaves out, and packs it into the list of
// numbers that the core reads. Times are seconds here and whole ticks there.

import { FencelockError, shown } from './errors.js';
import { coreTables } from './tables.js';

/** Ticks in a second: FL_TICKS_PER_SECOND in c/sim/trace.h. */
export const TICKS = 2 ** 19;

export const SERVICE = 'lock service';
export const STORAGE = 'storage';

// The limits of c/sim/scenario.h.
const CLIENTS_MAX = 30;
const NAMES_MAX = 30;
const FAULTS_MAX = 200;
const TIME_MAX = 2 ** 42 / TICKS;
const ORIGIN_MAX = 4e14 / TICKS;
const LATENCY_MAX = Math.floor((2 ** 31 - 1) / TICKS);
const COUNT_MAX = 1e6;
const RATE_MIN = 0.01;
const RATE_MAX = 100;

// What is at least half a tick, and so not none.
const LEAST = 1e-6;

// Reading ----------------------------------------------------------------------------------------

function fail(path, expected, value) {
  const got = value === undefined ? 'nothing' : shown(value);
  throw new FencelockError('INVALID_SCENARIO', `${path}: expected ${expected}, got ${got}`);
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of an object, each of which is read once; what is left over is an error. */
class Fields {
  constructor(value, path) {
    if (!isObject(value)) fail(path || 'scenario', 'an object', value);
    this.value = value;
    this.path = path;
    this.known = new Set();
  }

  at(name) {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  /** The field as it is, or the default when it is left out. */
  take(name, fallback) {
    this.known.add(name);
    const value = this.value[name];
    return value === undefined ? fallback : value;
  }

  number(name, fallback, low, high, words = `a number from ${low} to ${high}`) {
    return number(this.take(name, fallback), this.at(name), low, high, words);
  }

  whole(name, fallback, low, high) {
    const words = `a whole number from ${low} to ${high}`;
    const value = this.number(name, fallback, low, high, words);
    if (!Number.isInteger(value)) fail(this.at(name), words, value);
    return value;
  }

  /** A time in seconds. */
  time(name, fallback, low = 0, high = TIME_MAX) {
    return seconds(this.take(name, fallback), this.at(name), low, high);
  }

  /** A time, or null when it is left out. */
  timeOrNull(name, low = 0) {
    const value = this.take(name, null);
    return value === null ? null : seconds(value, this.at(name), low, TIME_MAX);
  }

  flag(name, fallback) {
    const value = this.take(name, fallback);
    if (typeof value !== 'boolean') fail(this.at(name), 'true or false', value);
    return value;
  }

  text(name, fallback) {
    const value = this.take(name, fallback);
    if (typeof value !== 'string') fail(this.at(name), 'a text', value);
    if (value === '') fail(this.at(name), 'a text that is not empty', value);
    return value;
  }

  oneOf(name, fallback, choices) {
    const value = this.take(name, fallback);
    const words = choices.map((choice) => JSON.stringify(choice)).join(', ');
    if (!choices.includes(value)) fail(this.at(name), `one of ${words}`, value);
    return value;
  }

  object(name) {
    return new Fields(this.take(name, {}), this.at(name));
  }

  list(name, fallback, most) {
    const value = this.take(name, fallback);
    if (!Array.isArray(value)) fail(this.at(name), 'a list', value);
    if (value.length > most) {
      const path = this.at(name);
      fail(`${path}.length`, `at most ${most}`, value.length);
    }
    return Array.from({ length: value.length }, (_, i) => value[i]); // which has no holes
  }

  end() {
    for (const name of Object.keys(this.value)) {
      if (this.known.has(name)) continue;
      const known = [...this.known].join(', ');
      fail(this.at(name), `no such field (there are ${known})`, this.value[name]);
    }
  }
}

function number(value, path, low, high, words) {
  const isGood = typeof value === 'number' && value >= low && value <= high;
  if (!isGood) fail(path, words, value);
  return value;
}

function seconds(value, path, low, high) {
  const isNone = low === LEAST && !(value > 0);
  const bounds = isNone ? `above 0, at most ${high}` : `from ${low} to ${high}`;
  return number(value, path, low, high, `a number of seconds ${bounds}`);
}

function clock(parent) {
  const fields = parent.object('clock');
  const filled = {
    offset: fields.time('offset', 0, -TIME_MAX),
    rate: fields.number('rate', 1, RATE_MIN, RATE_MAX),
  };
  fields.end();
  return filled;
}

function server(parent, name) {
  const fields = parent.object(name);
  const filled = { clock: clock(fields) };
  fields.end();
  return filled;
}

function holder(parent) {
  const fields = parent.object('holder');
  const filled = {
    maxClockSkew: fields.time('maxClockSkew', 0.25),
    minRenewLead: fields.time('minRenewLead', 2),
    rateError: fields.number('rateError', 0, 0, 1 - 2 ** -20, 'a number of at least 0 and below 1'),
  };
  fields.end();
  return filled;
}

function latency(fields) {
  const path = fields.at('latency');
  const value = fields.take('latency', [0.01, 0.05]);
  if (!Array.isArray(value) || value.length !== 2) fail(path, 'a list [least, most]', value);
  const least = seconds(value[0], `${path}[0]`, 0, LATENCY_MAX);
  return [least, seconds(value[1], `${path}[1]`, least, LATENCY_MAX)];
}

function network(parent) {
  const fields = parent.object('network');
  const filled = {
    latency: latency(fields),
    loss: fields.number('loss', 0, 0, 1),
    duplicate: fields.number('duplicate', 0, 0, 1),
    timeout: fields.time('timeout', 0.5, LEAST),
    calmFrom: fields.timeOrNull('calmFrom'),
  };
  fields.end();
  return filled;
}

function client(value, index, ids) {
  const fields = new Fields(value, `clients[${index}]`);
  const id = fields.text('id', `client ${index + 1}`);
  if (ids.has(id)) fail(fields.at('id'), 'a name that no other node has', id);
  ids.add(id);
  const filled = {
    id,
    start: fields.time('start', 0),
    work: fields.time('work', 1),
    writes: fields.whole('writes', 1, 0, COUNT_MAX),
    renew: fields.flag('renew', false),
    fence: fields.flag('fence', false),
    cycles: fields.whole('cycles', 1, 1, COUNT_MAX),
    rest: fields.time('rest', 0),
    retry: fields.time('retry', 0.5, LEAST),
    lock: fields.text('lock', 'the lock'),
    key: fields.text('key', 'the file'),
    clock: clock(fields),
  };
  fields.end();
  return filled;
}

function node(fields, name, ids) {
  const value = fields.take(name);
  if (!ids.has(value)) fail(fields.at(name), `a node (${[...ids].join(', ')})`, value);
  return value;
}

/** The parts of a message's name, 'client 1 -> storage #1'; undefined when it is none. */
export function parseMessage(text, ids) {
  const found = /^(.*) #([1-9]\d{0,8})$/s.exec(text);
  if (found === null) return undefined;
  for (const from of ids) {
    if (!found[1].startsWith(`${from} -> `)) continue;
    const to = found[1].slice(from.length + 4);
    const isServer = [from, to].map((name) => name === SERVICE || name === STORAGE);
    if (ids.has(to) && isServer[0] !== isServer[1]) return { from, to, number: Number(found[2]) };
  }
  return undefined;
}

function message(fields, ids) {
  const value = fields.take('message');
  if (typeof value !== 'string' || parseMessage(value, ids) === undefined) {
    const words = 'a message between a client and a server, like "client 1 -> storage #1"';
    fail(fields.at('message'), words, value);
  }
  return value;
}

function span(fields) {
  const from = fields.time('from');
  return { from, to: fields.time('to', undefined, from) };
}

function between(fields, ids) {
  const path = fields.at('between');
  const value = fields.take('between');
  if (!Array.isArray(value) || value.length !== 2) fail(path, 'a list of two nodes', value);
  const ends = [value[0], value[1]];
  ends.forEach((name, i) => {
    if (!ids.has(name)) fail(`${path}[${i}]`, `a node (${[...ids].join(', ')})`, name);
  });
  if (ends[0] === ends[1]) fail(`${path}[1]`, 'another node', ends[1]);
  return ends;
}

function faultFields(kind, fields, ids) {
  switch (kind) {
    case 'pause':
    case 'suspend':
      return { node: node(fields, 'node', ids), ...span(fields) };
    case 'crash': {
      const at = fields.time('at');
      return { node: node(fields, 'node', ids), at, restart: fields.timeOrNull('restart', at) };
    }
    case 'partition':
      return {
        between: between(fields, ids),
        ...span(fields),
        oneWay: fields.flag('oneWay', false),
      };
    case 'clock-step': {
      const by = fields.time('by', undefined, -TIME_MAX);
      return { node: node(fields, 'node', ids), at: fields.time('at'), by };
    }
    case 'delay':
      return { message: message(fields, ids), by: fields.time('by') };
    case 'drop':
      return { message: message(fields, ids) };
    default:
      return { message: message(fields, ids), by: fields.time('by', 0) };
  }
}

function fault(value, index, ids) {
  const fields = new Fields(value, `faults[${index}]`);
  const kind = fields.oneOf('kind', undefined, coreTables().faults);
  const filled = { kind, ...faultFields(kind, fields, ids) };
  fields.end();
  return filled;
}

function named(path, names) {
  if (names.size > NAMES_MAX) fail(path, `at most ${NAMES_MAX} names`, `${names.size} of them`);
}

/**
 * Checks a scenario document and gives it with every default filled in. A bad one is an error with
 * code INVALID_SCENARIO, whose message begins with the field's path.
 */
export function completeScenario(document) {
  const fields = new Fields(document, '');
  const version = fields.take('version');
  if (version !== 1) fail('version', '1', version);
  const ids = new Set([SERVICE, STORAGE]);
  const filled = {
    version: 1,
    lease: fields.time('lease', 10, LEAST),
    firstToken: fields.whole('firstToken', 1, 0, Number.MAX_SAFE_INTEGER),
    fencing: fields.oneOf('fencing', 'at-least', coreTables().fencing),
    until: fields.time('until', 30),
    seed: fields.whole('seed', 1, 0, Number.MAX_SAFE_INTEGER),
    origin: fields.time('origin', 0, -ORIGIN_MAX, ORIGIN_MAX),
    holder: holder(fields),
    service: server(fields, 'service'),
    storage: server(fields, 'storage'),
    network: network(fields),
    clients: fields.list('clients', undefined, CLIENTS_MAX).map((each, i) => client(each, i, ids)),
    faults: fields.list('faults', [], FAULTS_MAX).map((each, i) => fault(each, i, ids)),
  };
  fields.end();
  named('clients', new Set(filled.clients.map(({ lock }) => lock)));
  named('clients', new Set(filled.clients.map(({ key }) => key)));
  return filled;
}

// Packing: the order of c/sim/scenario.h ---------------------------------------------------------

const NEVER = -1;

/** The nearest tick. */
export function ticksOf(seconds) {
  return Math.round(seconds * TICKS);
}

/** A time in seconds, with as few decimals as tell its tick from the next. */
export function secondsOf(ticks) {
  const exact = ticks / TICKS;
  for (let scale = 1; scale < 1e6; scale *= 10) {
    const seconds = Math.round(exact * scale) / scale;
    if (ticksOf(seconds) === ticks) return seconds;
  }
  return Math.round(exact * 1e6) / 1e6;
}

/** The names that a scenario's indices stand for. */
export function namesOf(scenario) {
  return {
    nodes: [SERVICE, STORAGE, ...scenario.clients.map(({ id }) => id)],
    locks: [...new Set(scenario.clients.map(({ lock }) => lock))],
    keys: [...new Set(scenario.clients.map(({ key }) => key))],
  };
}

function packClock({ offset, rate: clockRate }) {
  return [ticksOf(offset), clockRate];
}

function packClient(each, names) {
  return [
    ticksOf(each.start),
    ticksOf(each.work),
    each.writes,
    Number(each.renew),
    Number(each.fence),
    each.cycles,
    ticksOf(each.rest),
    Math.max(1, ticksOf(each.retry)),
    names.locks.indexOf(each.lock),
    names.keys.indexOf(each.key),
    ...packClock(each.clock),
  ];
}

function packFault(each, names) {
  const ids = new Set(names.nodes);
  const sent = each.message === undefined ? undefined : parseMessage(each.message, ids);
  const [a, b] = each.between ?? (sent ? [sent.from, sent.to] : [each.node, each.node]);
  const from = each.from ?? each.at ?? 0;
  const to = each.kind === 'crash' ? each.restart : (each.to ?? from);
  return [
    coreTables().faults.indexOf(each.kind),
    names.nodes.indexOf(a),
    names.nodes.indexOf(b),
    Number(each.oneWay ?? false),
    sent?.number ?? 0,
    ticksOf(from),
    to === null ? NEVER : ticksOf(to),
    ticksOf(each.by ?? 0),
  ];
}

/** The numbers of a complete scenario. */
export function packScenario(scenario) {
  const names = namesOf(scenario);
  const calmFrom = scenario.network.calmFrom;
  return [
    scenario.seed,
    Math.max(1, ticksOf(scenario.lease)),
    scenario.firstToken,
    coreTables().fencing.indexOf(scenario.fencing),
    ticksOf(scenario.until),
    ticksOf(scenario.origin),
    ticksOf(scenario.holder.maxClockSkew),
    ticksOf(scenario.holder.minRenewLead),
    scenario.holder.rateError,
    ...packClock(scenario.service.clock),
    ...packClock(scenario.storage.clock),
    ...scenario.network.latency.map(ticksOf),
    scenario.network.loss,
    scenario.network.duplicate,
    Math.max(1, ticksOf(scenario.network.timeout)),
    calmFrom === null ? NEVER : ticksOf(calmFrom),
    scenario.clients.length,
    scenario.faults.length,
    ...scenario.clients.flatMap((each) => packClient(each, names)),
    ...scenario.faults.flatMap((each) => packFault(each, names)),
  ];
}

/** The scenario that a list of numbers stands for, with the names that a suite uses. */
export function unpackScenario(numbers) {
  let position = 0;
  const next = () => numbers[position++];
  const time = () => secondsOf(next());
  const nextClock = () => ({ offset: time(), rate: next() });
  const orNever = () => (numbers[position] === NEVER ? (position++, null) : time());
  const scenario = {
    version: 1,
    seed: next(),
    lease: time(),
    firstToken: next(),
    fencing: coreTables().fencing[next()],
    until: time(),
    origin: time(),
    holder: { maxClockSkew: time(), minRenewLead: time(), rateError: next() },
    service: { clock: nextClock() },
    storage: { clock: nextClock() },
    network: {
      latency: [time(), time()],
      loss: next(),
      duplicate: next(),
      timeout: time(),
      calmFrom: orNever(),
    },
  };
  const clients = next();
  const faults = next();
  const nodes = [SERVICE, STORAGE];
  for (let i = 1; i <= clients; i++) nodes.push(`client ${i}`);
  scenario.clients = Array.from({ length: clients }, (_, i) => ({
    id: nodes[i + 2],
    start: time(),
    work: time(),
    writes: next(),
    renew: next() === 1,
    fence: next() === 1,
    cycles: next(),
    rest: time(),
    retry: time(),
    lock: nth('the lock', next()),
    key: nth('the file', next()),
    clock: nextClock(),
  }));
  scenario.faults = Array.from({ length: faults }, () => {
    const kind = coreTables().faults[next()];
    const ends = [nodes[next()], nodes[next()]];
    const oneWay = next() === 1;
    const name = `${ends[0]} -> ${ends[1]} #${next()}`;
    return unpackFault(kind, ends, oneWay, name, { from: time(), to: orNever(), by: time() });
  });
  return scenario;
}

function nth(name, index) {
  return index === 0 ? name : `${name} ${index + 1}`;
}

function unpackFault(kind, ends, oneWay, name, { from, to, by }) {
  switch (kind) {
    case 'pause':
    case 'suspend':
      return { kind, node: ends[0], from, to };
    case 'crash':
      return { kind, node: ends[0], at: from, restart: to };
    case 'partition':
      return { kind, between: ends, from, to, oneWay };
    case 'clock-step':
      return { kind, node: ends[0], at: from, by };
    case 'drop':
      return { kind, message: name };
    default:
      return { kind, message: name, by };
  }
}
