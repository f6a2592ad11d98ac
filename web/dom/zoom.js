// Magnifying a stretch of time: Ctrl and wheel, two fingers, buttons and keys. A wheel that turns
// sideways, or with Shift, moves a magnified stretch along.

import { select } from 'd3-selection';
import { zoom, zoomIdentity } from 'd3-zoom';

const DEEPEST = 2000;
const LINE = 16; // pixels that a wheel counting in lines means by one

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

  const pan = (event) => {
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (!app.domain || event.ctrlKey || event.metaKey || Math.abs(sideways) < 1) return;
    if (!event.shiftKey && Math.abs(event.deltaX) < Math.abs(event.deltaY)) return;
    event.preventDefault();
    const { geometry } = figure.drawn;
    const [first, last] = geometry.whole;
    const [from, to] = app.domain;
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? sideways * LINE : sideways;
    const start = Math.min(Math.max(first, from + pixels / geometry.perSecond), last - (to - from));
    app.setDomain([start, start + (to - from)]);
  };
  host.addEventListener('wheel', pan, { passive: false });

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
    const at = app.index === 0 ? (app.run.story.at(-1)?.time ?? 0) : app.time;
    const about = at >= from && at <= to ? at : (from + to) / 2;
    const share = (about - from) / (to - from);
    const start = Math.min(Math.max(first, about - share * length), last - length);
    app.setDomain([start, start + length]);
  };
}
