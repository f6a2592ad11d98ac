// The fields that edit the scenario: all that can be dragged can be typed here, and more.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { repeat } from 'lit-html/directives/repeat.js';
import * as edits from '../edits.js';
import { SERVICE, STORAGE } from '../view/model.js';

const MOST = 100_000;

/** Why a number can't be, in a sentence about `what`; '' when it can. */
function refusal(number, { what, above, min, max, unit }) {
  const told = (limit) =>
    `${limit.toLocaleString('en')}${['s', '%'].includes(unit) ? ` ${unit}` : ''}.`;
  if (!Number.isFinite(number)) return `${what} must be a number.`;
  if (above !== null && number <= above) return `${what} must be above ${told(above)}`;
  if (min !== null && number < min) return `${what} must not be below ${told(min)}`;
  return Math.abs(number) > max ? `${what} must be at most ${told(max)}` : '';
}

/** The least number from 0 on from which steps lead to `value`, so that arrows step evenly. */
const baseOf = (value, step) => edits.clean(value - Math.floor(value / step + 1e-6) * step);

/**
 * A number field. `name` is what it is called; `label` the words beside it; `what` the subject of
 * what is said when a value is refused; `places` to how many decimals it is kept. `check` gives
 * one more reason to refuse.
 */
function numberField(app, options) {
  const { name, label, value, step = 0.1, edit, unit = 's', places = 2, check } = options;
  const { what = 'This', above = null, max = MOST } = options;
  const min = options.min === undefined && above === null ? 0 : (options.min ?? null);
  const shown = String(edits.clean(value));
  const change = (event) => {
    const number = Number(event.target.valueAsNumber.toFixed(places));
    const why =
      refusal(number, { what, above, min, max, unit }) || (check?.(app.document, number) ?? '');
    app.refuse(name, why);
    const changed = !why && app.edit(edit(app.document, number));
    if (!changed) event.target.value = shown;
    if (app.error) app.refuse(name, app.error);
  };
  const refused = app.refusal?.name === name ? app.refusal.text : null;
  return html`<label class="field"
      ><span>${label}</span
      ><input
        type="number"
        aria-label=${name}
        aria-describedby=${refused ? 'refusal' : nothing}
        min=${min === null && above === null ? nothing : baseOf(value, step)}
        step=${step}
        value=${shown}
        .value=${live(shown)}
        @change=${change}
      /><span class="unit">${unit}</span></label
    >${refused ? html`<p class="refusal" id="refusal" role="alert">${refused}</p>` : nothing}`;
}

function checkField(app, { name, label, checked, edit, change }) {
  const set = change ?? ((on) => app.edit(edit(app.document, on)));
  return html`<label class="field check"
    ><input
      type="checkbox"
      aria-label=${name}
      .checked=${live(checked)}
      @change=${(event) => set(event.target.checked)}
    /><span>${label}</span></label
  >`;
}

function leaseFields(app) {
  const { document } = app;
  return html`${numberField(app, {
    name: 'Lease seconds',
    label: 'Lease',
    value: document.lease ?? 10,
    step: 0.5,
    above: 0,
    what: 'A lease',
    edit: edits.withLease,
  })}
  ${numberField(app, {
    name: 'Run until',
    label: 'Run until',
    value: document.until ?? 30,
    step: 1,
    above: 0,
    what: 'The end of the run',
    edit: (original, until) => ({ ...original, until }),
  })}`;
}

const LATENCY = [0.01, 0.05];
const latencyOf = ({ network }) => network?.latency ?? LATENCY;

function latencyFields(app) {
  const [soonest, latest] = latencyOf(app.document);
  const field = (index, options) =>
    numberField(app, {
      value: [soonest, latest][index],
      step: 0.01,
      places: 3,
      what: 'A latency',
      edit: (original, value) =>
        edits.withNetwork(original, {
          latency: latencyOf(original).map((old, i) => (i === index ? value : old)),
        }),
      ...options,
    });
  return html`${field(0, {
    name: 'Latency from',
    label: 'Latency from',
    check: (_, least) =>
      least > latest ? 'The shortest latency must not be above the longest.' : '',
  })}
  ${field(1, {
    name: 'to, the longest latency',
    label: 'to',
    check: (_, most) =>
      most < soonest ? 'The longest latency must not be below the shortest.' : '',
  })}`;
}

/** How many of the messages come to a bad end: `part` of the network, as a share in percent. */
function shareField(app, part, label) {
  const called = label.toLowerCase();
  return numberField(app, {
    name: `Messages ${called}, percent`,
    label,
    value: edits.clean((app.document.network?.[part] ?? 0) * 100),
    step: 1,
    unit: '%',
    max: 100,
    what: `The share of messages ${called}`,
    edit: (original, value) => edits.withNetwork(original, { [part]: edits.clean(value / 100) }),
  });
}

function lockFields(app) {
  const { document } = app;
  return html`<fieldset>
    <legend>Lock and network</legend>
    ${leaseFields(app)} ${latencyFields(app)} ${shareField(app, 'loss', 'Lost')}
    ${shareField(app, 'duplicate', 'Duplicated')}
    ${numberField(app, {
      name: 'Allowed clock skew',
      label: 'Allowed clock skew',
      value: document.holder?.maxClockSkew ?? 0.25,
      step: 0.05,
      what: 'The allowed clock skew',
      edit: (original, maxClockSkew) => edits.withHolder(original, { maxClockSkew }),
    })}
    ${checkField(app, {
      name: 'One write a grant',
      label: 'One write a grant',
      checked: app.fencedRule === 'above',
      change: (strict) => app.setRule(strict ? 'above' : 'at-least'),
    })}
  </fieldset>`;
}

function clientFields(app, client, index) {
  const own = (changes) => (original, value) => edits.withClient(original, index, changes(value));
  const clock = (part) => (original, value) => edits.withClock(original, index, { [part]: value });
  const field = (label, value, edit, more = {}) =>
    numberField(app, { name: `${label} of ${client.id}`, label, value, edit, ...more });
  return html`<fieldset>
    <legend>${client.id}</legend>
    ${field(
      'Start',
      client.start ?? 0,
      own((start) => ({ start })),
    )}
    ${field(
      'Work',
      client.work ?? 1,
      own((work) => ({ work })),
    )}
    ${field('Clock offset', client.clock?.offset ?? 0, clock('offset'), {
      min: null,
      step: 0.05,
      places: 3,
      what: 'A clock offset',
    })}
    ${field('Clock rate', client.clock?.rate ?? 1, clock('rate'), {
      step: 0.01,
      unit: '×',
      places: 6,
      above: 0,
      what: 'A clock rate',
    })}
    ${field(
      'Writes',
      client.writes ?? 1,
      own((writes) => ({ writes })),
      { step: 1, unit: '' },
    )}
    ${checkField(app, {
      name: `Renews, ${client.id}`,
      label: 'Renews',
      checked: client.renew ?? false,
      edit: own((renew) => ({ renew })),
    })}
    ${checkField(app, {
      name: `Fences before it reads, ${client.id}`,
      label: 'Fences before it reads',
      checked: client.fence ?? false,
      edit: own((fence) => ({ fence })),
    })}
  </fieldset>`;
}

const KINDS = {
  pause: 'Pause',
  suspend: 'Sleep',
  crash: 'Crash',
  partition: 'Partition',
  'clock-step': 'Clock step',
  delay: 'Delay',
  drop: 'Drop',
  duplicate: 'Duplicate',
};

function subject(fault) {
  if (fault.between) return fault.between.join(fault.oneWay ? ' to ' : ' and ');
  return fault.message ?? fault.node;
}

/** What each fault is called: numbered only when there are several of a kind and a node. */
function faultNames(faults) {
  const counts = new Map();
  const plain = faults.map((fault) => `${fault.kind}\n${subject(fault)}`);
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  const seen = new Map();
  return faults.map((fault, index) => {
    const number = (seen.get(plain[index]) ?? 0) + 1;
    seen.set(plain[index], number);
    return counts.get(plain[index]) > 1 ? `${KINDS[fault.kind]} ${number}` : KINDS[fault.kind];
  });
}

function faultFields(app, fault, index, called) {
  const of = subject(fault);
  const set = (name) => (original, value) => edits.withFault(original, index, { [name]: value });
  const fields = [];
  const length = edits.lengthOf(fault);
  if (edits.startOf(fault) !== undefined) {
    const lasts = fault.kind !== 'clock-step';
    fields.push(
      numberField(app, {
        name: lasts ? `${called} start of ${of}` : `${called} time of ${of}`,
        label: lasts ? 'start' : 'time',
        value: edits.startOf(fault),
        what: lasts ? 'A start' : 'A time',
        edit: (original, from) =>
          lasts
            ? edits.withMoved(original, index, from)
            : edits.withFault(original, index, { at: from }),
      }),
    );
  }
  if (length !== null && fault.kind !== 'clock-step' && edits.startOf(fault) !== undefined) {
    fields.push(
      numberField(app, {
        name: `${called} length of ${of}`,
        label: 'length',
        value: length,
        above: 0,
        what: 'A length',
        edit: (original, seconds) => edits.withLength(original, index, seconds),
      }),
    );
  }
  if (fault.by !== undefined) {
    const min = fault.kind === 'clock-step' ? null : 0;
    const name = `${called} of ${of}, by seconds`;
    fields.push(
      numberField(app, {
        name,
        label: 'by',
        value: fault.by,
        min,
        what: min === null ? 'A step' : 'A delay',
        edit: set('by'),
      }),
    );
  }
  const remove = (event) => {
    const heading = event.target.closest('[data-part]').querySelector('h3');
    // Left to itself the focus would be lost, or come to stand on the button of another fault.
    if (app.edit(edits.withoutFault(app.document, index))) heading.focus();
  };
  return html`<li>
    <span class="fault-of"><b>${called}</b> ${of}</span>
    <span class="fault-fields"
      >${fields}<button
        type="button"
        class="quiet"
        aria-label="Remove ${called} of ${of}"
        @click=${remove}
      >
        Remove
      </button></span
    >
  </li>`;
}

/** Faults that can be added, with the instant of the playhead as their beginning. */
function addable(app) {
  const at = Math.round(app.time * 10) / 10;
  return app.document.clients.flatMap(({ id }) => [
    [`Pause ${id}`, { kind: 'pause', node: id, from: at, to: at + 3 }],
    [`Put ${id} to sleep`, { kind: 'suspend', node: id, from: at, to: at + 3 }],
    [`Crash ${id}`, { kind: 'crash', node: id, at, restart: at + 2 }],
    ...[SERVICE, STORAGE].map((other) => [
      `Cut ${id} off from the ${other}`,
      { kind: 'partition', between: [id, other], from: at, to: at + 2 },
    ]),
    [`Step the clock of ${id}`, { kind: 'clock-step', node: id, at, by: -0.25 }],
  ]);
}

function addFault(app) {
  const add = (event) => {
    const { value } = event.target.parentNode.querySelector('select');
    app.edit(edits.withNewFault(app.document, addable(app)[Number(value)][1]));
  };
  return html`<div class="add">
    <select aria-label="Fault to add at the playhead">
      ${addable(app).map(([text], index) => html`<option value=${index}>${text}</option>`)}
    </select>
    <button type="button" @click=${add}>Add fault</button>
  </div>`;
}

/** The field for the message that the current event is about. */
export function messageField(app) {
  const { event } = app;
  if (!app.document) return nothing;
  if (!event?.message || !['send', 'deliver'].includes(event.kind)) {
    return html`<p class="aside">Step to a message in the list of events to delay it here.</p>`;
  }
  const { message } = event;
  return html`<p class="message-field">
    <span>${message}</span>${numberField(app, {
      name: `Delay of ${message}`,
      label: 'delay',
      what: 'A delay',
      value: edits.delayOf(app.document, message),
      edit: (document, by) => edits.withDelay(document, message, by),
    })}
  </p>`;
}

/** What goes wrong, and the way to add to it. */
export function faults(app) {
  if (!app.document) return html`<p>A history has no schedule to edit.</p>`;
  const list = app.document.faults ?? [];
  const names = faultNames(list);
  return html`<h3 tabindex="-1">Faults</h3>
    <ul class="faults">
      ${repeat(
        list,
        (fault, index) => `${names[index]} of ${subject(fault)}`,
        (fault, index) => faultFields(app, fault, index, names[index]),
      )}
    </ul>
    ${addFault(app)}`;
}

export function settings(app) {
  if (!app.document) return nothing;
  return html`<div class="settings">
    ${lockFields(app)}
    ${app.document.clients.map((client, index) => clientFields(app, client, index))}
  </div>`;
}
