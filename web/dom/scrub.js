// Taking hold of the picture: anywhere to move the playhead.

import { select, pointer } from 'd3-selection';
import { drag } from 'd3-drag';

/** Makes a figure's host scrub when it is dragged or clicked. */
export function listenToScrubbing(app, host, figure) {
  const seek = (event) => {
    const { geometry } = figure.drawn;
    const [x, y] = pointer(event.sourceEvent ?? event, figure.svg);
    app.pause();
    app.seekTime(geometry.time(geometry.tall ? y : x));
  };
  const scrubbing = drag()
    .container(host)
    .filter((event) => !event.ctrlKey && !event.button && !event.target.closest('.handle'))
    .on('start drag', seek);
  if (figure.touchable !== false) scrubbing.touchable(() => !figure.drawn?.geometry.tall);
  select(host).call(scrubbing);
  host.addEventListener('click', (event) => {
    const at = event.target.dataset?.index;
    if (at === undefined) return;
    app.pause();
    app.seekIndex(Number(at) + 1);
  });
}
