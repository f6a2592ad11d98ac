// The view code, which knows no browser: from a trace to what is drawn and said.

import { readFileSync } from 'node:fs';
import { roomy, without } from '../../web/view/model.js';
import { spread } from '../../web/view/captions.js';
import { readingsOf, roundTimes } from '../../web/view/ruler.js';
import { runOf } from '../../web/run.js';
import { drawFigure, drawGhost } from '../../web/view/figure.js';
import { fencingFirstHelps, tellStory, verdict } from '../../web/view/story.js';
import { withHolder } from '../../web/edits.js';
import { verdictWords } from '../../web/view/verdict.js';
import { outcomeOf, outcomesShown } from '../../web/view/map.js';
import { step } from '../../web/view/instant.js';
import { stateRows } from '../../web/view/words.js';
import { firstDifference, parting } from '../../web/view/compare.js';
import { comparison, seconds } from '../../web/view/text.js';
import * as core from 'fencelock/simulator';

const { presets, simulate } = core;
const lesson = presets.find((preset) => preset.name === 'lesson').scenario;
const fencedRun = runOf(simulate(lesson));
const unfencedRun = runOf(simulate({ ...lesson, fencing: 'off' }));
const fenced = fencedRun.model;
const unfenced = unfencedRun.model;

describe('what a trace tells', () => {
  test('the lease, the belief that outlives it, and the gap between them', () => {
    const [first, second] = fenced.leases;
    expect(first).toMatchObject({ client: 'client 1', token: 33, end: 'expired' });
    expect(second).toMatchObject({ client: 'client 2', token: 34, end: 'released' });
    expect(fenced.gaps).toHaveLength(1);
    expect(fenced.gaps[0]).toMatchObject({ client: 'client 1', token: 33, from: first.to });
    expect(fenced.gaps[0].to).toBeGreaterThan(16);
  });

  test('gaps are in the order in which they begin', () => {
    const at = (time, node, kind, more) => ({ time, node, kind, ...more });
    const granted = (time, peer, lock, token, until) =>
      at(time, 'locks', 'acquire', { peer, lock, token, outcome: 'granted', until });
    const events = [
      granted(0, 'A', 'slow', 1, 20),
      at(1, 'A', 'trust', { lock: 'slow', token: 1, until: 40 }),
      granted(2, 'B', 'quick', 2, 5),
      at(3, 'B', 'trust', { lock: 'quick', token: 2, until: 40 }),
      at(5, 'locks', 'expire', { lock: 'quick' }),
      at(20, 'locks', 'expire', { lock: 'slow' }),
      at(30, 'locks', 'acquire', { peer: 'C', lock: 'slow', outcome: 'held' }),
    ];
    const { gaps } = runOf({ events, scenario: null }).model;
    expect(gaps.map(({ client, from }) => [client, from])).toEqual([
      ['B', 5],
      ['A', 20],
    ]);
  });

  test('a rejected write leaves the value; an unfenced one replaces it', () => {
    expect(fenced.values.map((value) => value.token)).toEqual([34]);
    expect(unfenced.values.map((value) => value.token)).toEqual([34, 33]);
    expect(unfenced.values.map((value) => value.stale)).toEqual([false, true]);
    expect(comparison(fenced.writes.at(-1))).toBe('33 < 34');
    expect(verdict(fenced).kind).toBe('fenced');
    expect(verdict(unfenced).kind).toBe('corrupted');
  });

  test('messages are paired with their arrivals', () => {
    for (const message of fenced.messages) {
      expect(message.arrives).toBeGreaterThan(message.sent);
      expect(message.lost).toBeNull();
    }
  });

  test('spans are cut out of spans', () => {
    expect(without(0, 10, [])).toEqual([{ from: 0, to: 10 }]);
    expect(without(0, 10, [{ from: -1, to: 12 }])).toEqual([]);
    const cuts = [
      { from: 6, to: 7 },
      { from: 1, to: 3 },
      { from: 2, to: 4 },
    ];
    expect(without(0, 10, cuts)).toEqual([
      { from: 0, to: 1 },
      { from: 4, to: 6 },
      { from: 7, to: 10 },
    ]);
  });
});

describe('the state at an instant', () => {
  test('a seek gives what folding every event gives', () => {
    const { instants } = fencedRun;
    let state = instants.at(0);
    const slow = [state];
    for (const event of fenced.events) slow.push((state = step(state, event)));
    for (let i = fenced.events.length; i >= 0; i -= 1) expect(instants.at(i)).toEqual(slow[i]);
    expect(slow.length).toBeGreaterThan(50);
  });

  test('who holds, who believes, and what is stored', () => {
    const { instants } = unfencedRun;
    const rows = (time) => stateRows(unfenced, instants.at(instants.indexAt(time)), time);
    const during = rows(12);
    expect(during[0]).toMatchObject({ node: 'lock service', holder: 'client 2', token: 34 });
    expect(during[1]).toMatchObject({ node: 'client 1', wrong: true, token: 33, what: 'paused' });
    expect(during[2]).toMatchObject({ node: 'client 2', wrong: false, token: 34 });
    expect(during[3].says).toBe('never written');
    expect(rows(15)[3]).toMatchObject({ token: 34, stale: false });
    expect(rows(17)[3]).toMatchObject({ token: 33, highest: 34, stale: true });
  });

  test('a stale write that was accepted is not forgotten when the next one covers it', () => {
    const third = { id: 'client 3', start: 22, work: 1 };
    const document = { ...lesson, fencing: 'off', clients: [...lesson.clients, third] };
    const { model, instants } = runOf(simulate(document));
    const last = instants.at(model.events.length);
    expect(last.keys['the file']).toMatchObject({ client: 'client 3', stale: false });
    expect(last.stale).toBe(1);
    const before = model.events.findIndex((event) => event.stale);
    expect(instants.at(before).stale).toBe(0);
    expect(instants.at(before + 1).stale).toBe(1);
  });

  test('events at one instant all count from it on', () => {
    const { instants } = fencedRun;
    const { time } = fenced.events.find((event) => event.kind === 'expire');
    const index = instants.indexAt(time);
    expect(fenced.events[index - 1].time).toBe(time);
    expect(fenced.events[index].time).toBeGreaterThan(time);
    expect(instants.indexAt(time - 1e-6)).toBeLessThan(index);
  });
});

describe('the picture', () => {
  const boxes = (drawn) => drawn.texts.map((text) => text.box);

  function overlapping(drawn) {
    const all = boxes(drawn);
    return all.filter((a, i) =>
      all.some(
        (b, j) =>
          j > i &&
          a.x < b.x + b.width &&
          b.x < a.x + a.width &&
          a.y < b.y + b.height &&
          b.y < a.y + a.height,
      ),
    );
  }

  test.each([
    [360, true, false],
    [328, false, true],
    [728, false, false],
    [728, false, true],
    [1000, false, false],
  ])('at %i pixels no label overlaps another or is cut off', (width, tall, low) => {
    for (const model of [fenced, unfenced]) {
      const drawn = drawFigure(model, { width, tall, low, story: tellStory(model) });
      expect(overlapping(drawn)).toEqual([]);
      for (const box of boxes(drawn)) {
        expect(box.x).toBeGreaterThanOrEqual(0);
        expect(box.y).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width).toBeLessThanOrEqual(drawn.width);
        expect(box.y + box.height).toBeLessThanOrEqual(drawn.height);
      }
    }
  });

  test('the words that matter are on it', () => {
    const words = (model, kind, width, tall = false) =>
      drawFigure(model, { width, tall, story: [] })
        .texts.filter((text) => text.kind === kind)
        .map((text) => text.lines.join(' '));
    for (const [width, tall] of [
      [330, true],
      [720, false],
      [1000, false],
    ]) {
      expect(words(fenced, 'comparison', width, tall)).toEqual(['33 < 34']);
      expect(words(fenced, 'gap-label', width, tall)).toHaveLength(1);
      expect(words(fenced, 'stamp', width, tall)).toEqual([]);
      expect(words(unfenced, 'stamp', width, tall)).toEqual(['CORRUPTED DATA']);
      expect(words(unfenced, 'value-label', width, tall)).toContain('33 over 34');
      const { texts, geometry } = drawFigure(unfenced, { width, tall, story: [] });
      const over = texts.find((text) => text.lines.join(' ') === '33 over 34');
      const begins = geometry.along(unfenced.values.at(-1).from);
      expect(tall ? over.box.y : over.box.x).toBeGreaterThanOrEqual(begins);
    }
  });

  test('there is a fence only where the storage compares tokens', () => {
    const { scenario } = presets.find((preset) => preset.name === 'lost-update');
    const drawn = ({ model }) => drawFigure(model, { width: 1000, tall: false, story: [] });
    const lines = ({ layers }) =>
      layers.flatMap((layer) => layer.shapes).filter((shape) => shape.class === 'fence');
    const words = ({ texts }) =>
      texts.filter((text) => text.kind === 'fence-label').map((text) => text.lines.join(' '));
    const on = drawn(runOf(simulate(scenario)));
    expect(lines(on)).toHaveLength(2);
    expect(words(on)).toEqual(['fence 1', 'fence 2']);
    const off = drawn(runOf(simulate({ ...scenario, fencing: 'off' })));
    expect(lines(off)).toHaveLength(0);
    expect(words(off)).toEqual(['no fence 1', 'no fence 2']);
  });

  test('time is where it should be, both ways', () => {
    for (const [width, tall] of [
      [1000, false],
      [360, true],
    ]) {
      const { geometry } = drawFigure(fenced, { width, tall });
      for (const time of [0, 1, 10.03, fenced.endTime]) {
        expect(geometry.time(geometry.along(time))).toBeCloseTo(time, 9);
      }
      expect(geometry.along(0)).toBe(geometry.start);
      expect(geometry.along(fenced.endTime)).toBeCloseTo(geometry.end, 9);
    }
  });

  test('what lies outside a magnified stretch is left out or cut at its edge', () => {
    const drawn = drawFigure(fenced, { width: 1000, tall: false, domain: [9, 11] });
    const { start, end } = drawn.geometry;
    for (const { shapes } of drawn.layers) {
      for (const shape of shapes.filter((one) => one.tag === 'rect')) {
        expect(shape.x).toBeGreaterThanOrEqual(start);
        expect(shape.x + shape.width).toBeLessThanOrEqual(end + 1e-9);
      }
    }
  });

  test('a long run has no more shapes than a picture can tell apart', () => {
    const clients = [1, 2].map((i) => ({ id: `client ${i}`, work: 0.2, cycles: 800, rest: 0.1 }));
    const { model, story } = runOf(simulate({ version: 1, until: 5000, clients }));
    expect(model.events.length).toBeGreaterThan(20_000);
    const drawn = drawFigure(model, { width: 1000, tall: false, story });
    expect(drawn.model.leases.length).toBeLessThan(1000);
    expect(drawn.model.messages.length).toBeLessThan(5000);
    const shapes = drawn.layers.flatMap((layer) => layer.shapes);
    expect(shapes.length).toBeLessThan(1500);
    const length = shapes.reduce((sum, shape) => sum + (shape.d?.length ?? 0), 0);
    expect(length).toBeLessThan(1_000_000);
  });

  test('a ghost takes no clicks', () => {
    const drawn = drawFigure(fenced, { width: 1000, tall: false });
    const shapes = drawGhost(unfenced, drawn);
    expect(shapes.length).toBeGreaterThan(0);
    for (const shape of shapes) expect(shape.index).toBeUndefined();
  });

  test('a ghost is only of what differs', () => {
    const drawn = drawFigure(fenced, { width: 1000, tall: false });
    expect(drawGhost(fenced, drawn)).toEqual([]);
    const kinds = drawGhost(unfenced, drawn).map((shape) => shape.class);
    // The stale write is what is new; leases, beliefs and the pause are as they were.
    expect(kinds.some((kind) => /value stale/.test(kind))).toBe(true);
    expect(kinds.filter((kind) => /lease|belief|pause/.test(kind))).toEqual([]);
    const faults = [{ ...lesson.faults[0], to: 12 }];
    const shorter = runOf(simulate({ ...lesson, faults })).model;
    const old = drawGhost(fenced, drawFigure(shorter, { width: 1000, tall: false }));
    expect(old.filter((shape) => /pause/.test(shape.class))).toHaveLength(1);
    // A rejection is a small cross, on which the words of the present run would lie.
    expect(old.filter((shape) => /bounce/.test(shape.class))).toEqual([]);
  });
});

describe('where things are put', () => {
  test('marks keep their order and their distance', () => {
    expect(spread([10, 50, 90], 20, 0, 100)).toEqual([10, 50, 90]);
    expect(spread([10, 12, 13], 20, 0, 100)).toEqual([10, 30, 50]);
    expect(spread([90, 95, 100], 20, 0, 100)).toEqual([60, 80, 100]);
    expect(spread([], 20, 0, 100)).toEqual([]);
  });

  test("a skewed clock's ruler follows the clock", () => {
    const clients = [{ ...lesson.clients[0], clock: { offset: 2, rate: 0.5 } }, lesson.clients[1]];
    const { model } = runOf(simulate({ ...lesson, clients }));
    const readings = readingsOf(model);
    expect([...readings.keys()]).toEqual(['client 1']);
    const marks = roundTimes(readings.get('client 1'), 2);
    expect(marks.map((mark) => mark.local)).toEqual([2, 4, 6, 8, 10]);
    for (const { time, local } of marks) expect(2 + 0.5 * time).toBeCloseTo(local, 4);
    expect(readingsOf(fenced).size).toBe(0);
  });

  test('a picture ends on a tick and leaves room', () => {
    for (const time of [0.4, 3, 9, 16.12, 59, 3017]) {
      expect(roomy(time)).toBeGreaterThan(time * 1.1);
      expect(roomy(time)).toBeLessThan(time * 1.4);
    }
  });
});

describe('what is told', () => {
  test('the story has the corrupting write, also after a good one with the same token', () => {
    const { model } = runOf(
      simulate({
        version: 1,
        lease: 3,
        fencing: 'off',
        until: 8,
        clients: [{ writes: 2 }, { start: 1, retry: 0.1 }],
        network: { latency: [0.02, 0.02] },
        faults: [{ kind: 'pause', node: 'client 1', from: 1.05, to: 6 }],
      }),
    );
    const told = tellStory(model).map((item) => model.events[item.index]);
    const writes = model.events.filter((event) => event.kind === 'write' && event.token === 1);
    expect(writes.map((event) => event.stale ?? false)).toEqual([false, true]);
    expect(told).toContain(writes[1]);
  });

  test('the story has the grants, the end of the lease and the rejected write', () => {
    const told = tellStory(fenced).map((item) => fenced.events[item.index]);
    const kinds = told.map((event) => `${event.kind} ${event.outcome ?? ''} ${event.token ?? ''}`);
    expect(kinds).toContain('acquire granted 33');
    expect(told.map((event) => event.kind)).toContain('pause');
    expect(kinds).toContain('expire ok 33');
    expect(kinds).toContain('acquire granted 34');
    expect(kinds).toContain('write rejected 33');
    const times = told.map((event) => event.time);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('two runs part where the first event differs', () => {
    expect(firstDifference(fenced.events, fenced.events)).toBeNull();
    const at = firstDifference(fenced.events, unfenced.events);
    expect(fenced.events[at]).toMatchObject({ kind: 'write', outcome: 'rejected' });
    expect(firstDifference(fenced.events, fenced.events.slice(0, 5))).toBe(5);
  });

  test('an edit of how long a pause lasts shows where it ends, not where it begins', () => {
    const faults = [{ ...lesson.faults[0], to: 9 }];
    const shorter = runOf(simulate({ ...lesson, faults })).model;
    const at = firstDifference(shorter.events, fenced.events);
    expect(shorter.events[at]).toMatchObject({ kind: 'resume', time: 9 });
  });

  test('of two events that differ the earlier says when', () => {
    const faults = [{ ...lesson.faults[0], to: 40 }];
    const longer = runOf(simulate({ ...lesson, faults })).model;
    expect(parting(longer.events, fenced.events).differsAt).toBe(16);
    expect(parting(fenced.events, longer.events).differsAt).toBe(16);
    expect(parting(fenced.events, fenced.events).differsAt).toBeNull();
  });

  test('times are short', () => {
    expect([9, 0.25, 10.03, -0.001, 100].map((time) => seconds(time))).toEqual([
      '9',
      '0.25',
      '10.03',
      '0',
      '100',
    ]);
  });
});

describe('a late write that the storage could not catch', () => {
  const faults = [{ ...lesson.faults[0], to: 12 }];
  const early = runOf(simulate({ ...lesson, faults }));
  const [write] = early.verdict.writes;

  test('is the verdict, when the newer token was granted but not yet there', () => {
    expect(early.verdict.kind).toBe('uncaught');
    expect(write).toMatchObject({ client: 'client 1', token: 33, accepted: true, stale: false });
    expect(write.newer).toEqual({ client: 'client 2', token: 34 });
    expect(outcomeOf(early)).toBe('uncaught');
    expect(outcomesShown([['kept', 'uncaught']])).toContain('uncaught');
    expect(outcomesShown([['kept']])).toEqual(['kept', 'lost', 'rejected', 'corrupted']);
  });

  test('is a step of the story, also after many other late writes', () => {
    expect(early.story.map((item) => item.index)).toContain(write.index);
    const clients = [{ writes: 9 }, { start: 1, retry: 0.1, work: 1.05 }];
    const { story, verdict: end } = runOf(
      simulate({
        version: 1,
        lease: 3,
        until: 12,
        clients,
        network: { latency: [0.02, 0.02] },
        faults: [{ kind: 'pause', node: 'client 1', from: 1.05, to: 3.3 }],
      }),
    );
    expect(end.kind).toBe('uncaught');
    expect(story.map((item) => item.index)).toContain(end.writes[0].index);
  });

  test('would have been refused, had the newer holder fenced first and been there in time', () => {
    expect(fencingFirstHelps(early.model, write)).toBe(true);
    const asleep = [...faults, { kind: 'pause', node: 'client 2', from: 11.105, to: 12.5 }];
    const late = runOf(simulate({ ...lesson, faults: asleep }));
    expect(late.verdict.kind).toBe('uncaught');
    expect(fencingFirstHelps(late.model, late.verdict.writes[0])).toBe(false);
    const off = runOf(simulate({ ...lesson, faults, fencing: 'off' }));
    expect(off.verdict.kind).toBe('uncaught');
    expect(fencingFirstHelps(off.model, off.verdict.writes[0])).toBe(false);
  });

  test('is none where the lease ended only afterwards', () => {
    const inTime = [{ ...lesson.faults[0], to: 9 }];
    expect(runOf(simulate({ ...lesson, faults: inTime })).verdict.kind).toBe('quiet');
  });
});

describe('a copy of a write, after a newer one', () => {
  const { scenario } = presets.find((preset) => preset.name === 'delayed-duplicate');
  const run = runOf(simulate(scenario));

  test('is the verdict, a step of the story, and what the map says', () => {
    expect(run.verdict.kind).toBe('repeated');
    const [repeat] = run.verdict.writes;
    expect(repeat).toMatchObject({ client: 'client 1', token: 1, newer: 2 });
    expect(run.model.events[repeat.index]).toMatchObject({ kind: 'deliver', copy: 1 });
    expect(run.story.map((item) => item.index)).toContain(repeat.index);
    expect(outcomeOf(run)).toBe('repeated');
  });

  test.each([
    [360, true],
    [728, false],
    [1000, false],
  ])('has a mark on the storage lane at %i pixels', (width, tall) => {
    const drawn = drawFigure(run.model, { width, tall, story: run.story });
    const labels = drawn.texts.filter((text) => text.kind === 'repeat-label');
    expect(labels.map((text) => text.lines[0])).toEqual([expect.stringMatching(/^=/)]);
    const { shapes } = drawn.layers.find((layer) => layer.name === 'repeats');
    expect(shapes.map((shape) => shape.index)).toEqual([run.verdict.writes[0].index]);
  });

  test('is in order when nothing newer was stored in between', () => {
    const faults = [{ ...scenario.faults[0], by: 0.5 }];
    const soon = runOf(simulate({ ...scenario, faults }));
    expect(soon.model.repeats).toHaveLength(1);
    expect(soon.verdict.kind).toBe('quiet');
  });
});

describe('an event in words', () => {
  const said = (scenario) => {
    const trace = simulate(scenario);
    return trace.events.map((event) => core.describe(event, trace));
  };

  test('fits before and after its instant', () => {
    const words = said(lesson);
    expect(words).toContain('The lease of client 1 on the lock (token 33) has ended.');
    expect(words).toContain(
      'Client 1 trusts its lease on the lock with token 33, whatever the clock says.',
    );
  });

  test('says of a fence that it is none with fencing off', () => {
    const { scenario } = presets.find((preset) => preset.name === 'lost-update');
    expect(said(scenario)).toContain(
      'The storage fences the file against tokens below 2 for client 2.',
    );
    const off = said({ ...scenario, fencing: 'off' }).join(' ');
    expect(off).not.toContain('storage fences');
    expect(off).toContain('The storage has no fence, and lets client 2 believe in one.');
  });
});

describe('what is said of a scenario', () => {
  test('titles fit their box, and hints name what is there', () => {
    for (const { title, text } of presets) {
      expect(title.length).toBeLessThanOrEqual(27);
      expect(text.length).toBeLessThanOrEqual(108);
      expect(text).not.toMatch(/ms a lease|allow less/);
    }
    const { scenario, text } = presets.find((preset) => preset.name === 'clock-skew');
    expect(text).toContain('“Allowed clock skew” to 0.1 s');
    const less = withHolder(scenario, { maxClockSkew: 0.1 });
    expect(less.holder).toEqual({ maxClockSkew: 0.1 });
    expect(runOf(simulate(scenario)).verdict.kind).toBe('quiet');
    expect(runOf(simulate(less)).verdict.kind).toBe('broken');
  });

  test('fencing that changes nothing is said to', async () => {
    globalThis.fencelockCore = core;
    const { App } = await import('../../web/app.js');
    const app = new App();
    app.openPreset('crash');
    app.setFencing(false);
    expect(app.notice).toBe('The same run: no late write here.');
    app.openPreset('lesson');
    app.setFencing(false);
    expect(app.notice).toBe('');
    app.setFencing(true);
    app.edit({ ...app.document, faults: [{ ...lesson.faults[0], to: 12 }] });
    app.setFencing(false);
    expect(app.notice).toBe('The same run: the newer token has not been at the storage.');
    clearTimeout(app.saying);
  });
});

describe('the verdict in words', () => {
  const said = (name, changes = {}) => {
    const { scenario } = presets.find((preset) => preset.name === name);
    const { title, text } = verdictWords(runOf(simulate({ ...scenario, ...changes })));
    return `${title} ${text}`;
  };

  test('names the cause', () => {
    expect(said('lesson')).toBe(
      'Fenced. At 16.03 s the storage rejects client 1’s late write: its token 33 is older than ' +
        '34. Its lease ran out at 10.01 s while it was paused.',
    );
    expect(said('unfenced')).toBe(
      'Not fenced. At 16.03 s the storage accepts client 1’s late write, though its token 33 is ' +
        'older than 34. Its lease ran out at 10.01 s while it was paused.',
    );
    expect(said('lost-update')).toMatch(
      /^Fenced\. .* Its lease ran out at 4\.01 s while its write was on its way\.$/,
    );
  });

  test('says which write was not caught, and what would have caught it', () => {
    const faults = [{ ...lesson.faults[0], to: 12 }];
    expect(said('lesson', { faults })).toBe(
      'Late, yet accepted. At 12.03 s the storage accepts client 1’s write with token 33, though ' +
        '34 is granted: a storage knows no leases, only tokens it has seen. Its lease ran out at ' +
        '10.01 s while it was paused. A fence by client 2 first would have refused it.',
    );
    expect(said('lesson', { faults, fencing: 'off' })).toMatch(
      /though 34 is granted, and would with fencing on: a storage .* while it was paused\.$/,
    );
  });

  test('says what a late copy does', () => {
    expect(said('delayed-duplicate')).toBe(
      'Repeated. At 6.07 s a copy of client 1’s write arrives; the storage gives its first ' +
        'answer again and stores nothing. It had been on its way since 1.05 s.',
    );
  });

  test.each([
    ['late-release', 'Client 1’s lease ran out at 5.01 s while its release was on its way.'],
    ['partition', 'Client 1 was cut off for 2 s, and renewed its lease in time.'],
    [
      'clock-skew',
      'Client 1’s lease ran out at 5.01 s while it was cut off from the lock service.',
    ],
    ['crash', 'Client 1’s lease ran out at 5.01 s, after it had crashed at 1.00 s.'],
  ])('of %s says what passed without harm', (name, what) => {
    expect(said(name)).toBe(`In order. No write came with an old token. ${what}`);
  });

  test('says when nothing is written, and what is broken', () => {
    expect(said('lesson', { until: 0.5, faults: [] })).toBe(' Nothing is written.');
    const run = runOf(simulate(lesson));
    const violations = [{ invariant: 'I1', time: 2, text: 'two clients trust the lock' }];
    const model = { ...run.model, violations };
    const words = verdictWords({ model, verdict: { kind: 'broken', writes: [] } });
    expect(words).toEqual({
      tone: 'bad',
      title: 'A wrong grant.',
      text: 'At 2.00 s two clients trust the lock.',
    });
  });

  test('says that a write came after its lock was given back', () => {
    const leases = fenced.leases.map((lease) =>
      lease.token === 33 ? { ...lease, end: 'released', to: 9 } : lease,
    );
    const words = verdictWords({ model: { ...fenced, leases }, verdict: fencedRun.verdict });
    expect(words.text).toMatch(/older than 34\. It had given the lock back at 9\.00 s\.$/);
  });

  test('comes after a paragraph that explains the words, at every width', () => {
    const page = readFileSync(new URL('../../web/index.html', import.meta.url), 'utf8');
    const intro = /<p class="intro">([^<]*)</.exec(page)[1].replace(/\s+/g, ' ').trim();
    for (const word of ['lease', 'token', 'fencing']) expect(intro).toContain(word);
    expect(intro.length).toBeLessThan(280);
  });
});
