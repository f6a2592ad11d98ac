// A scenario whose run has many events: about 23 for each cycle of each of three clients.

export function longScenario(cycles, more = {}) {
  const clients = [1, 2, 3].map((i) => ({
    id: `client ${i}`,
    start: i / 10,
    work: 0.3,
    cycles,
    rest: 0.4,
    retry: 1.1,
  }));
  return { version: 1, lease: 3, until: 20000, clients, ...more };
}
