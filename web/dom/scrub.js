// Taking hold of the picture: of a handle, to edit the past; anywhere else, to move the playhead.

import { pointer, select } from 'd3-selection';
import { drag } from 'd3-drag';
import { snap } from '../view/handles.js';

const SLACK = 3; // pixels that a click may tremble

export function listenToDragging(app, host, figure, page) {
  let gesture = null;

  // The picture fills its host, so the drag's place in the host is its place on the picture.
  const timeAt = ({ x, y }) => gesture.geometry.time(gesture.geometry.tall ? y : x);

  const start = (event) => {
    const target = event.sourceEvent.target.closest('[data-handle]');
    const handle = target && figure.handles.find((one) => one.name === target.dataset.handle);
    gesture = { geometry: figure.drawn.geometry, handle, original: app.document, moved: false };
    gesture.grabbed = timeAt(event);
    gesture.from = [event.x, event.y];
    app.pause();
    if (!handle) app.seekTime(gesture.grabbed);
  };

  const move = (event) => {
    const { handle, geometry, original, grabbed, from } = gesture;
    if (!handle) {
      app.seekTime(timeAt(event));
      return;
    }
    if (!gesture.moved) {
      if (Math.hypot(event.x - from[0], event.y - from[1]) < SLACK) return;
      gesture.moved = true;
      page.holdScale(geometry);
      host.classList.add('dragging');
    }
    const time = snap(geometry, handle.time + timeAt(event) - grabbed);
    if (time === gesture.last) return;
    gesture.last = time;
    app.edit(handle.edit(original, time), { gesture: true });
  };

  const end = () => {
    const { handle, moved, grabbed } = gesture;
    gesture = null;
    host.classList.remove('dragging');
    if (moved) {
      app.endGesture();
      page.holdScale(null);
    } else if (handle) {
      app.seekTime(grabbed);
    }
  };

  // On a phone time runs down the page, so a finger on the picture scrolls; handles still drag.
  const isForUs = (event) => {
    if (event.ctrlKey || event.button) return false;
    const onHandle = event.target.closest('[data-handle], .playhead-hit');
    return !event.touches || Boolean(onHandle) || !figure.drawn.geometry.tall;
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

  host.addEventListener('click', (event) => {
    const at = event.target.dataset?.index;
    if (at !== undefined) {
      app.pause();
      app.seekIndex(Number(at) + 1);
      return;
    }
    const { geometry } = figure.drawn;
    if (!geometry.tall || event.target.dataset?.handle) return;
    app.pause();
    app.seekTime(geometry.time(pointer(event, figure.svg)[1]));
  });
}
