// Faults that real lock clients have had, seen from the simulator: F16 to F27, F32 and F33.

import { presets, simulate, suiteScenario } from 'fencelock/simulator';

const LEASE = 3;
const TO_SERVICE = 'client 1 -> lock service';
const TO_CLIENT = 'lock service -> client 1';

// One client that renews, on a lease of 3 seconds and a network without chance.
const run = (client, { faults = [], ...rest } = {}) =>
  simulate({
    version: 1,
    lease: LEASE,
    holder: { maxClockSkew: 0.25, minRenewLead: 1 },
    network: { latency: [0.01, 0.01], timeout: 100 },
    clients: [{ renew: true, retry: 0.1, ...client }, ...(rest.others ?? [])],
    faults,
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => name !== 'others')),
  });

const pick = (trace, kind, also = {}) =>
  trace.events.filter(
    (event) =>
      event.kind === kind && Object.entries(also).every(([field, value]) => event[field] === value),
  );

const renewals = (trace) => pick(trace, 'send', { operation: 'renew', node: 'client 1' });

const endings = (trace) =>
  pick(trace, 'distrust', { node: 'client 1' }).map(({ reason }) => reason);

const cut = (from, to) => ({ kind: 'partition', between: ['client 1', 'lock service'], from, to });

test('F16: a grant that comes too late is given back, and asked for anew', () => {
  const trace = run(
    { work: 0.1 },
    {
      lease: 1,
      holder: { maxClockSkew: 0.1, minRenewLead: 0.2 },
      faults: [{ kind: 'delay', message: `${TO_CLIENT} #1`, by: 1.4 }],
    },
  );
  expect(endings(trace)).toEqual(['granted too late', 'released']);
  expect(pick(trace, 'trust').map(({ token }) => token)).toEqual([2]);
  expect(pick(trace, 'release').map(({ token }) => token)).toEqual([1, 2]);
});

test('F17: a renewal that is answered after the release starts nothing again', () => {
  const trace = run(
    { work: 0.9 },
    { faults: [{ kind: 'delay', message: `${TO_CLIENT} #2`, by: 1.5 }] },
  );
  const released = pick(trace, 'distrust')[0];
  const answered = pick(trace, 'deliver', { message: `${TO_CLIENT} #2` })[0];
  expect(answered).toMatchObject({ operation: 'renew', reply: true });
  expect(answered.time).toBeGreaterThan(released.time);
  const later = [...renewals(trace), ...pick(trace, 'trust')];
  expect(later.filter(({ time }) => time > released.time)).toEqual([]);
  expect(trace.violations).toEqual([]);
});

test('F18, F19: a renewal that fails is tried again, and costs nothing', () => {
  const trace = run({ work: 8 }, { faults: [{ kind: 'drop', message: `${TO_SERVICE} #2` }] });
  const [first, second] = renewals(trace);
  expect(second.time).toBeLessThan(2);
  expect(second.time).toBeGreaterThan(first.time);
  expect(endings(trace)).toEqual(['released']);
});

test('F20: a service that is down is asked at most 8 times, with growing pauses', () => {
  for (let seed = 1; seed <= 1000; seed++) {
    const trace = run(
      { work: 8 },
      { seed, faults: [{ kind: 'crash', node: 'lock service', at: 0.5, restart: null }] },
    );
    const times = renewals(trace).map(({ time }) => time);
    expect(times.length).toBeGreaterThan(1);
    expect(times.length).toBeLessThanOrEqual(8);
    expect(endings(trace)).toEqual(['expired']);
    // The last pauses are cut short by the end of the trust that is left.
    if (times.length >= 3) expect(times[2] - times[1]).toBeGreaterThan(times[1] - times[0]);
  }
});

test.each([1, 0.1, 0.01])('F21: a lease of %s s is renewed at most 4 times a lease', (lease) => {
  const holder = { maxClockSkew: lease / 10, minRenewLead: lease / 10 };
  const network = { latency: [0, 0] };
  const trace = run({ work: 100 * lease }, { lease, holder, network, until: 200 * lease });
  expect(renewals(trace).length).toBeLessThanOrEqual(400);
  expect(endings(trace)).toEqual(['released']);
});

test('F22: a lease of 30 days is first renewed near a third of it', () => {
  const days = 86_400;
  const trace = run({ work: 29 * days }, { lease: 30 * days, until: 40 * days });
  const [first] = renewals(trace);
  expect(first.time).toBeGreaterThan(9 * days);
  expect(first.time).toBeLessThanOrEqual(10 * days + 1);
  expect(endings(trace)).toEqual(['released']);
});

test('F23: where everything is silently dropped, trust ends at its instant', () => {
  const trace = run({ work: 20 }, { faults: [cut(0.5, 30)] });
  const sent = pick(trace, 'send', { operation: 'acquire' })[0];
  const lost = pick(trace, 'distrust')[0];
  expect(lost).toMatchObject({ reason: 'expired', time: sent.time + LEASE - 0.25 });
  expect(pick(trace, 'write')).toEqual([]);
  expect(pick(trace, 'done')[0].time - lost.time).toBeLessThan(0.01);
});

test('F24: answers out of order never move the end of trust back', () => {
  const trace = run(
    { work: 6 },
    { faults: [{ kind: 'delay', message: `${TO_CLIENT} #2`, by: 0.9 }] },
  );
  const answers = pick(trace, 'deliver', { operation: 'renew', reply: true });
  const messages = answers.map(({ message }) => message);
  expect(messages[0]).toBe(`${TO_CLIENT} #3`);
  expect(messages.indexOf(`${TO_CLIENT} #2`)).toBeGreaterThan(0);
  const ends = pick(trace, 'trust').map(({ until }) => until);
  expect(ends).toEqual([...ends].sort((a, b) => a - b));
  const [, second] = renewals(trace);
  expect(ends[1]).toBeCloseTo(second.time + LEASE - 0.25, 5);
});

describe('F25: a client that slept from 1 to 61', () => {
  const faults = [{ kind: 'suspend', node: 'client 1', from: 1, to: 61 }];
  const others = [{ start: 2, work: 1, retry: 1 }];

  test('asks before it trusts again, and learns that the lease is gone', () => {
    const trace = run({ work: 2 }, { faults, others, until: 90 });
    expect(endings(trace)).toEqual(['slept']);
    expect(pick(trace, 'distrust', { node: 'client 1' })[0].time).toBe(61);
    expect(renewals(trace).at(-1).time).toBe(61);
    expect(pick(trace, 'renew').at(-1).outcome).toBe('refused');
    expect(pick(trace, 'write', { peer: 'client 1' })).toEqual([]);
  });

  test('is fenced where it does not ask', () => {
    const trace = run({ work: 2, renew: false }, { faults, others, until: 90 });
    expect(pick(trace, 'write', { peer: 'client 1' })[0].reason).toBe('stale: 1 < 2');
  });

  test('does not go by a grant that was under way while it slept', () => {
    const early = [{ kind: 'suspend', node: 'client 1', from: 0.005, to: 61 }];
    const trace = run({ work: 2 }, { faults: early, until: 90 });
    expect(pick(trace, 'trust').map(({ token }) => token)).not.toContain(1);
    expect(pick(trace, 'release').map(({ token }) => token)).toContain(1);
    expect(trace.violations).toEqual([]);
  });
});

describe('a client whose clock steps back', () => {
  const stepped = (by) =>
    run({ work: 4 }, { faults: [{ kind: 'clock-step', node: 'client 1', at: 1, by }] });

  test('by more than the skew asks before it trusts again', () => {
    const trace = stepped(-0.5);
    expect(endings(trace)).toEqual(['clock stepped back', 'released']);
    expect(renewals(trace).some(({ time }) => time === 1)).toBe(true);
    expect(pick(trace, 'trust')).toHaveLength(pick(trace, 'renew').length + 1);
    expect(trace.violations).toEqual([]);
  });

  test('by less goes on', () => {
    expect(endings(stepped(-0.2))).toEqual(['released']);
  });
});

test('F26: trust ends by the clock, whether or not a timer runs', () => {
  const trace = run(
    { work: 100 },
    { lease: 30, until: 200, faults: [{ kind: 'pause', node: 'client 1', from: 1, to: 61 }] },
  );
  expect(pick(trace, 'distrust')[0]).toMatchObject({ reason: 'expired', time: 29.75 });
});

test('F27: a client 5 % slow trusts for 9.5 s of its clock; with rho 0 two hold at once', () => {
  const slow = (rateError) =>
    run(
      { work: 20, clock: { offset: 0, rate: 0.95 } },
      {
        lease: 10,
        holder: { maxClockSkew: 0, minRenewLead: 1, rateError },
        others: [{ renew: true, start: 1, work: 5, retry: 0.1 }],
        faults: [cut(0.1, 20)],
      },
    );
  const careful = slow(0.05);
  expect(careful.violations).toEqual([]);
  expect(pick(careful, 'distrust', { node: 'client 1' })[0].localTime).toBe(9.5);
  expect(slow(0).violations).toMatchObject([
    { invariant: 'I4', node: 'client 1', peer: 'client 2', token: 1, other: 2 },
  ]);
});

test('F32: a retry carries the request’s id, and gets the first answer: one token', () => {
  const trace = run(
    { work: 1 },
    {
      network: { latency: [0.01, 0.01], timeout: 0.5 },
      faults: [{ kind: 'drop', message: `${TO_CLIENT} #1` }],
    },
  );
  expect(pick(trace, 'send', { operation: 'acquire', node: 'client 1' })).toHaveLength(2);
  expect(pick(trace, 'acquire').map(({ token }) => token)).toEqual([1]);
  const [trust] = pick(trace, 'trust');
  // The lease counts from the first sending, not from the one that was answered.
  expect(trust).toMatchObject({ token: 1, until: LEASE - 0.25 });
});

describe('F33: the same run, whatever the clocks read', () => {
  const ORIGINS = [2 ** 31 / 1000, 2 ** 32 / 1000, 100 * 86_400, -1000];
  const scenarios = [
    ...presets.map(({ name, scenario }) => [name, scenario]),
    ...['chaos', 'drift'].flatMap((suite) =>
      Array.from({ length: 50 }, (_, i) => [`${suite} ${i + 1}`, suiteScenario(suite, i + 1)]),
    ),
  ];

  const hashes = (origin) =>
    scenarios.map(([name, scenario]) => [name, simulate({ ...scenario, origin }).hash]);
  const unmoved = hashes(0);

  test.each(ORIGINS)('an origin of %s s', (origin) => {
    expect(hashes(origin)).toEqual(unmoved);
  });

  test('the clocks do read otherwise', () => {
    const { scenario } = presets[0];
    const [first] = simulate({ ...scenario, origin: 8_640_000 }).events;
    expect(first).toMatchObject({ time: 0, localTime: 8_640_000 });
  });
});
