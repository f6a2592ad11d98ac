// The fields that edit the scenario: all that can be dragged can be typed here, and more.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import * as edits from '../edits.js';
import { SERVICE, STORAGE } from '../view/model.js';

/** A number field. `name` is what it is called; `label` the words beside it. */
function numberField(app, { name, label, value, min = 0, step = 0.1, edit, unit = 's' }) {
  const change = (event) => {
    const number = event.target.valueAsNumber;
    const changed = Number.isFinite(number) && app.edit(edit(app.document, number));
    if (!changed) event.target.value = String(value);
  };
  return html`<label class="field"
    ><span>${label}</span
    ><input
      type="number"
      aria-label=${name}
      min=${min ?? nothing}
      step=${step}
      .value=${live(String(value))}
      @change=${change}
    />${unit ? html`<span class="unit">${unit}</span>` : nothing}</label
  >`;
}

function checkField(app, { name, label, checked, edit }) {
  return html`<label class="field check"
    ><input
      type="checkbox"
      aria-label=${name}
      .checked=${live(checked)}
      @change=${(event) => app.edit(edit(app.document, event.target.checked))}
    /><span>${label}</span></label
  >`;
}

function lockFields(app) {
  const { document } = app;
  const [soonest, latest] = document.network?.latency ?? [0.01, 0.05];
  const latency = (index) => (original, value) => {
    const range = [...(original.network?.latency ?? [0.01, 0.05])];
    range[index] = value;
    if (index === 0) range[1] = Math.max(range[1], value);
    else range[0] = Math.min(range[0], value);
    return edits.withNetwork(original, { latency: range });
  };
  const share = (name) => (original, value) => edits.withNetwork(original, { [name]: value / 100 });
  return html`<fieldset>
    <legend>Lock and network</legend>
    ${numberField(app, {
      name: 'Lease seconds',
      label: 'Lease',
      value: document.lease ?? 10,
      step: 0.5,
      min: 0.01,
      edit: edits.withLease,
    })}
    ${numberField(app, {
      name: 'End of the run',
      label: 'Run until',
      value: document.until ?? 30,
      step: 1,
      min: 1,
      edit: (original, until) => ({ ...original, until }),
    })}
    ${numberField(app, {
      name: 'Shortest latency',
      label: 'Latency from',
      value: soonest,
      step: 0.01,
      edit: latency(0),
    })}
    ${numberField(app, {
      name: 'Longest latency',
      label: 'to',
      value: latest,
      step: 0.01,
      edit: latency(1),
    })}
    ${numberField(app, {
      name: 'Messages lost, percent',
      label: 'Lost',
      value: edits.clean((document.network?.loss ?? 0) * 100),
      step: 1,
      unit: '%',
      edit: share('loss'),
    })}
    ${numberField(app, {
      name: 'Messages duplicated, percent',
      label: 'Duplicated',
      value: edits.clean((document.network?.duplicate ?? 0) * 100),
      step: 1,
      unit: '%',
      edit: share('duplicate'),
    })}
    ${checkField(app, {
      name: 'One write a grant',
      label: 'One write a grant',
      checked: (app.fencing ? document.fencing : app.fencedRule) === 'above',
      edit: (original, strict) => ({ ...original, fencing: strict ? 'above' : 'at-least' }),
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
    ${field(
      'Writes',
      client.writes ?? 1,
      own((writes) => ({ writes })),
      { step: 1, unit: '' },
    )}
    ${field('Clock offset', client.clock?.offset ?? 0, clock('offset'), { min: null, step: 0.05 })}
    ${field('Clock rate', client.clock?.rate ?? 1, clock('rate'), { step: 0.01, unit: '×' })}
    ${checkField(app, {
      name: `Renewing by ${client.id}`,
      label: 'Renews',
      checked: client.renew ?? false,
      edit: own((renew) => ({ renew })),
    })}
    ${checkField(app, {
      name: `Fencing before reading by ${client.id}`,
      label: 'Fences, then reads',
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
        label: lasts ? 'from' : 'at',
        value: edits.startOf(fault),
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
        label: 'for',
        value: length,
        min: 0.01,
        edit: (original, seconds) => edits.withLength(original, index, seconds),
      }),
    );
  }
  if (fault.by !== undefined) {
    const min = fault.kind === 'clock-step' ? null : 0;
    const name = `${called} of ${of}, seconds`;
    fields.push(numberField(app, { name, label: 'by', value: fault.by, min, edit: set('by') }));
  }
  return html`<li>
    <span class="fault-name">${called}</span> <span class="fault-of">${of}</span>
    <span class="fault-fields"
      >${fields}<button
        type="button"
        class="quiet"
        aria-label="Remove ${called} of ${of}"
        @click=${() => app.edit(edits.withoutFault(app.document, index))}
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
  const choose = (event) => {
    const option = addable(app)[Number(event.target.value)];
    event.target.value = '';
    if (option) app.edit(edits.withNewFault(app.document, option[1]));
  };
  return html`<select class="add" aria-label="Add a fault at the playhead" @change=${choose}>
    <option value="">Add a fault…</option>
    ${addable(app).map(([text], index) => html`<option value=${index}>${text}</option>`)}
  </select>`;
}

/** The field for the message that the current event is about. */
export function messageField(app) {
  const { event } = app;
  const isOne = app.document && event?.message && ['send', 'deliver'].includes(event.kind);
  if (!isOne) {
    return html`<p class="aside">Step to a message to delay it here.</p>`;
  }
  const { message } = event;
  return html`<p class="message-field">
    <span>${message}</span>${numberField(app, {
      name: `Delay of ${message}`,
      label: 'delay by',
      value: edits.delayOf(app.document, message),
      edit: (document, by) => edits.withDelay(document, message, by),
    })}
  </p>`;
}

export function schedule(app) {
  if (!app.document) return html`<p>A history has no schedule to edit.</p>`;
  const faults = app.document.faults ?? [];
  const names = faultNames(faults);
  return html`<div class="faults">
      <h3>Faults</h3>
      <ul>
        ${faults.map((fault, index) => faultFields(app, fault, index, names[index]))}
      </ul>
      ${addFault(app)}
    </div>
    <div class="settings">
      ${lockFields(app)}
      ${app.document.clients.map((client, index) => clientFields(app, client, index))}
    </div>`;
}
