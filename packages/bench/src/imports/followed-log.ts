import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newFolder } from '@hitherto/testing/folder';
import { lineOfLog } from '@hitherto/testing/log-line';
import { stop } from '@hitherto/testing/processes';
import { MAIN, startNode } from '../servers.ts';
import { createHits, type HitWebsite } from '../statistics/hits.ts';
import { pathOf } from './files.ts';

/** An access log that grows, and the command that follows it. */
interface FollowedLog {
  readonly pid: number;
  /** Stops writing; resolves to the number of lines, each of them a pageview. */
  end(): Promise<number>;
  close(): Promise<void>;
}

const EVERY_MS = 1_000;

/** Starts `logs follow` on the log of a website, to which lines are added each second. */
export async function followLog(databaseUrl: string, website: HitWebsite, perSecond: number): Promise<FollowedLog> {
  const folder = newFolder();
  const file = join(folder.path, 'access.log');
  await writeFile(file, '');
  const args = [MAIN, 'logs', 'follow', file, '--website', website.id];
  const child = startNode(args, { DATABASE_URL: databaseUrl }, ['ignore', 'ignore', 'inherit']);
  const nextHit = createHits([website], 9);
  const ending = new AbortController();
  const write = async () => {
    let written = 0;
    while (!ending.signal.aborted) {
      const time = new Date();
      const lines = Array.from({ length: perSecond }, () => {
        const { address, url, referrer, userAgent } = nextHit();
        return lineOfLog({ time, address, path: pathOf(url), referrer, userAgent });
      });
      await appendFile(file, lines.join(''));
      written += perSecond;
      await sleep(EVERY_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
    return written;
  };
  const writing = write();
  return {
    pid: child.pid ?? 0,
    end() {
      ending.abort();
      return writing;
    },
    async close() {
      ending.abort();
      await stop(child);
      folder.close();
    },
  };
}
