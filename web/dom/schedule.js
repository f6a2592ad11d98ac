// The fields that edit the scenario: everything that can be dragged can be typed here.

import { html } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { round, withClient, withLease, withLength, withMoved } from '../edits.js';

function field(app, { name, label, value, min = 0, step = 0.1, edit }) {
  const change = (event) => {
    const number = event.target.valueAsNumber;
    if (Number.isFinite(number)) app.edit(edit(app.document, number));
    else event.target.value = String(value);
  };
  return html`<label class="field"
    ><span>${label}</span
    ><input
      type="number"
      aria-label=${name}
      min=${min}
      step=${step}
      .value=${live(String(round(value)))}
      @change=${change}
  /></label>`;
}

function clientFields(app, client, index) {
  const faults = app.document.faults ?? [];
  const pauses = faults.flatMap((fault, at) =>
    fault.kind === 'pause' && fault.node === client.id ? [{ fault, at }] : [],
  );
  const many = pauses.length > 1;
  return html`<fieldset>
    <legend>${client.id}</legend>
    ${field(app, {
      name: `Start of ${client.id}`,
      label: 'Start',
      value: client.start ?? 0,
      edit: (document, start) => withClient(document, index, { start }),
    })}
    ${field(app, {
      name: `Work of ${client.id}`,
      label: 'Work',
      value: client.work ?? 1,
      edit: (document, work) => withClient(document, index, { work }),
    })}
    ${pauses.map(({ fault, at }, number) => {
      const which = many ? `Pause ${number + 1}` : 'Pause';
      return html`${field(app, {
        name: `${which} start of ${client.id}`,
        label: `${which} start`,
        value: fault.from,
        edit: (document, from) => withMoved(document, at, from),
      })}${field(app, {
        name: `${which} length of ${client.id}`,
        label: `${which} length`,
        value: fault.to - fault.from,
        min: 0.01,
        edit: (document, length) => withLength(document, at, length),
      })}`;
    })}
  </fieldset>`;
}

export function schedule(app) {
  return html`<fieldset>
      <legend>Lock</legend>
      ${field(app, {
        name: 'Lease seconds',
        label: 'Lease',
        value: app.document.lease ?? 10,
        min: 0.01,
        edit: withLease,
      })}
    </fieldset>
    ${app.document.clients.map((client, index) => clientFields(app, client, index))}`;
}
