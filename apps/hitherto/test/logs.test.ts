import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { aCountedHit, anAccount, aWebsite } from '@hitherto/domain/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Context } from '../src/cli/context.ts';
import type { OpenDatabase } from '../src/database.ts';
import { createTestDatabase, openDatabase, runCommand } from './support/commands.ts';

// statistics.md, "Access logs": `logs import` and `logs follow`.

const NOW = new Date('2026-11-20T12:00:00Z');
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const GPTBOT = 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)';
const ID = '01997c3e-0000-7000-8000-000000000001';
const ACCOUNT = anAccount();
const OTHER = '01997c3e-0000-7000-8000-000000000002';

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
function line({
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

let env: Record<string, string>;
let folder: string;
beforeEach(async () => {
  env = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'hitherto-logs-'));
  await withDatabase(async ({ access, websites }) => {
    await access.insertAccount(ACCOUNT);
    await websites.insert(ACCOUNT.id, aWebsite({ id: ID, url: 'https://example.com' }));
    await websites.insert(ACCOUNT.id, aWebsite({ id: OTHER, url: 'https://www.other.example' }));
  });
  return () => rmSync(folder, { recursive: true });
});

type Opened = Awaited<ReturnType<OpenDatabase>>;

async function withDatabase<T>(work: (database: Opened) => Promise<T>): Promise<T> {
  const { loadSettings } = await import('../src/settings.ts');
  const database = await openDatabase(loadSettings(env), { use: 'command', log: () => {}, onProgress: () => {} });
  try {
    await database.migrate();
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The numbers of a website, and its crawlers. */
const numbersOf = (websiteId = ID) =>
  withDatabase(async ({ statistics, crawlers }) => {
    const query = { websiteId, from: '2026-11-20', to: '2026-11-20', filters: [] };
    const { pageviews, visitors } = await statistics.totals(query);
    const operators = await crawlers.values(websiteId, query.from, query.to, 'operator', 10);
    const sources = await statistics.values(query, 'source', 10);
    return { pageviews, visitors, crawlers: operators.rows, sources: sources.rows.map(({ value }) => value) };
  });

const importsOf = () =>
  withDatabase(async ({ imports }) => (await imports.list({ accountId: ACCOUNT.id, websiteId: ID })) ?? []);

const takeOut = (id = '') => withDatabase(({ history }) => history.remove(id, NOW));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const read = (
  paths: readonly string[],
  args: readonly string[] = ['--website', ID],
  overrides: Partial<Context> = {},
) => runCommand(['logs', 'import', ...paths, ...args], env, { now: () => NOW, ...overrides });

describe('logs import', () => {
  test('counts the pages of a log, with their sources, and who crawls', async () => {
    const path = file(
      'access.log',
      [
        line({ referrer: 'https://www.google.com/' }),
        line({ path: '/b?utm_source=x' }),
        line({ ip: '198.51.100.8' }),
        line({ path: '/logo.png' }),
        line({ status: 404 }),
        line({ agent: GPTBOT }),
        line({ agent: GPTBOT, path: '/gone', status: 404 }),
        line({ agent: '-', path: '/feed' }),
        'garbage\n',
      ].join(''),
    );

    const { code, stdout } = await read([path], ['--website', ID, '--json', '--keep-going']);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      imports: [expect.stringMatching(/^[\da-f-]{36}$/)],
      lines: 9,
      hits: 4,
      read_before: 0,
      skipped: expect.arrayContaining([
        { reason: 'status', lines: 2, examples: expect.anything() },
        { reason: 'static_file', lines: 1, examples: expect.anything() },
        { reason: 'bot', lines: 1, examples: expect.anything() },
        { reason: 'faulty', lines: 1, examples: [expect.stringContaining('garbage')] },
      ]),
    });
    expect(await numbersOf()).toEqual({
      pageviews: 4,
      visitors: 3,
      sources: expect.arrayContaining(['Google', null]),
      crawlers: [{ value: 'OpenAI', hits: 2, hits4xx: 1 }],
    });
  });

  test('is an import, which shows nothing of the lines, and after which the log can be read again', async () => {
    const path = file('access.log', line() + line({ path: '/secret.txt' }) + line({ agent: GPTBOT }));
    await read([path]);
    const counted = await numbersOf();
    const imports = await importsOf();

    await takeOut(imports[0]?.id);

    expect(imports).toMatchObject([
      {
        format: 'access-log',
        status: 'done',
        from: '2026-11-20',
        to: '2026-11-20',
        hits: 1,
        days: 1,
        rows: 3,
        skipped: [
          { reason: 'static_file', rows: 1, example: `${path}, line 2: It asks for a file.` },
          { reason: 'bot', rows: 1 },
        ],
      },
    ]);
    expect(await numbersOf()).toEqual({ pageviews: 0, visitors: 0, sources: [], crawlers: [] });
    expect((await read([path])).code).toBe(0);
    expect(await numbersOf()).toEqual(counted);
  });

  test('adds no import where nothing is new', async () => {
    const path = file('access.log', line());
    await read([path]);
    await read([path]);

    expect(await importsOf()).toHaveLength(1);
  });

  test('counts nothing if more than 1 % of the lines cannot be read, unless it is to go on', async () => {
    const path = file('access.log', `${line()}garbage\n`);

    const rejected = await read([path]);
    const before = await numbersOf();
    const accepted = await read([path], ['--website', ID, '--keep-going']);

    expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringMatching(/1 of 2 rows are faulty.*line 2/)]);
    expect([before.pageviews, accepted.code, (await numbersOf()).pageviews]).toEqual([0, 0, 1]);
  });

  test('names days that come from a file, and counts both with --also', async () => {
    const hit = { time: '2026-11-20T09:00:00Z', visitor: '1', host: 'example.com', page: '/', channel: 'Direct' };
    const hits = file('hits.jsonl', `${JSON.stringify({ ...hit, device: 'desktop' })}\n`);
    await runCommand(['statistics', 'import', hits, '--website', ID], env, { now: () => NOW });
    const path = file('access.log', line());

    const rejected = await read([path]);
    const accepted = await read([path], ['--website', ID, '--also']);

    expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringMatching(/covers 2026-11-20 already/)]);
    expect([accepted.code, (await numbersOf()).pageviews]).toEqual([0, 2]);
  });

  test('is the same as importing the file of a log, which grows and is compressed', async () => {
    const importFile = (path: string) =>
      runCommand(['statistics', 'import', path, '--website', ID], env, { now: () => NOW });
    const first = await importFile(file('access.log', line() + line({ path: '/b.png' })));
    const grown = gzipSync(line() + line({ path: '/b.png' }) + line({ second: 9 }));
    const second = await importFile(file('access.log.1.gz', grown));
    const again = await importFile(file('access.log.1.gz', grown));

    expect([first.code, second.code]).toEqual([0, 0]);
    expect(again.stderr).toMatch(/imported already/);
    expect(await numbersOf()).toMatchObject({ pageviews: 2, visitors: 1 });
    expect(await importsOf()).toMatchObject([
      { format: 'access-log', rows: 2, skipped: [{ example: 'line 2: It asks for a file.' }] },
      { format: 'access-log', rows: 1 },
    ]);
  });

  test('counts nothing twice when it is run again, and what was appended', async () => {
    const path = file('access.log', line() + line({ second: 5 }));
    await read([path]);
    await read([path]);
    appendFileSync(path, line({ second: 1 }) + line({ second: 9 }));

    const { stderr } = await read([path]);

    expect(stderr).toMatch(/Read 2 new lines: 2 are pageviews/);
    expect((await numbersOf()).pageviews).toBe(4);
  });

  test('finds its place in logs that were rotated and compressed', async () => {
    const path = file('access.log', line() + line({ second: 5 }));
    await read([path]);
    appendFileSync(path, line({ second: 6 }));
    file('access.log.1.gz', gzipSync(readFileSync(path)));
    writeFileSync(path, line({ second: 7 }));

    await read([path, join(folder, 'access.log.1.gz')]);
    await read([join(folder, 'access.log.1.gz'), path]);

    expect((await numbersOf()).pageviews).toBe(4);
  });

  test('misses lines rather than counting them twice where the place is lost, and says how many', async () => {
    const path = file('access.log', line() + line({ second: 5 }) + line({ second: 5 }));
    await read([path]);
    writeFileSync(path, line({ second: 4, path: '/x' }) + line({ second: 5 }) + line({ second: 6 }));

    const { stderr } = await read([path]);

    expect(stderr).toMatch(/1 lie before the last line .*\(earlier\)/);
    expect((await numbersOf()).pageviews).toBe(4);
  });

  test('sends each line to the website of its host', async () => {
    const path = file(
      'access.log',
      line({ host: 'example.com' }) +
        line({ host: 'WWW.example.com' }) +
        line({ host: 'other.example' }) +
        line({ host: 'unknown.example' }),
    );

    const { stderr } = await read([path], []);

    expect(stderr).toMatch(/1 name a host without a website/);
    expect([(await numbersOf()).pageviews, (await numbersOf(OTHER)).pageviews]).toEqual([2, 1]);
  });

  test('is rejected for a website that has a tracker, unless both may count', async () => {
    await withDatabase(({ hits }) => hits.add([aCountedHit({ websiteId: ID })]));
    const path = file('access.log', line());

    const rejected = await read([path]);
    const accepted = await read([path], ['--website', ID, '--also']);
    const again = await read([path]);

    expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringMatching(/count twice.*--also/)]);
    expect([accepted.code, again.code]).toEqual([0, 0]);
  });

  test.each([
    [['nowhere.log'], /There is no file .*nowhere\.log\./],
    [[''], /A folder was named instead of a file/],
    [['access.log', '--format', 'combind'], /There is no format "combind"/],
    [['access.log', '--format', 'json:path=a'], /lacks time=MEMBER/],
    [['other.txt'], /not recognized by its first lines\. Name it with --format/],
    [['access.log', '--website', 'x'], /There is no website with this id/],
  ])('says how to mend %j', async ([name = '', ...args], message) => {
    file('access.log', line());
    file('other.txt', 'a,b\n1,2\n');

    const { code, stderr } = await read(
      [join(folder, name)],
      args.includes('--website') ? args : [...args, '--website', ID],
    );

    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  });

  test('no number changes wherever it is killed, and run again', async () => {
    const lines = Array.from({ length: 10_000 }, (_, n) =>
      line({
        path: `/${n % 50}`,
        second: Math.floor(n / 10),
        ip: `198.51.100.${n % 200}`,
        agent: n % 7 === 0 ? GPTBOT : FIREFOX,
      }),
    );
    const path = file('access.log', lines.join(''));
    let kills = 0;
    /** Ends the command before or after a batch is stored. */
    const dying: OpenDatabase = async (settings, options) => {
      const database = await openDatabase(settings, options);
      const { stage, publish } = database.history;
      const die = async (work: () => Promise<unknown>) => {
        if (kills === 4 || Math.random() < 0.6) return;
        kills += 1;
        if (Math.random() < 0.5) await work();
        throw new Error('killed');
      };
      const history: typeof database.history = {
        ...database.history,
        async stage(...args) {
          await die(() => stage(...args));
          return stage(...args);
        },
        async publish(...args) {
          await die(() => publish(...args));
          return publish(...args);
        },
      };
      return { ...database, history };
    };

    const codes: (number | null)[] = [];
    while (codes.at(-1) !== 0 && codes.length < 10) {
      codes.push((await read([path], ['--website', ID], { openDatabase: dying })).code);
    }

    expect(codes.at(-1)).toBe(0);

    const counted = lines.filter((_, n) => n % 7 !== 0).length;
    expect(await numbersOf()).toMatchObject({
      pageviews: counted,
      visitors: 200,
      crawlers: [{ value: 'OpenAI', hits: lines.length - counted, hits4xx: 0 }],
    });
  });
});

describe('logs follow', () => {
  test('waits for a file that is not there yet, and says so', async () => {
    const path = join(folder, 'later.log');
    let stop = () => {};
    const told: string[] = [];
    const following = runCommand(['logs', 'follow', path, '--website', ID], env, {
      now: () => NOW,
      stopped: () => new Promise((resolve) => (stop = resolve)),
      tell: (text) => told.push(text),
    });
    await expect.poll(() => told).toEqual([`There is no file ${path} yet: it is read once it is there.\n`]);

    file('later.log', line());
    await expect.poll(async () => (await numbersOf()).pageviews, { timeout: 15_000, interval: 200 }).toBe(1);
    stop();

    expect((await following).code).toBe(0);
  });

  test('goes on through appending, renaming, truncating and its own end', async () => {
    const path = file('access.log', line());
    let stop = () => {};
    const follow = () =>
      runCommand(['logs', 'follow', path, '--website', ID], env, {
        now: () => NOW,
        stopped: () => new Promise((resolve) => (stop = resolve)),
      });
    const reaches = (pageviews: number) =>
      expect.poll(async () => (await numbersOf()).pageviews, { timeout: 15_000, interval: 200 }).toBe(pageviews);

    let following = follow();
    await reaches(1);
    appendFileSync(path, line({ second: 1 }));
    await reaches(2);
    appendFileSync(path, line({ second: 2 }));
    renameSync(path, `${path}.1`);
    writeFileSync(path, line({ second: 3 }));
    await reaches(4);
    stop();
    expect((await following).code).toBe(0);

    appendFileSync(path, line({ second: 4 }));
    following = follow();
    await reaches(5);
    copyFileSync(path, `${path}.2`);
    truncateSync(path);
    appendFileSync(path, line({ second: 5 }));
    await reaches(6);
    stop();

    expect(await following).toMatchObject({ code: 0, stderr: expect.stringMatching(/new lines/) });
  });
});
