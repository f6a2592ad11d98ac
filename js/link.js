// The address of what is shown: the scenario, the playhead, a checksum of the trace, and the view.
//
//   #scenario=<base64url of the document's JSON>&preset=lesson&at=16.05&event=91&trace=<hash>
//
// `preset` or `suite` and `seed` name where the document comes from; alone they open it, too. The
// view: `twin=1`, `zoom=<from>,<to>` and `end=<where the picture ends>` in seconds, `map=1`,
// `speed=5`, `rule=above` for fencing that is off and strict when it is on, and `before=<base64url>`,
// the fields in which the run before the last edit differs, for its ghost.

import { completeScenario } from './scenario.js';

function toBase64Url(text) {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64Url(text) {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

const encode = (value) => toBase64Url(JSON.stringify(value));
const micro = (seconds) => Math.round(seconds * 1e6) / 1e6;

/** The fields of `other`, a scenario, in which it differs from `document`; null when in none. */
function differing(document, other) {
  const [own, its] = [completeScenario(document), completeScenario(other)];
  const names = Object.keys(its).filter(
    (name) => JSON.stringify(its[name]) !== JSON.stringify(own[name]),
  );
  return names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, its[name]]));
}

/**
 * @param {{ document: object, preset?: string, suite?: string, seed?: number, time: number,
 *   index: number, hash: string, twin?: boolean, domain?: [number, number] | null, end?: number,
 *   map?: boolean, speed?: number, rule?: 'above', ghost?: object | null }} shown times in seconds;
 *   ghost: the scenario of the run before the last edit
 */
export function toLink(shown) {
  const fields = new URLSearchParams();
  fields.set('scenario', encode(shown.document));
  if (shown.preset) fields.set('preset', shown.preset);
  if (shown.suite) {
    fields.set('suite', shown.suite);
    fields.set('seed', String(shown.seed));
  }
  if (shown.index > 0 || shown.time > 0) {
    fields.set('at', String(micro(shown.time)));
    fields.set('event', String(shown.index));
  }
  if (shown.twin) fields.set('twin', '1');
  if (shown.domain) fields.set('zoom', shown.domain.map(micro).join(','));
  if (shown.end !== undefined) fields.set('end', String(micro(shown.end)));
  if (shown.map) fields.set('map', '1');
  if (shown.rule) fields.set('rule', shown.rule);
  if (shown.speed) fields.set('speed', String(shown.speed));
  const before = shown.ghost ? differing(shown.document, shown.ghost) : null;
  if (before) fields.set('before', encode(before));
  fields.set('trace', shown.hash);
  return `#${fields}`;
}

function number(fields, name) {
  if (!fields.has(name)) return undefined;
  const value = Number(fields.get(name));
  return Number.isFinite(value) ? value : undefined;
}

function decode(fields, name) {
  if (!fields.has(name)) return undefined;
  try {
    return JSON.parse(fromBase64Url(fields.get(name)));
  } catch {
    throw new Error('This link is broken: its scenario cannot be read.');
  }
}

/** Two times in order, or nothing. */
function stretch(fields) {
  const [from, to, ...more] = (fields.get('zoom') ?? '').split(',').map(Number);
  return from < to && more.length === 0 ? [from, to] : undefined;
}

/** Reads such an address; null when there is nothing in it; throws when it is broken. */
export function fromLink(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  if (!['scenario', 'preset', 'suite'].some((name) => fields.has(name))) return null;
  return {
    document: decode(fields, 'scenario'),
    preset: fields.get('preset') ?? undefined,
    suite: fields.get('suite') ?? undefined,
    seed: number(fields, 'seed'),
    time: number(fields, 'at'),
    index: number(fields, 'event'),
    twin: fields.get('twin') === '1',
    domain: stretch(fields),
    end: number(fields, 'end'),
    map: fields.get('map') === '1',
    rule: fields.get('rule') === 'above' ? 'above' : undefined,
    speed: number(fields, 'speed'),
    before: decode(fields, 'before'),
    hash: fields.get('trace') ?? undefined,
  };
}
