// Magnifying a stretch of time: Ctrl and wheel, two fingers, buttons and keys.

import { select } from 'd3-selection';
import { zoom, zoomIdentity } from 'd3-zoom';

const DEEPEST = 2000;

/** Gives a function that magnifies about the playhead; by 0, shows the whole run again. */
export function listenToZooming(app, host, figure) {
  const wide = () => !figure.drawn.geometry.tall;

  const apply = (event) => {
    if (!event.sourceEvent) return;
    show(event.transform);
  };

  const show = (transform) => {
    const { geometry } = figure.drawn;
    const [start, end] = [geometry.start, geometry.end];
    const [first, last] = geometry.whole;
    const perPixel = (last - first) / (end - start);
    const shift = wide() ? transform.x : transform.y;
    const at = (pixel) => first + ((pixel - shift) / transform.k - start) * perPixel;
    app.setDomain(
      transform.k <= 1.001 ? null : [Math.max(first, at(start)), Math.min(last, at(end))],
    );
  };

  const isForUs = (event) =>
    event.type === 'wheel'
      ? event.ctrlKey || event.metaKey
      : event.type === 'touchstart' && event.touches.length === 2;

  const zooming = zoom()
    .scaleExtent([1, DEEPEST])
    .extent(() => {
      const { start, end } = figure.drawn.geometry;
      return wide()
        ? [
            [start, 0],
            [end, 1],
          ]
        : [
            [0, start],
            [1, end],
          ];
    })
    .filter(isForUs)
    .touchable(true)
    .on('zoom', apply);

  /** What d3 is to believe before a gesture begins, since buttons change the view as well. */
  const settle = () => {
    const { geometry } = figure.drawn;
    const [from, to] = geometry.domain;
    const [first, last] = geometry.whole;
    const scale = (last - first) / (to - from);
    const pixels = (geometry.end - geometry.start) / (last - first);
    const shift = geometry.start - (geometry.start + (from - first) * pixels) * scale;
    host.__zoom = zoomIdentity.translate(wide() ? shift : 0, wide() ? 0 : shift).scale(scale);
  };
  host.addEventListener('wheel', settle, { capture: true, passive: true });
  host.addEventListener('touchstart', settle, { capture: true, passive: true });
  select(host).call(zooming).on('dblclick.zoom', null);

  return (factor) => {
    if (factor === 0) {
      app.setDomain(null);
      return;
    }
    const { geometry } = figure.drawn;
    const [from, to] = geometry.domain;
    const [first, last] = geometry.whole;
    const length = Math.min(last - first, Math.max((last - first) / DEEPEST, (to - from) / factor));
    if (length >= last - first) {
      app.setDomain(null);
      return;
    }
    const about = app.time >= from && app.time <= to ? app.time : (from + to) / 2;
    const share = (about - from) / (to - from);
    const start = Math.min(Math.max(first, about - share * length), last - length);
    app.setDomain([start, start + length]);
  };
}
