// What can be taken hold of on the picture, and what its being dragged to a time does to the
// scenario. A handle has a name that stays through the runs of one drag.

import * as edits from '../edits.js';
import { lockTrack } from './bars.js';
import { cutBetween } from './wires.js';

const GRIP = 12;
const LASTING = new Set(['pause', 'suspend', 'crash', 'partition']);

const centred = (geometry, time, near, far, size) => {
  const at = geometry.along(time) - size / 2;
  return geometry.tall
    ? { x: near, y: at, width: far - near, height: size }
    : { x: at, y: near, width: size, height: far - near };
};

/** From where to where across the lanes a fault can be taken hold of. */
function sidesOf(geometry, fault) {
  if (fault.kind === 'partition') return cutBetween(geometry, fault);
  const lane = geometry.lane(fault.node);
  return lane ? { near: lane.from - 5, far: lane.to + 5 } : null;
}

/** Whether an end has a picture of its own, and needs no knob. */
const isBare = ({ kind }, which) => kind === 'crash' && which === 'start';

function faultHandles(geometry, document) {
  const handles = [];
  (document.faults ?? []).forEach((fault, index) => {
    const sides = LASTING.has(fault.kind) && sidesOf(geometry, fault);
    if (!sides) return;
    const { near, far } = sides;
    const of = fault.node ?? fault.between.join(' and ');
    const from = edits.startOf(fault);
    const length = edits.lengthOf(fault);
    const to = length === null ? geometry.whole[1] : from + length;
    if (!geometry.isVisible(from, to)) return;
    handles.push({
      name: `move ${index}`,
      kind: 'move',
      time: from,
      box: geometry.rectangle(from, to, near, far),
      tip: `Move the ${fault.kind} of ${of}`,
      edit: (original, time) => edits.withMoved(original, index, time),
    });
    const ends = [['start', from, edits.withStart]];
    if (length !== null) ends.push(['end', to, edits.withEnd]);
    for (const [which, time, change] of ends) {
      if (!geometry.inside(time)) continue;
      handles.push({
        name: `${which} ${index}`,
        kind: isBare(fault, which) ? 'bare-grip' : 'grip',
        time,
        box: centred(geometry, time, near, far, GRIP),
        tip: `Drag the ${which} of the ${fault.kind} of ${of}`,
        edit: (original, moved) => change(original, index, moved),
      });
    }
  });
  return handles;
}

/** The hard end of each lease: dragging it changes the length of all leases. */
function leaseHandles(geometry, model) {
  return model.leases.flatMap((lease) => {
    if (lease.end !== 'expired' || !geometry.inside(lease.to)) return [];
    const began = lease.renewals.at(-1)?.time ?? lease.from;
    const { from, to } = lockTrack(geometry, model, lease.lock);
    return [
      {
        name: `lease ${lease.lock} ${lease.token}`,
        kind: 'lease',
        time: lease.to,
        box: centred(geometry, lease.to, from - 6, to + 6, GRIP),
        tip: 'Drag the end of the lease',
        edit: (original, time) => edits.withLease(original, time - began),
      },
    ];
  });
}

/** Where messages arrive: dragging that delays them. */
function deliveryHandles(geometry, model, document) {
  return model.messages.flatMap((message) => {
    const lane = geometry.lane(message.to);
    if (!lane || message.lost || message.copy > 1 || !geometry.inside(message.arrives)) return [];
    const sender = geometry.lane(message.from);
    if (!sender) return [];
    const near = sender.from < lane.from ? lane.from - 14 : lane.to;
    const undelayed = message.arrives - edits.delayOf(document, message.message);
    return [
      {
        name: `delivery ${message.message} ${message.copy}`,
        kind: 'delivery',
        time: message.arrives,
        box: centred(geometry, message.arrives, near, near + 14, 8),
        tip: `Drag to delay ${message.message}`,
        edit: (original, time) => edits.withDelay(original, message.message, time - undelayed),
      },
    ];
  });
}

const MOST_DELIVERIES = 400;

/** Handles from the lowest to the topmost; none for a history that has no scenario. */
export function handles(geometry, model, document) {
  if (!document) return [];
  const many = model.messages.length > MOST_DELIVERIES;
  const ofFaults = faultHandles(geometry, document);
  return [
    ...ofFaults.filter((handle) => handle.kind === 'move'),
    ...(many ? [] : deliveryHandles(geometry, model, document)),
    ...leaseHandles(geometry, model),
    ...ofFaults.filter((handle) => handle.kind !== 'move'),
  ];
}

/** A dragged time, rounded to what a pixel can tell at this scale, at most to the hundredth. */
export function snap(geometry, time) {
  const pixel = 1 / geometry.perSecond;
  const steps = [0.01, 0.05, 0.1, 0.5, 1];
  const size = steps.find((one) => one >= pixel) ?? 1;
  return edits.clean(Math.round(time / size) * size);
}
