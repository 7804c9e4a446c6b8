import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UNRECORDED } from '@hitherto/domain/changes';
import { anAccount, aWebsite } from '@hitherto/testing/fixtures';
import { beforeEach } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import type { OpenDatabase } from '../../src/installation/database.ts';
import { loadSettings } from '../../src/installation/settings.ts';
import { createTestDatabase, openDatabase, runCommand } from './commands.ts';

/** The website `example.com`. */
export const ID = '01997c3e-0000-7000-8000-000000000001';
/** The website `www.other.example`. */
export const OTHER = '01997c3e-0000-7000-8000-000000000002';
export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
export const GPTBOT =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)';

const NOW = new Date('2026-11-20T12:00:00Z');
const ACCOUNT = anAccount();

interface Line {
  readonly path?: string;
  readonly status?: number;
  readonly agent?: string;
  readonly ip?: string;
  readonly host?: string;
  readonly second?: number;
  readonly referrer?: string;
}

/** A line of a combined log; with a host, of a vhost_combined one. */
export function line({
  path = '/a',
  status = 200,
  agent = FIREFOX,
  ip = '198.51.100.7',
  host,
  second = 0,
  referrer = '-',
}: Line = {}) {
  const time = new Date(Date.parse('2026-11-20T10:00:00Z') + second * 1_000).toISOString();
  const text = `[20/Nov/2026:${time.slice(11, 19)} +0000] "GET ${path} HTTP/1.1" ${status} 1 "${referrer}" "${agent}"\n`;
  return `${host === undefined ? '' : `${host}:443 `}${ip} - - ${text}`;
}

type Opened = Awaited<ReturnType<OpenDatabase>>;

/** For each test a database with two websites, and a folder for logs. */
export function useLogs() {
  let env: Record<string, string>;
  let folder: string;

  beforeEach(async () => {
    env = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'hitherto-logs-'));
    await withDatabase(async ({ access, websites }) => {
      await access.insertAccount(ACCOUNT, UNRECORDED);
      await websites.insert(ACCOUNT.id, aWebsite({ id: ID, url: 'https://example.com' }), UNRECORDED);
      await websites.insert(ACCOUNT.id, aWebsite({ id: OTHER, url: 'https://www.other.example' }), UNRECORDED);
    });
    return () => rmSync(folder, { recursive: true });
  });

  async function withDatabase<T>(work: (database: Opened) => Promise<T>): Promise<T> {
    const database = await openDatabase(loadSettings(env), { use: 'command', log: () => {}, onProgress: () => {} });
    try {
      await database.migrate();
      return await work(database);
    } finally {
      await database.close();
    }
  }

  const pathOf = (name: string) => join(folder, name);
  return {
    withDatabase,
    pathOf,

    /** Writes a file of the folder, and returns its path. */
    file(name: string, content: string | Buffer): string {
      const path = pathOf(name);
      writeFileSync(path, content);
      return path;
    },

    /** Runs a command, on 2026-11-20. */
    run: (args: readonly string[], overrides: Partial<Context> = {}) =>
      runCommand(args, env, { now: () => NOW, ...overrides }),

    /** The numbers of a website, and its crawlers. */
    numbersOf: (websiteId = ID) =>
      withDatabase(async ({ statistics, crawlers }) => {
        const query = { websiteId, from: '2026-11-20', to: '2026-11-20', filters: [] };
        const { pageviews, visitors } = await statistics.totals(query);
        const operators = await crawlers.values(websiteId, query.from, query.to, 'operator', 10);
        const sources = await statistics.values(query, 'source', 10);
        return { pageviews, visitors, crawlers: operators.rows, sources: sources.rows.map(({ value }) => value) };
      }),

    importsOf: () =>
      withDatabase(async ({ imports }) => (await imports.list({ accountId: ACCOUNT.id, websiteId: ID })) ?? []),

    removeImport: (id = '') => withDatabase(({ staging }) => staging.remove(id, NOW, UNRECORDED)),
  };
}
