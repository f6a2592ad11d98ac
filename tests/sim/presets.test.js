// The presets end as their titles say.

import { describe as sentence, presets, simulate } from 'fencelock/simulator';

const preset = (name, change = {}) => {
  const { scenario } = presets.find((each) => each.name === name);
  return simulate({ ...scenario, ...change });
};

const all = ({ events }, kind, also = {}) =>
  events.filter(
    (event) =>
      event.kind === kind && Object.entries(also).every(([field, value]) => event[field] === value),
  );

const one = (trace, kind, also) => {
  const found = all(trace, kind, also);
  expect(found).toHaveLength(1);
  return found[0];
};

test('there are the eight of the page, and none breaks a rule with fencing on', () => {
  expect(presets).toHaveLength(8);
  for (const { name, title, text, scenario } of presets) {
    expect([name, title, text]).toEqual([
      expect.any(String),
      expect.any(String),
      expect.any(String),
    ]);
    expect(simulate({ ...scenario, fencing: 'at-least' }).violations).toEqual([]);
  }
});

test('the lesson ends with a rejected write, 33 < 34', () => {
  const trace = preset('lesson');
  const write = one(trace, 'write', { peer: 'client 1' });
  expect(write).toMatchObject({
    outcome: 'rejected',
    token: 33,
    highest: 34,
    reason: 'stale: 33 < 34',
  });
  expect(write.previous).toBe('write 1 of client 2');
  expect(sentence(write)).toBe(
    'The storage rejects client 1’s write to the file with token 33: 33 < 34.',
  );
});

test('the lesson with a pause that ends in time ends with both writes accepted', () => {
  const trace = preset('lesson', { faults: [{ kind: 'pause', node: 'client 1', from: 1, to: 9 }] });
  expect(all(trace, 'write', { outcome: 'accepted' }).map(({ token }) => token)).toEqual([33, 34]);
});

test('the lesson without fencing accepts the stale write', () => {
  const trace = preset('unfenced');
  expect(one(trace, 'write', { stale: true })).toMatchObject({
    outcome: 'accepted',
    token: 33,
    highest: 34,
    value: 'write 1 of client 1',
    previous: 'write 1 of client 2',
  });
  expect(trace.violations).toMatchObject([
    { invariant: 'I2', key: 'the file', token: 33, other: 34 },
  ]);
});

test('twins differ nowhere before the first stale write', () => {
  const fenced = preset('lesson').events;
  const unfenced = preset('unfenced').events;
  const first = fenced.findIndex(
    (event, i) => JSON.stringify(event) !== JSON.stringify(unfenced[i]),
  );
  expect(fenced[first].kind).toBe('write');
  expect(fenced[first].outcome).toBe('rejected');
});

test('a late release does not free the next holder’s lock', () => {
  const trace = preset('late-release');
  const late = one(trace, 'release', { peer: 'client 1' });
  expect(late.outcome).toBe('refused');
  expect(late.time).toBeGreaterThan(one(trace, 'acquire', { token: 2 }).time);
  expect(one(trace, 'release', { peer: 'client 2' }).outcome).toBe('ok');
});

test('renewals carry the lock through the partition, and not through a longer one', () => {
  const trace = preset('partition');
  expect(all(trace, 'drop', { reason: 'partition' }).length).toBeGreaterThan(0);
  expect(all(trace, 'distrust', { node: 'client 1' }).map(({ reason }) => reason)).toEqual([
    'released',
  ]);
  const longer = preset('partition', {
    faults: [{ kind: 'partition', between: ['client 1', 'lock service'], from: 3, to: 11 }],
  });
  expect(one(longer, 'distrust', { node: 'client 1' }).reason).toBe('expired');
  expect(longer.violations).toEqual([]);
});

test('a clock 250 ms off lets go in time; with no skew allowed two hold at once', () => {
  const trace = preset('clock-skew');
  expect(one(trace, 'distrust', { node: 'client 1' })).toMatchObject({
    reason: 'expired',
    time: 5,
  });
  expect(one(trace, 'acquire', { token: 2 }).time).toBeGreaterThan(5);
  const trusting = preset('clock-skew', { holder: { maxClockSkew: 0 } });
  expect(trusting.violations).toMatchObject([
    { invariant: 'I4', node: 'client 1', peer: 'client 2', token: 1, other: 2 },
  ]);
});

test('after a crash the lease runs out, and no token comes twice', () => {
  const trace = preset('crash');
  expect(one(trace, 'expire')).toMatchObject({ peer: 'client 1', token: 1 });
  expect(all(trace, 'acquire', { outcome: 'granted' }).map(({ token }) => token)).toEqual([
    1, 2, 3,
  ]);
});

test('a delayed duplicate of a write gets the first answer, and writes nothing', () => {
  const trace = preset('delayed-duplicate');
  const copy = one(trace, 'deliver', { node: 'storage', copy: 1 });
  expect(copy.reason).toMatch(/first answer/);
  expect(copy.time).toBeGreaterThan(one(trace, 'write', { peer: 'client 2' }).time);
  expect(all(trace, 'write')).toHaveLength(2);
});

test('a fence keeps the late write out; without fencing an update is lost', () => {
  const trace = preset('lost-update');
  expect(one(trace, 'write', { peer: 'client 1' }).outcome).toBe('rejected');
  const unfenced = preset('lost-update', { fencing: 'off' });
  expect(unfenced.violations.map(({ invariant }) => invariant)).toEqual(['I2', 'I3']);
});

test('every event has one plain sentence', () => {
  for (const { scenario } of presets) {
    for (const event of simulate(scenario).events) {
      expect(sentence(event)).toMatch(/^[A-Z][^\n]*\.$/);
      expect(sentence(event)).not.toMatch(/undefined|null|NaN|\[object/);
    }
  }
});
