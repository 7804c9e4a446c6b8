import { setTimeout as sleep } from 'node:timers/promises';
import { addAccount } from '@hitherto/contracts/support/repositories';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import type { TestDatabase } from '@hitherto/testing/databases';
import { openPostgres, type PostgresRepositories } from '../src/index.ts';
import { type DatabaseProxy, startProxy } from './proxy.ts';
import { countSessions, killSessions, OURS, READS } from './sessions.ts';

/** Repositories that reach their database through a proxy. */
export interface Proxied {
  readonly proxy: DatabaseProxy;
  readonly repositories: PostgresRepositories;
  readonly accountId: string;
  /** What was logged, one text per line. */
  readonly logged: readonly string[];
  /** A short read, which finds nothing. */
  readonly read: () => Promise<unknown>;
  /** Resolves once short reads have their own connection. */
  readonly untilPipelined: () => Promise<void>;
  /** Ends all sessions, and resolves once the pool has noticed. */
  readonly killAll: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function openProxied({ url }: Pick<TestDatabase, 'url'>): Promise<Proxied> {
  const proxy = await startProxy(url);
  const logged: string[] = [];
  const repositories = openPostgres({
    connection: proxy.url,
    log: (level, message, details) => logged.push(JSON.stringify([level, message, details])),
  });
  const accountId = await addAccount(repositories);
  const read = () => repositories.websites.find(wholeAccount(accountId), newId());
  return {
    proxy,
    repositories,
    accountId,
    logged,
    read,
    untilPipelined: async () => {
      while ((await countSessions(url, READS)) === 0) {
        await read();
        await sleep(20);
      }
      await sleep(50);
    },
    killAll: async () => {
      await killSessions(url, OURS);
      while (repositories.stats().total > 0) await sleep(5);
    },
    close: async () => {
      proxy.stall(false);
      await repositories.close();
      await proxy.close();
    },
  };
}
