// Taking hold of the picture: of a handle, to edit the past; anywhere else, to move the playhead.

import { pointer, select } from 'd3-selection';
import { drag } from 'd3-drag';
import { snap } from '../view/handles.js';

const SLACK = 3; // pixels that a click may tremble

export function listenToDragging(app, host, figure, page) {
  let gesture = null;

  // The picture fills its host, so where a drag begins in the host is where it begins on the picture.
  const begin = ({ x, y }, { geometry }) => geometry.time(geometry.tall ? y : x);

  /** Where the pointer is on the screen, along time: an edit may move the picture on the page. */
  const screen = ({ sourceEvent, identifier }) => {
    const touches = [...(sourceEvent.changedTouches ?? [])];
    const at = touches.find((touch) => touch.identifier === identifier) ?? sourceEvent;
    return gesture.geometry.tall ? at.clientY : at.clientX;
  };

  const start = (event) => {
    const { sourceEvent } = event;
    const grabbed = sourceEvent.touches ? gripAt(sourceEvent.target) : sourceEvent.target;
    const target = grabbed?.closest('[data-handle]');
    const handle = target && figure.handles.find((one) => one.name === target.dataset.handle);
    gesture = { geometry: figure.drawn.geometry, handle, original: app.document, moved: false };
    gesture.grabbed = begin(event, gesture);
    gesture.from = screen(event);
    app.pause();
    gesture.cancel = app.restorePoint();
    if (!handle) app.seekTime(gesture.grabbed);
  };

  const move = (event) => {
    if (!gesture) return;
    const { handle, geometry, original, grabbed, from } = gesture;
    const pixels = screen(event) - from;
    const passed = pixels / geometry.perSecond;
    if (!handle) {
      app.seekTime(grabbed + passed);
      return;
    }
    if (!gesture.moved) {
      if (Math.abs(pixels) < SLACK) return;
      gesture.moved = true;
      page.holdScale(geometry);
      host.classList.add('dragging');
    }
    const time = snap(geometry, handle.time + passed);
    if (time === gesture.last) return;
    gesture.last = time;
    app.edit(handle.edit(original, time), { gesture: true });
  };

  const letGo = () => {
    const { moved } = gesture;
    gesture = null;
    host.classList.remove('dragging');
    return moved;
  };

  const end = () => {
    if (!gesture) return;
    const { handle, grabbed } = gesture;
    if (letGo()) {
      app.endGesture();
      page.holdScale(null);
    } else if (handle) {
      app.seekTime(grabbed);
    }
  };

  // On a phone time runs down the page, so a finger on the picture scrolls, and only grips drag. A
  // finger moves no block as a whole: who swipes over one means the page, or the playhead.
  const gripAt = (target) => {
    const grip = target.closest('[data-handle], .playhead-hit');
    return grip?.closest('.handle.move') ? null : grip;
  };

  const isForUs = (event) => {
    if (event.ctrlKey || event.button) return false;
    return !event.touches || !figure.drawn.geometry.tall || gripAt(event.target) !== null;
  };

  select(host).call(
    drag()
      .container(host)
      .filter(isForUs)
      .touchable(true)
      .on('start', start)
      .on('drag', move)
      .on('end', end),
  );
  // d3-drag lets no touch scroll; the style sheet says where one may.
  select(host).style('touch-action', null);

  host.addEventListener('click', (event) => {
    const at = event.target.dataset?.index;
    if (at !== undefined) {
      app.pause();
      app.seekIndex(Number(at) + 1);
      return;
    }
    const { geometry } = figure.drawn;
    if (!geometry.tall || event.target.closest('.handle:not(.move)')) return;
    app.pause();
    app.seekTime(geometry.time(pointer(event, figure.svg)[1]));
  });

  /** Takes back the drag under way; says whether there was one. */
  return () => {
    if (!gesture) return false;
    const { cancel } = gesture;
    if (letGo()) page.holdScale(null);
    cancel();
    return true;
  };
}
