// The errors. Each carries a stable `code`; programs compare that and not classes, since the ESM
// and the CommonJS copy of the package have classes of their own.

export class FencelockError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }

  get name() {
    return 'FencelockError';
  }
}

/** Gives a built-in error a code. */
function coded(error, code) {
  error.code = code;
  return error;
}

/** What came, in few words, without running any code of the value's own. */
export function shown(value) {
  switch (typeof value) {
    case 'string':
      return value.length <= 40
        ? JSON.stringify(value)
        : `${JSON.stringify(value.slice(0, 40))}...`;
    case 'function':
      return 'a function';
    case 'symbol':
      return 'a symbol';
    case 'bigint':
      return 'a bigint';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? 'an array' : 'an object';
    default:
      return String(value);
  }
}

/** A text of the core's, with the names in it as JavaScript writes them. */
export function camelCased(text) {
  return text.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}

/** An argument of the wrong kind: a TypeError. */
export function wrongType(code, argument, expected, value) {
  return coded(new TypeError(`${argument}: expected ${expected}, got ${shown(value)}`), code);
}

/** An argument of the right kind with a wrong value: a RangeError. */
export function outOfRange(code, argument, expected, value) {
  return coded(new RangeError(`${argument}: expected ${expected}, got ${shown(value)}`), code);
}

/** An option that is a whole number of at least `low`. */
export function whole(value, argument, low) {
  if (Number.isSafeInteger(value) && value >= low) return value;
  throw outOfRange('INVALID_OPTIONS', argument, `a whole number of at least ${low}`, value);
}

/** Refuses a name that is none of an object's options: a typing error would change nothing, silently. */
export function checkOptionNames(options, known, argument = 'options') {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const message = `${argument}.${name}: there is no such option (there are ${known.join(', ')})`;
    throw coded(new TypeError(message), 'INVALID_OPTIONS');
  }
}

export function notCloneable(reason, cause) {
  const error = new TypeError(`value: expected a value that can be cloned, but ${reason}`, {
    cause,
  });
  return coded(error, 'INVALID_VALUE');
}

export function outOfMemory() {
  const error = new RangeError('memory ran out; everything is as it was before the call');
  return coded(error, 'OUT_OF_MEMORY');
}

export function disposed(what) {
  return new FencelockError('DISPOSED', `this ${what} was disposed and can't be used any more`);
}
