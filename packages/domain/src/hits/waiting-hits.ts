import { unavailable } from '../base/errors.ts';

/** How long hits wait for the database, in milliseconds (tracker.md, "Durability"). */
export const MAX_WAIT_MS = 10_000;

/** The most hits of browsers, and the most of servers, that wait for the database (ibid.). */
export const MAX_WAITING_HITS = 20_000;

/** The hits of browsers, or of servers, that wait for the database. */
export interface WaitingHits {
  /**
   * Runs `work` for hits that have just arrived, with the deadline until which they wait.
   *
   * @param waitedMs how long they have waited already
   * @throws DomainError `unavailable` if {@link MAX_WAITING_HITS} would be exceeded
   */
  admit<T>(hits: number, work: (deadline: number) => Promise<T>, waitedMs?: number): Promise<T>;

  /** The number of waiting hits. */
  count(): number;

  /** How long the oldest hit has waited, in seconds; 0 if none waits. */
  longest(): number;
}

/** Browsers and servers each need their own: up to {@link MAX_WAITING_HITS} may wait in each. */
export function createWaitingHits(): WaitingHits {
  // In order of arrival.
  const arrivals = new Set<{ readonly since: number }>();
  let waiting = 0;

  return {
    async admit(hits, work, waitedMs = 0) {
      if (waiting + hits > MAX_WAITING_HITS) throw unavailable('Too many hits wait for the database.');
      const arrival = { since: performance.now() - waitedMs };
      arrivals.add(arrival);
      waiting += hits;
      try {
        return await work(arrival.since + MAX_WAIT_MS);
      } finally {
        arrivals.delete(arrival);
        waiting -= hits;
      }
    },

    count: () => waiting,

    longest() {
      const [oldest] = arrivals;
      return oldest === undefined ? 0 : (performance.now() - oldest.since) / 1_000;
    },
  };
}
