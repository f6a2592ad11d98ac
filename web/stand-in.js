// STAND-IN until js/simulator.js is there: the hand-written lesson, and no core.
import { lesson } from '../tests/web/fixture.js';

export function simulate(document) {
  const pause = (document.faults ?? []).find((fault) => fault.kind === 'pause');
  return lesson(document.fencing ?? 'at-least', pause?.to ?? 1);
}

const scenario = lesson().scenario;

export const presets = [
  {
    name: 'lesson',
    title: 'The lesson: a pause outlives the lease',
    text: 'Drag the end of client 1’s pause to before 10 s, or switch fencing off, and watch the last write.',
    scenario,
  },
  {
    name: 'unfenced',
    title: 'The lesson with fencing off',
    text: 'Switch fencing on to see what it prevents.',
    scenario: { ...scenario, fencing: 'off' },
  },
];

export const suiteScenario = () => scenario;

export function describe(event) {
  const who = event.peer ?? event.node;
  switch (event.kind) {
    case 'start':
      return `${event.node} starts.`;
    case 'done':
      return `${event.node} is done.`;
    case 'send':
      return `${event.node} sends ${event.operation}${event.reply ? ' answer' : ''} to ${event.peer}.`;
    case 'deliver':
      return `${event.message} arrives.`;
    case 'acquire':
      return event.outcome === 'granted'
        ? `The lock service grants the lock to ${who} with token ${event.token}.`
        : `The lock service refuses ${who}: ${event.reason}.`;
    case 'expire':
      return `The lease of ${who}, token ${event.token}, ends.`;
    case 'write':
      return event.outcome === 'accepted'
        ? `The storage accepts the write of ${who} with token ${event.token}.`
        : `The storage rejects the write of ${who}: ${event.token} < ${event.highest}.`;
    case 'release':
      return `The lock service ${event.outcome === 'ok' ? 'takes' : 'refuses'} the release by ${who}.`;
    case 'trust':
      return `${event.node} believes that it holds the lock.`;
    case 'distrust':
      return `${event.node} no longer believes that it holds the lock: ${event.reason}.`;
    default:
      return `${event.node}: ${event.kind}.`;
  }
}
