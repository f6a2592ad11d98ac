// A finger on the picture. What it means shows in its first movement: up or down, and the page
// scrolls as if there were no picture; along, and it moves the playhead, or the end of what it began
// on. A finger that rests takes hold of what is under it, of a pause as a whole. A tap is left to the
// mouse events that browsers make of it.

const REST_MS = 400;
const SLACK = 8; // pixels that a resting finger may tremble

export function listenToFingers(host, hold) {
  let finger = null;
  let taken = false; // whether the touch has had hold of something, and is no tap

  const take = (handle, mark = null) => {
    taken = true;
    // What it began on may be drawn anew meanwhile.
    host.setPointerCapture(finger.id);
    hold.start(finger.down, handle, { slack: SLACK, mark });
  };

  const forget = () => {
    clearTimeout(finger?.resting);
    finger = null;
  };

  const rest = () => {
    const handle = hold.handleAt(finger.target);
    finger.rested = true;
    if (handle) take(handle, finger.target.closest('.handle'));
  };

  /** Whether a finger takes hold at once: where time runs down, of what shows a grip to drag. */
  const isGrip = (target) => hold.tall && target.closest('.grip, .playhead-hit') !== null;

  const press = (event) => {
    if (event.pointerType !== 'touch') return;
    if (!event.isPrimary) {
      // Two fingers magnify; the first one is not dragging, after all.
      hold.cancel();
      forget();
      return;
    }
    const { pointerId: id, clientX, clientY, target } = event;
    finger = { id, target, down: { clientX, clientY }, rested: false };
    taken = false;
    if (isGrip(target)) take(hold.handleAt(target));
    else finger.resting = setTimeout(rest, REST_MS);
  };

  const move = (event) => {
    if (event.pointerId !== finger?.id) return;
    if (!taken) {
      const along = Math.abs(event.clientX - finger.down.clientX);
      const down = Math.abs(event.clientY - finger.down.clientY);
      if (Math.max(along, down) < SLACK) return;
      if (hold.tall || down >= along) {
        forget();
        return;
      }
      clearTimeout(finger.resting);
      const handle = hold.handleAt(finger.target);
      take(handle?.kind === 'move' ? null : handle);
    }
    hold.move(event);
  };

  const lift = (event) => {
    if (event.pointerId !== finger?.id) return;
    const tapped = hold.end();
    if (tapped !== null && !finger.rested) hold.app.seekTime(tapped);
    forget();
  };

  const cancel = (event) => {
    if (event.pointerId !== finger?.id) return;
    hold.cancel();
    forget();
    taken = false;
  };

  host.addEventListener('pointerdown', press);
  host.addEventListener('pointermove', move);
  host.addEventListener('pointerup', lift);
  host.addEventListener('pointercancel', cancel);
  // What is held does not scroll the page; lifted it is no click, and a finger at rest opens no menu.
  const keep = (event) => {
    if (taken && event.cancelable) event.preventDefault();
  };
  host.addEventListener('touchmove', keep, { passive: false });
  host.addEventListener('touchend', (event) => {
    keep(event);
    if (event.touches.length === 0) taken = false;
  });
  host.addEventListener('contextmenu', keep);
}
