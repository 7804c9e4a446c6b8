import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@hitherto/testing/random';
import { allWebsites, type Client, websiteIn } from './client.ts';
import { canary } from './secrets.ts';

/** The data that a backup is taken of. */
export interface Load {
  /** Waits until this many creates have been acknowledged since the load began. */
  until(creates: number): Promise<void>;
  /** Marks the start of the backup. */
  begin(): void;
  /** Ends the creates, after the backup. */
  end(): Promise<void>;
  /** Compares the restored data with the original; returns how many websites were compared. */
  compare(original: Clients, restored: Clients): Promise<number>;
}

export interface Clients {
  /** The key of the account that nobody writes to. */
  readonly quiet: Client;
  /** The key of the account that is written to all the time. */
  readonly busy: Client;
}

const QUIET = 250;
const WRITERS = 4;

/** Fills a quiet account, and creates websites in a busy one: each writer has its own sequence of urls. */
export async function startLoad({ quiet, busy }: Clients, random: Random): Promise<Load> {
  for (let n = 0; n < QUIET; n += 1) {
    const json = {
      url: `https://quiet-${n}.example/é`,
      privacy: random.pick([0, 1, 2]),
      password: canary(),
      email: random.pick([0, 1]),
      exclude_params: `utm_*\nq${random.word(4)}`,
      exclude_ips: `203.0.113.${random.below(256)}\n2001:db8::/32`,
    };
    websiteIn(await quiet.request('POST', '/api/v1/websites', { json }));
  }

  const acknowledged = Array.from({ length: WRITERS }, () => 0);
  let before: readonly number[] = acknowledged;
  let isOver = false;
  const urlOf = (writer: number, n: number) => `https://busy-${writer}-${n}.example`;
  const running = acknowledged.map(async (_, writer) => {
    for (let n = 0; !isOver; n += 1) {
      websiteIn(await busy.request('POST', '/api/v1/websites', { form: { url: urlOf(writer, n) } }));
      acknowledged[writer] = n + 1;
    }
  });
  // `end` reports a writer that fails.
  const all = Promise.all(running);
  all.catch(() => {});

  return {
    async until(creates) {
      while (acknowledged.reduce((sum, n) => sum + n, 0) < creates) await sleep(5);
    },
    begin() {
      before = [...acknowledged];
    },
    async end() {
      isOver = true;
      await all;
    },
    async compare(original, restored) {
      const [quietNow, quietThen] = await Promise.all([allWebsites(original.quiet), allWebsites(restored.quiet)]);
      if (quietThen.length !== QUIET || JSON.stringify(quietNow) !== JSON.stringify(quietThen)) {
        throw new Error(`The quiet account differs: ${quietNow.length} websites, ${quietThen.length} restored.`);
      }
      const busyNow = new Map((await allWebsites(original.busy)).map((website) => [website.url, website]));
      const busyThen = new Map((await allWebsites(restored.busy)).map((website) => [website.url, website]));
      let counted = 0;
      for (const [writer, least] of before.entries()) {
        let n = 0;
        for (; busyThen.has(urlOf(writer, n)); n += 1) {
          const url = urlOf(writer, n);
          if (JSON.stringify(busyThen.get(url)) !== JSON.stringify(busyNow.get(url)))
            throw new Error(`${url} differs.`);
        }
        if (n < least) throw new Error(`Writer ${writer} had ${least} creates acknowledged; ${n} were restored.`);
        counted += n;
      }
      if (counted !== busyThen.size) throw new Error(`A writer's creates have a gap: ${counted} of ${busyThen.size}.`);
      return QUIET + counted;
    },
  };
}
