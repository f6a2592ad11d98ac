// The keyboard. Keys that a focused control uses itself are left to it.

export const KEYS = [
  ['Space', 'play or pause'],
  ['← →', 'previous, next event'],
  ['Shift ← →', 'a second back, forward'],
  ['Home, End', 'beginning, end'],
  ['x', 'fencing on or off'],
  ['d', 'twin: the same schedule under the other rule'],
  ['+ − 0', 'zoom in, zoom out, whole run'],
  ['Ctrl Z, Ctrl Shift Z', 'undo, redo'],
  ['Escape', 'hide the run before the edit'],
  ['?', 'this list'],
];

const isTyping = (element) =>
  element.isContentEditable ||
  element.tagName === 'TEXTAREA' ||
  element.tagName === 'SELECT' ||
  (element.tagName === 'INPUT' && !['range', 'checkbox', 'radio'].includes(element.type));

/** A focused button or check box takes the space bar itself. */
const isPressable = (element) =>
  ['BUTTON', 'SUMMARY', 'A'].includes(element.tagName) ||
  ['checkbox', 'radio'].includes(element.type);

export function listenToKeys(app, actions) {
  const presses = {
    ' ': (event) => isPressable(event.target) || actions.playOrPause(),
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
    Escape: () => Boolean(document.querySelector('dialog[open]')) || actions.escape(),
  };
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== 'z' || isTyping(event.target)) return;
      event.preventDefault();
      if (event.shiftKey) app.redo();
      else app.undo();
      return;
    }
    if (isTyping(event.target) && event.key !== 'Escape') return;
    const press = presses[event.key] ?? presses[event.key.toLowerCase()];
    if (!press || press(event) === true) return;
    event.preventDefault();
  });
}
