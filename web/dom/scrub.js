// Taking hold of the picture: of a handle, to edit the past; anywhere else, to move the playhead.

import { pointer, select } from 'd3-selection';
import { drag } from 'd3-drag';
import { snap } from '../view/handles.js';
import { listenToFingers } from './fingers.js';

const TREMBLE = 3; // pixels; a finger trembles more

/** One thing held at a time, by the mouse or by a finger. Points are those of the window. */
class Hold {
  constructor(app, host, figure, page) {
    Object.assign(this, { app, host, figure, page });
    this.gesture = null;
  }

  get tall() {
    return this.figure.drawn.geometry.tall;
  }

  /** The handle under what was touched or pressed, if there is one. */
  handleAt(target) {
    const name = target.closest('[data-handle]')?.dataset.handle;
    return name === undefined ? null : this.figure.handles.find((one) => one.name === name);
  }

  /**
   * Takes hold of a handle, or of the playhead when there is none. Less than `slack` pixels move no
   * handle; `mark` is what is to look held.
   */
  start({ clientX, clientY }, handle, { slack = TREMBLE, mark = null } = {}) {
    const { app, figure } = this;
    const { geometry } = figure.drawn;
    const { left, top } = figure.svg.getBoundingClientRect();
    const from = geometry.tall ? clientY : clientX;
    app.pause();
    this.gesture = {
      ...{ geometry, handle, slack, mark, from },
      original: app.document,
      grabbed: geometry.time(from - (geometry.tall ? top : left)),
      restore: app.restorePoint(),
      moved: false,
    };
    figure.held = handle;
    app.held = Boolean(handle);
    mark?.classList.add('held');
    if (!handle) app.seekTime(this.gesture.grabbed);
  }

  move({ clientX, clientY }) {
    const { app, gesture } = this;
    if (!gesture) return;
    const { handle, geometry, original, grabbed, from } = gesture;
    // From where it is on the screen, since an edit may move the picture on the page.
    const pixels = (geometry.tall ? clientY : clientX) - from;
    const passed = pixels / geometry.perSecond;
    if (!handle) {
      app.seekTime(grabbed + passed);
      return;
    }
    if (!gesture.moved) {
      if (Math.abs(pixels) < gesture.slack) return;
      gesture.moved = true;
      this.page.holdScale(geometry);
      this.host.classList.add('dragging');
    }
    const time = snap(geometry, handle.time + passed);
    if (time === gesture.last) return;
    gesture.last = time;
    app.edit(handle.edit(original, time), { gesture: true });
  }

  letGo() {
    const { gesture } = this;
    this.gesture = null;
    this.figure.held = null;
    this.app.held = false;
    this.host.classList.remove('dragging');
    gesture.mark?.classList.remove('held');
    return gesture;
  }

  /** Lets go; gives the time at which a handle was taken that then was not moved. */
  end() {
    if (!this.gesture) return null;
    const { handle, moved, grabbed } = this.letGo();
    if (!moved) return handle ? grabbed : null;
    this.app.endGesture();
    this.page.holdScale(null);
    return null;
  }

  /** Takes back the drag under way; says whether there was one. */
  cancel() {
    if (!this.gesture) return false;
    const { moved, restore } = this.letGo();
    if (moved) this.page.holdScale(null);
    restore({ edited: moved });
    return true;
  }
}

/** A click on a handle means the time where it is. */
function listenToMouse(host, hold) {
  const start = ({ sourceEvent }) => hold.start(sourceEvent, hold.handleAt(sourceEvent.target));
  const end = () => {
    const clicked = hold.end();
    if (clicked !== null) hold.app.seekTime(clicked);
  };
  select(host).call(
    drag()
      .container(host)
      .filter((event) => !event.ctrlKey && !event.button)
      .touchable(false)
      .on('start', start)
      .on('drag', ({ sourceEvent }) => hold.move(sourceEvent))
      .on('end', end),
  );
}

/** Gives a function that takes back the drag under way, and says whether there was one. */
export function listenToDragging(app, host, figure, page) {
  const hold = new Hold(app, host, figure, page);
  listenToMouse(host, hold);
  listenToFingers(host, hold);
  host.addEventListener('click', (event) => {
    const told = event.target.closest('[data-index]');
    if (told) {
      app.showEvent(Number(told.dataset.index));
      return;
    }
    if (!hold.tall || event.target.closest('.handle:not(.move)')) return;
    app.pause();
    app.seekTime(figure.drawn.geometry.time(pointer(event, figure.svg)[1]));
  });
  return () => hold.cancel();
}
