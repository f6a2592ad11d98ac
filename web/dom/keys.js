// The keyboard. Keys that a focused control uses itself are left to it.

export const KEYS = [
  ['Space', 'play or pause'],
  ['← →', 'previous, next event'],
  ['Shift ← →', 'a second back, forward'],
  ['Home, End', 'beginning, end'],
  ['x', 'fencing on or off'],
  ['d', 'twin: both rules at once'],
  ['+ − 0', 'zoom in, zoom out, whole run'],
  ['Ctrl Z, Ctrl Y', 'undo, redo'],
  ['Escape', 'take back a drag; hide the old run'],
  ['?', 'the marks and the keys'],
];

// Keys that change what is run, which a drag under way would undo; and those that mean one press.
const EDITING = new Set(['x', 'd']);
const ONCE = new Set(['x', 'd', ' ', '?']);

const isTyping = (element) =>
  element.isContentEditable ||
  element.tagName === 'TEXTAREA' ||
  element.tagName === 'SELECT' ||
  (element.tagName === 'INPUT' && !['range', 'checkbox', 'radio'].includes(element.type));

/** A focused button, check box or select takes the space bar itself. */
const isPressable = (element) =>
  ['BUTTON', 'SUMMARY', 'A', 'SELECT'].includes(element.tagName) ||
  ['checkbox', 'radio', 'file'].includes(element.type);

/**
 * Gives a function that says whether the focus came to where it is by keyboard. What was clicked
 * keeps the focus, yet who clicked it doesn't mean it by the next space.
 */
function watchFocus() {
  let pointing = false;
  let clicked = null;
  const set = (value) => () => {
    pointing = value;
  };
  document.addEventListener('pointerdown', set(true), { capture: true });
  document.addEventListener('keydown', set(false), { capture: true });
  document.addEventListener('focusin', ({ target }) => {
    clicked = pointing ? target : null;
  });
  document.addEventListener('click', ({ detail }) => {
    if (detail > 0) clicked = document.activeElement;
  });
  return (element) => element !== clicked;
}

export function listenToKeys(app, actions) {
  const isReachedByKeyboard = watchFocus();
  const isOurs = ({ target }) =>
    !document.querySelector('dialog[open]') && isPressable(target) && !isReachedByKeyboard(target);
  let swallowed = false;
  const presses = {
    ' ': (event) => (isPressable(event.target) && !isOurs(event)) || actions.playOrPause(),
    ArrowRight: (event) => (event.shiftKey ? app.stepSeconds(1) : app.stepEvents(1)),
    ArrowLeft: (event) => (event.shiftKey ? app.stepSeconds(-1) : app.stepEvents(-1)),
    Home: () => app.seekTime(0),
    End: () => app.seekTime(Infinity),
    x: () => app.setFencing(!app.fencing),
    d: () => app.setTwin(!app.twinShown),
    '+': () => actions.zoom(2),
    '=': () => actions.zoom(2),
    '-': () => actions.zoom(0.5),
    0: () => actions.zoom(0),
    '?': () => actions.toggleHelp(),
    Escape: () => actions.escape(),
  };
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey) return;
    // A list of keys that is open is read, and Escape closes it by itself.
    if (document.querySelector('dialog[open]') && event.key !== '?') return;
    const key = event.key.toLowerCase();
    const isUndo = (event.ctrlKey || event.metaKey) && ['z', 'y'].includes(key);
    if ((isUndo || EDITING.has(key)) && app.held) return;
    if (event.repeat && ONCE.has(key)) return;
    if (event.ctrlKey || event.metaKey) {
      if (!isUndo || isTyping(event.target)) return;
      event.preventDefault();
      if (event.shiftKey || key === 'y') app.redo();
      else app.undo();
      return;
    }
    swallowed = event.key === ' ' && isOurs(event);
    if (isTyping(event.target) && event.key !== 'Escape' && !swallowed) return;
    const press = presses[event.key] ?? presses[key];
    if (!press || press(event) === true) return;
    event.preventDefault();
  });
  // Some browsers press a button when the space bar comes up.
  document.addEventListener('keyup', (event) => {
    if (event.key === ' ' && swallowed) event.preventDefault();
  });
}
