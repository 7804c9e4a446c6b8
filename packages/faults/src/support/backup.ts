import { setTimeout as sleep } from 'node:timers/promises';
import { allWebsites, type Client, websiteIn } from './client.ts';
import type { Random } from './random.ts';
import { canary } from './secrets.ts';

/** What a backup was taken of. */
export interface Load {
  /** Waits until so many stores were acknowledged since the load began. */
  until(stores: number): Promise<void>;
  /** Says that the backup begins now. */
  begin(): void;
  /** Ends the stores; the backup is taken. */
  end(): Promise<void>;
  /** Compares what was restored with the original; answers how many websites were compared. */
  compare(original: Clients, restored: Clients): Promise<number>;
}

export interface Clients {
  /** Of the account that nobody writes to. */
  readonly quiet: Client;
  /** Of the account that is written to all the time. */
  readonly busy: Client;
}

const QUIET = 250;
const WRITERS = 4;

/** Fills a quiet account, and stores into a busy one, each writer its own row of urls one after the other. */
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
  // A writer that fails is told of by `end`.
  const all = Promise.all(running);
  all.catch(() => {});

  return {
    async until(stores) {
      while (acknowledged.reduce((sum, n) => sum + n, 0) < stores) await sleep(5);
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
        if (n < least) throw new Error(`Writer ${writer} had ${least} stores acknowledged; ${n} were restored.`);
        counted += n;
      }
      if (counted !== busyThen.size) throw new Error(`A writer's stores have a gap: ${counted} of ${busyThen.size}.`);
      return QUIET + counted;
    },
  };
}
