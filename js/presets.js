// The scenarios to begin with: the page's choice and the command line's.

const LESSON = {
  version: 1,
  lease: 10,
  firstToken: 33,
  until: 30,
  clients: [
    { id: 'client 1', work: 2 },
    { id: 'client 2', start: 3, work: 2, retry: 4 },
  ],
  faults: [{ kind: 'pause', node: 'client 1', from: 1, to: 16 }],
};

/** @type {{ name: string, title: string, text: string, scenario: object }[]} */
export const presets = [
  {
    name: 'lesson',
    title: 'A pause outlives the lease',
    text: 'Drag the end of client 1’s pause to before 10 s, or switch fencing off, and watch its write.',
    scenario: LESSON,
  },
  {
    name: 'unfenced',
    title: 'The same, without fencing',
    text: 'Client 1 wakes up and overwrites what client 2 wrote; switch fencing on to see it refused.',
    scenario: { ...LESSON, fencing: 'off' },
  },
  {
    name: 'late-release',
    title: 'A late release',
    text: 'Client 1 releases a lock that is no longer its own; see that client 2 keeps its lease.',
    scenario: {
      version: 1,
      lease: 5,
      until: 20,
      clients: [
        { id: 'client 1', work: 1 },
        { id: 'client 2', start: 2, work: 4, retry: 1.6 },
      ],
      network: { timeout: 10 },
      faults: [{ kind: 'delay', message: 'client 1 -> lock service #2', by: 6 }],
    },
  },
  {
    name: 'partition',
    title: 'A 2-second partition',
    text: 'Client 1 is cut off for 2 s and keeps its lock; make the partition longer until it does not.',
    scenario: {
      version: 1,
      lease: 6,
      until: 20,
      clients: [
        { id: 'client 1', work: 12, renew: true },
        { id: 'client 2', start: 2, work: 1, renew: true, retry: 3 },
      ],
      faults: [{ kind: 'partition', between: ['client 1', 'lock service'], from: 3, to: 5 }],
    },
  },
  {
    name: 'clock-skew',
    title: 'A clock 250 ms off',
    text: 'Client 1’s clock loses 250 ms per lease; it lets go in time. Set “Allowed clock skew” to 0.1 s: too late.',
    scenario: {
      version: 1,
      lease: 5,
      until: 16,
      clients: [
        { id: 'client 1', work: 8, renew: true, clock: { offset: 0, rate: 0.95 } },
        { id: 'client 2', start: 1, work: 1, renew: true, retry: 2 },
      ],
      faults: [{ kind: 'partition', between: ['client 1', 'lock service'], from: 0.3, to: 9 }],
    },
  },
  {
    name: 'crash',
    title: 'A crash and a restart',
    text: 'Client 1 crashes with the lock in hand; see who waits for its lease to end, and that token 2 is next.',
    scenario: {
      version: 1,
      lease: 5,
      until: 20,
      clients: [
        { id: 'client 1', work: 2, retry: 2 },
        { id: 'client 2', start: 2, work: 2, retry: 2 },
      ],
      faults: [{ kind: 'crash', node: 'client 1', at: 1, restart: 4 }],
    },
  },
  {
    name: 'delayed-duplicate',
    title: 'A delayed duplicate',
    text: 'The network delivers client 1’s write twice; see what the storage makes of the late copy.',
    scenario: {
      version: 1,
      lease: 5,
      until: 16,
      clients: [
        { id: 'client 1', work: 1 },
        { id: 'client 2', start: 2, work: 1 },
      ],
      faults: [{ kind: 'duplicate', message: 'client 1 -> storage #1', by: 5 }],
    },
  },
  {
    name: 'lost-update',
    title: 'A lost update, prevented',
    text: 'Before it reads, client 2 shows the storage its token: older ones are refused. See it with fencing off.',
    scenario: {
      version: 1,
      lease: 4,
      until: 16,
      clients: [
        { id: 'client 1', work: 1, fence: true },
        { id: 'client 2', start: 3, work: 3, fence: true, retry: 1.2 },
      ],
      network: { timeout: 10 },
      faults: [{ kind: 'delay', message: 'client 1 -> storage #3', by: 5 }],
    },
  },
];
