import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@hitherto/testing/random';
import { allWebsites, type Client, create } from './client.ts';
import { canary } from './secrets.ts';

export interface Clients {
  /** A client of the account that nobody writes to. */
  readonly quiet: Client;
  /** A client of the account that is written to throughout. */
  readonly busy: Client;
}

const QUIET = 250;
const WRITERS = 4;

/** Fills a quiet account, and creates websites in a busy one: each writer has its own sequence of urls. */
export async function startLoad({ quiet, busy }: Clients, random: Random) {
  for (let n = 0; n < QUIET; n += 1) {
    await create(quiet, {
      url: `https://quiet-${n}.example/é`,
      privacy: random.pick([0, 1, 2]),
      password: canary(),
      email: random.pick([0, 1]),
      exclude_params: `utm_*\nq${random.word(4)}`,
      exclude_ips: `203.0.113.${random.below(256)}\n2001:db8::/32`,
    });
  }

  const acknowledged = Array.from({ length: WRITERS }, () => 0);
  let before: readonly number[] = acknowledged;
  let isOver = false;
  const urlOf = (writer: number, n: number) => `https://busy-${writer}-${n}.example`;
  const running = acknowledged.map(async (_, writer) => {
    for (let n = 0; !isOver; n += 1) {
      await create(busy, { url: urlOf(writer, n) });
      acknowledged[writer] = n + 1;
    }
  });
  // `end` reports a writer that fails.
  const all = Promise.all(running);
  all.catch(() => {});

  return {
    /** Waits until this many creates have been acknowledged since the load began. */
    async until(creates: number) {
      while (acknowledged.reduce((sum, n) => sum + n, 0) < creates) await sleep(5);
    },
    /** Marks the start of the backup. */
    begin() {
      before = [...acknowledged];
    },
    /** Ends the creates, after the backup. */
    async end() {
      isOver = true;
      await all;
    },
    /** Compares the restored data with the original; returns how many websites were compared. */
    async compare(original: Clients, restored: Clients): Promise<number> {
      const [quietNow, quietThen] = await Promise.all([allWebsites(original.quiet), allWebsites(restored.quiet)]);
      assert.equal(quietThen.length, QUIET);
      assert.deepEqual(quietThen, quietNow);
      const busyNow = new Map((await allWebsites(original.busy)).map((website) => [website.url, website]));
      const busyThen = new Map((await allWebsites(restored.busy)).map((website) => [website.url, website]));
      let counted = 0;
      for (const [writer, least] of before.entries()) {
        let n = 0;
        for (; busyThen.has(urlOf(writer, n)); n += 1) {
          const url = urlOf(writer, n);
          assert.deepEqual(busyThen.get(url), busyNow.get(url));
        }
        if (n < least) throw new Error(`Writer ${writer} had ${least} creates acknowledged; ${n} were restored.`);
        counted += n;
      }
      if (counted !== busyThen.size) throw new Error(`A writer's creates have a gap: ${counted} of ${busyThen.size}.`);
      return QUIET + counted;
    },
  };
}
