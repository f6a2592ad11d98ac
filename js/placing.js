// Which lock a client trusts that names only its token, or nothing: the one that was granted to it.

const KEPT = 16; // grants of a client, beyond which nothing is placed

/** The locks that clients hold, as far as grants and releases tell. */
export class Grants {
  #byClient = new Map(); // to a list of grants; null when they are too many

  see({ kind, peer, lock, token, outcome }) {
    if (kind === 'acquire' && outcome === 'granted') this.#add(peer, lock, token);
    if (kind === 'release' && outcome === 'ok') this.#remove(peer, lock);
    if (kind === 'expire' && typeof peer === 'string') this.#remove(peer, lock);
  }

  #add(client, lock, token) {
    const grants = this.#byClient.get(client);
    if (grants === null) return;
    const others = (grants ?? []).filter((grant) => grant.lock !== lock);
    this.#byClient.set(client, others.length < KEPT ? [...others, { lock, token }] : null);
  }

  #remove(client, lock) {
    const grants = this.#byClient.get(client);
    if (!grants) return;
    const others = grants.filter((grant) => grant.lock !== lock);
    if (others.length > 0) this.#byClient.set(client, others);
    else this.#byClient.delete(client);
  }

  /** The only lock that fits; undefined where none does, or more than one. */
  lockOf(client, token) {
    const isTold = token !== undefined && token !== null;
    const grants = this.#byClient.get(client) ?? [];
    const fits = grants.filter((grant) => !isTold || grant.token === token);
    return fits.length === 1 ? fits[0].lock : undefined;
  }
}
