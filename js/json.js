// Where a text stops being JSON: engines do not agree on how they say it, or whether.

const BLANK = /[ \t\n\r]*/y;
// What may be in a string as it is: all from the space on, but the quote and the backslash.
const STRICT_STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const STRICT_SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** The offset at which a text stops being JSON; its length when it ends too soon. */
export function syntaxErrorAt(text) {
  const closers = []; // what ends each thing that is open
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at += found[0].length;
    return Boolean(found);
  };
  const takeCharacter = (characters) => {
    if (at >= text.length || !characters.includes(text[at])) return '';
    at += 1;
    return text[at - 1];
  };
  const takeName = () => {
    if (!take(STRICT_STRING)) return false;
    take(BLANK);
    return takeCharacter(':') !== '';
  };
  for (;;) {
    take(BLANK);
    const open = takeCharacter('{[');
    if (open !== '') {
      const closer = open === '{' ? '}' : ']';
      closers.push(closer);
      take(BLANK);
      if (!text.startsWith(closer, at)) {
        if (open === '{' && !takeName()) return at;
        continue;
      }
    } else if (!take(STRICT_STRING) && !take(STRICT_SCALAR)) return at;
    // A value has ended, or an empty thing is about to.
    for (;;) {
      take(BLANK);
      if (closers.length === 0) return at;
      if (takeCharacter(closers.at(-1)) === '') break;
      closers.pop();
    }
    if (takeCharacter(',') === '') return at;
    take(BLANK);
    if (closers.at(-1) === '}' && !takeName()) return at;
  }
}
