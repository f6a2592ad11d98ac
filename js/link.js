// The address of what is shown: the scenario, the playhead, and a checksum of the trace.
//
//   #scenario=<base64url of the document's JSON>&preset=lesson&at=16.05&event=91&trace=<hash>
//
// `preset` or `suite` and `seed` name where the document comes from; alone they open it, too.

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

/**
 * @param {{ document: object, preset?: string, suite?: string, seed?: number, time: number,
 *   index: number, hash: string, twin?: boolean }} shown
 */
export function toLink(shown) {
  const fields = new URLSearchParams();
  fields.set('scenario', toBase64Url(JSON.stringify(shown.document)));
  if (shown.preset) fields.set('preset', shown.preset);
  if (shown.suite) {
    fields.set('suite', shown.suite);
    fields.set('seed', String(shown.seed));
  }
  if (shown.index > 0 || shown.time > 0) {
    fields.set('at', String(Math.round(shown.time * 1e6) / 1e6));
    fields.set('event', String(shown.index));
  }
  if (shown.twin) fields.set('twin', '1');
  fields.set('trace', shown.hash);
  return `#${fields}`;
}

function number(fields, name) {
  if (!fields.has(name)) return undefined;
  const value = Number(fields.get(name));
  return Number.isFinite(value) ? value : undefined;
}

/** Reads such an address; null when there is nothing in it; throws when it is broken. */
export function fromLink(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  if (!['scenario', 'preset', 'suite'].some((name) => fields.has(name))) return null;
  let document;
  if (fields.has('scenario')) {
    try {
      document = JSON.parse(fromBase64Url(fields.get('scenario')));
    } catch {
      throw new Error('This link is broken: its scenario cannot be read.');
    }
  }
  return {
    document,
    preset: fields.get('preset') ?? undefined,
    suite: fields.get('suite') ?? undefined,
    seed: number(fields, 'seed'),
    time: number(fields, 'at'),
    index: number(fields, 'event'),
    twin: fields.get('twin') === '1',
    hash: fields.get('trace') ?? undefined,
  };
}
