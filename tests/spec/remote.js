// A lock service at the other end of a network, on Jest's fake time: its methods give promises, and
// a test decides what becomes of each request and of each answer.

import { LockService, systemClock } from 'fencelock';

export class Remote {
  constructor(leaseSeconds, { latency = 0.01 } = {}) {
    this.service = new LockService(systemClock, leaseSeconds);
    this.leaseSeconds = leaseSeconds;
    this.latency = latency;
    this.log = []; // { operation, at, token? }
    this.rules = [];
  }

  /**
   * What becomes of the requests of an operation, in turn: { request, answer } are seconds on the
   * way, or null for lost; { error } rejects after the way there, without reaching the service.
   */
  plan(operation, ...fates) {
    for (const fate of fates) this.rules.push({ operation, fate });
  }

  /** From now on the network drops everything, or with `error` refuses every connection. */
  cut(fate = { request: null }) {
    this.always = fate;
  }

  heal() {
    this.always = undefined;
  }

  count(operation) {
    return this.log.filter((entry) => entry.operation === operation).length;
  }

  times(operation) {
    return this.log.filter((entry) => entry.operation === operation).map(({ at }) => at);
  }

  acquire(...all) {
    return this.#send('acquire', all);
  }

  renew(...all) {
    return this.#send('renew', all);
  }

  release(...all) {
    return this.#send('release', all);
  }

  #fate(operation) {
    const index = this.rules.findIndex((rule) => rule.operation === operation);
    if (index >= 0) return this.rules.splice(index, 1)[0].fate;
    return this.always ?? {};
  }

  #send(operation, all) {
    this.log.push({ operation, at: systemClock.now(), token: all[2] });
    const { request = this.latency, answer = this.latency, error } = this.#fate(operation);
    return new Promise((resolve, reject) => {
      if (request === null) return;
      setTimeout(() => {
        if (error) {
          reject(error);
          return;
        }
        const result = this.service[operation](...all);
        if (answer !== null) setTimeout(() => resolve(result), answer * 1000);
      }, request * 1000);
    });
  }
}
