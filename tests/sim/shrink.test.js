import {
  causes,
  completeScenario,
  explainFailure,
  fromLink,
  presets,
  runSuite,
  shrink,
  simulate,
  suiteScenario,
  withoutDefaults,
} from 'fencelock/simulator';

const failing = () => {
  const { firstFailingSeed } = runSuite('chaos', { fencing: 'off', seeds: 200 });
  return suiteScenario('chaos', firstFailingSeed, { fencing: 'off' });
};

test('a failing scenario shrinks to a simpler one that breaks the same invariant', () => {
  const document = failing();
  const [{ invariant }] = simulate(document).violations;
  const reports = [];
  const small = shrink(document, { onProgress: (report) => reports.push(report) });
  expect(simulate(small.scenario).violations[0].invariant).toBe(invariant);
  expect(simulate(small.scenario).hash).toBe(small.trace.hash);
  expect(small.scenario.clients.length).toBeLessThan(document.clients.length);
  expect(JSON.stringify(small.scenario).length).toBeLessThan(JSON.stringify(document).length / 3);
  expect(reports.at(-1)).toMatchObject({ clients: small.scenario.clients.length });
});

test('a failing seed is explained: its cause, its story, how to replay it and a link', () => {
  const options = { fencing: 'off', seeds: 200 };
  const { firstFailingSeed } = runSuite('chaos', options);
  const { text, trace, scenario } = explainFailure('chaos', firstFailingSeed, { fencing: 'off' });
  expect(text).toMatch(causes(trace)[0]);
  expect(text).toMatch(/^ +\d+\.\d{3} s {2}!! The storage accepts /m);
  expect(text).toMatch(
    `npx fencelock run --suite chaos --seed ${firstFailingSeed} --fencing off\n`,
  );
  const link = fromLink(text.split('fencelock.html').at(-1));
  expect(link.document).toEqual(scenario);
  expect(simulate(link.document).hash).toBe(link.hash);
  expect(explainFailure('chaos', firstFailingSeed)).toBeNull();
});

test('it ends when nothing gets simpler, long before its last run', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const small = shrink(suiteScenario('chaos', seed, { fencing: 'off' }));
    if (small === null) continue;
    expect(small.runs).toBeLessThan(1500);
    expect(shrink(small.scenario).scenario).toEqual(small.scenario);
  }
});

test('it is the same each time', () => {
  expect(shrink(failing()).scenario).toEqual(shrink(failing()).scenario);
});

test('a scenario that breaks nothing gives null', () => {
  expect(shrink(presets[0].scenario)).toBeNull();
});

test.each([...presets.map(({ name, scenario }) => [name, scenario]), ['drawn', failing()]])(
  'what is left out of %s is what the defaults fill in',
  (_, scenario) => {
    const short = withoutDefaults(scenario);
    expect(completeScenario(short)).toEqual(completeScenario(scenario));
    for (const name of Object.keys(short)) {
      if (name === 'version' || name === 'clients') continue;
      const without = { ...short };
      delete without[name];
      let meant;
      try {
        meant = completeScenario(without);
      } catch {
        continue;
      }
      expect(meant).not.toEqual(completeScenario(scenario));
    }
  },
);
