import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayOf, timeZone } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import { CLEANUP, parseNewCleanup, settleCleanup } from '@hitherto/domain/cleanups';
import { bareDetails } from '@hitherto/domain/hits';
import { newId } from '@hitherto/outside/system';
import { run as execute } from '@hitherto/testing/databases';
import { zipOf } from '@hitherto/testing/zip';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadSettings } from '../src/installation/settings.ts';
import { createTestDatabase, type DatabaseSettings, openDatabase, runCommand } from './support/commands.ts';
import { emptyFolder } from './support/program.ts';

const now = () => new Date();
const UMAMI_HEADER = 'session_id,created_at,url_path,event_type';

let env: DatabaseSettings;
let demo: string;
let folder: string;
let file: string;

beforeAll(async () => {
  env = await createTestDatabase();
  const { stdout } = await runCommand(['demo'], env);
  demo = stdout.trim().split('/').pop() ?? '';
  folder = await mkdtemp(join(tmpdir(), 'hitherto-imports-'));
  file = join(folder, 'visits.jsonl.gz');
}, 60_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The numbers of the website with this id, read by the program's own repositories. */
async function numbersOf(settings: DatabaseSettings, websiteId: string) {
  const options = { use: 'command', log: () => {}, onProgress: () => {} } as const;
  const database = await openDatabase(loadSettings(settings), options);
  try {
    const query = { websiteId, from: '2026-01-01', to: '2030-12-31', filters: [] };
    const { statistics } = database;
    return {
      totals: await statistics.totals(query),
      days: await statistics.series(query, 'day'),
      hours: await statistics.series(query, 'hour'),
      pages: await statistics.values(query, 'page', 50),
      sources: await statistics.values(query, 'source', 50),
      events: await statistics.values(query, 'event', 50),
      exits: await statistics.values(query, 'exit_page', 50),
    };
  } finally {
    await database.close();
  }
}

/** Hides the visits of a page. */
async function hide(settings: DatabaseSettings, websiteId: string, page: string): Promise<void> {
  const options = { use: 'command', log: () => {}, onProgress: () => {} } as const;
  const database = await openDatabase(loadSettings(settings), options);
  const accountId = (await database.directory.findById(websiteId))?.accountId ?? '';
  const rule = parseNewCleanup({ name: 'Spam', filters: [['page', [page]]] });
  await database.cleanups.insert({ accountId, websiteId }, CLEANUP.make({ now, newId }, rule), UNRECORDED);
  while (await settleCleanup({ ...database, now }));
  await database.close();
}

/** An empty installation with the website of the demo, and its id. */
async function emptyWebsite(): Promise<{ settings: DatabaseSettings; websiteId: string }> {
  const settings = await createTestDatabase();
  const folder = await emptyFolder();
  await runCommand(['backup', '--settings', join(folder, 'settings.backup')], env);
  await runCommand(['restore', join(folder, 'settings.backup')], settings);
  return { settings, websiteId: demo };
}

describe('statistics export and import', () => {
  test('bring every number of the kept days to another installation, and take them out again', async () => {
    const exported = await runCommand(['statistics', 'export', '--website', demo, '--out', file], env);
    const { settings, websiteId } = await emptyWebsite();
    const before = await numbersOf(settings, websiteId);

    const imported = await runCommand(['statistics', 'import', file, '--website', websiteId], settings);

    expect(exported).toMatchObject({ code: 0, stdout: '' });
    expect(imported).toMatchObject({ code: 0, stderr: expect.stringMatching(/hits on \d+ days, 20/) });
    const numbers = await numbersOf(env, demo);
    expect(numbers.totals.visits).toBeGreaterThan(100);
    expect(await numbersOf(settings, websiteId)).toStrictEqual(numbers);
    const again = await runCommand(['statistics', 'import', file, '--website', websiteId], settings);
    expect(again).toMatchObject({ code: 0, stdout: imported.stdout });
    expect(again.stderr).toContain('imported already');
    expect(await numbersOf(settings, websiteId)).toStrictEqual(numbers);

    const database = await openDatabase(loadSettings(settings), {
      use: 'command',
      log: () => {},
      onProgress: () => {},
    });
    await database.staging.remove(imported.stdout.trim(), new Date(), UNRECORDED);
    await database.close();
    expect(await numbersOf(settings, websiteId)).toStrictEqual(before);
  }, 120_000);

  test('write the sums of days as CSV', async () => {
    const sums = await readFile(file.replace('.jsonl.gz', '.days.csv'), 'utf8');

    const [header, ...days] = sums.trim().split('\n');
    expect(header).toBe('day,visitors,visits,pageviews,events,bounces,visits_with_pageviews,duration');
    const { totals } = await numbersOf(env, demo);
    const visits = days.map((day) => Number(day.split(',')[2])).reduce((sum, count) => sum + count, 0);
    expect(visits).toBe(totals.visits);
  });

  test('leave out hidden hits unless they are asked for, and mark them then', async () => {
    const { settings, websiteId } = await emptyWebsite();
    const [folder, line] = [await emptyFolder(), { host: 'demo.example', channel: 'Direct', device: 'desktop' }];
    const lines = ['/', '/spam'].map((page, index) =>
      JSON.stringify({ ...line, page, visitor: String(index), time: '2026-01-01T12:00:00.000Z' }),
    );
    await writeFile(join(folder, 'hits.jsonl'), lines.join('\n'));
    await runCommand(['statistics', 'import', join(folder, 'hits.jsonl'), '--website', websiteId], settings);
    await hide(settings, websiteId, '/spam');
    const exported = async (name: string, ...options: string[]) => {
      const out = join(folder, name);
      await runCommand(['statistics', 'export', '--website', websiteId, '--out', out, ...options], settings);
      const [, ...hits] = (await readFile(out, 'utf8')).trim().split('\n');
      return hits.map((hit): unknown => JSON.parse(hit));
    };

    expect(await exported('shown.jsonl')).toMatchObject([{ page: '/' }]);
    const all = await exported('all.jsonl', '--hidden');
    expect(all).toHaveLength(2);
    expect(all).toContainEqual(expect.objectContaining({ page: '/spam', hidden: true }));
    const again = await runCommand(
      ['statistics', 'import', join(folder, 'all.jsonl'), '--website', websiteId, '--dry-run'],
      settings,
    );
    expect(again.stderr).not.toMatch(/faulty/);
  });

  test('leave out measures, which count nothing themselves', async () => {
    const { settings, websiteId } = await emptyWebsite();
    const database = await openDatabase(loadSettings(settings), {
      use: 'command',
      log: () => {},
      onProgress: () => {},
    });
    const hit = { ...bareDetails('demo.example', '/'), websiteId, time: now(), day: dayOf(timeZone('UTC'), now()) };
    const pageview = { ...hit, visitor: 1n, view: 7 };
    await database.hits.add([pageview, { ...pageview, measure: { seconds: 30, scroll: 50 } }]);
    await database.close();
    const out = join(await emptyFolder(), 'hits.jsonl');

    await runCommand(['statistics', 'export', '--website', websiteId, '--out', out], settings);

    const [, ...hits] = (await readFile(out, 'utf8')).trim().split('\n');
    expect(hits).toHaveLength(1);
  });

  test('write neither file if the name of one is taken', async () => {
    const folder = await emptyFolder();
    const taken = ['a.jsonl.gz', 'b.days.csv', 'c.jsonl.gz.partial'];
    for (const name of taken) await writeFile(join(folder, name), '');
    const exportAs = (name: string) =>
      runCommand(['statistics', 'export', '--website', demo, '--out', join(folder, name)], env);

    const ended = [await exportAs('a.jsonl.gz'), await exportAs('b.jsonl.gz'), await exportAs('c.jsonl.gz')];

    expect(ended.map(({ code }) => code)).toEqual([1, 1, 1]);
    for (const [index, name] of taken.entries()) {
      expect(ended[index]?.stderr).toMatch(new RegExp(`^hitherto: \\S+/${name} already exists.*\\n$`));
    }
    expect((await readdir(folder)).sort()).toEqual(taken);
  });

  test('end with an error if the database fails while it is read, and leave no file behind', async () => {
    const folder = await emptyFolder();
    const out = join(folder, 'visits.jsonl.gz');

    const { code, stderr } = await runCommand(['statistics', 'export', '--website', demo, '--out', out], env, {
      async *hitFile() {
        yield 'a line\n';
        throw new Error('The connection to the database was lost.');
      },
    });

    expect([code, stderr]).toEqual([1, 'hitherto: The connection to the database was lost.\n']);
    expect(await readdir(folder)).toEqual([]);
  });

  test('say with --dry-run what an import would do', async () => {
    const { settings, websiteId } = await emptyWebsite();

    const { code, stderr } = await runCommand(
      ['statistics', 'import', file, '--website', websiteId, '--dry-run'],
      settings,
    );

    expect([code, stderr]).toEqual([0, expect.stringContaining('Nothing was stored.')]);
    expect((await numbersOf(settings, websiteId)).totals.visits).toBe(0);
  });

  test('name the file, its entry, line and column where it is not a CSV, and the file alone where its format is unknown', async () => {
    const { settings, websiteId } = await emptyWebsite();
    const folder = await emptyFolder();
    const files = {
      'umami.zip': zipOf({ name: 'website_event.csv', content: `${UMAMI_HEADER}\ns1,2025-03-01 10:00:00,"a"b,1\n` }),
      'other.csv': 'date,visitors\n2026-01-01,3\n',
    };
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const run = (name: string) =>
      runCommand(['statistics', 'import', join(folder, name), '--website', websiteId], settings);

    const [damaged, foreign, missing] = [await run('umami.zip'), await run('other.csv'), await run('none.csv')];

    expect([damaged.code, foreign.code, missing.code]).toEqual([1, 1, 1]);
    expect(damaged.stderr).toContain(
      `hitherto: ${join(folder, 'umami.zip')}: website_event.csv, line 2, column url_path, is not CSV`,
    );
    expect(foreign.stderr).toMatch(/^hitherto: .*other\.csv: Unknown file format/m);
    expect(missing.stderr).toBe(`hitherto: There is no file ${join(folder, 'none.csv')}.\n`);
    expect((await numbersOf(settings, websiteId)).totals.visits).toBe(0);
  });

  test('list the rows that an import leaves out, one reason a line', async () => {
    const { settings, websiteId } = await emptyWebsite();

    const command = ['statistics', 'import', file, '--website', websiteId, '--until', '2020-01-01'];
    const { stderr } = await runCommand([...command, '--dry-run'], settings);

    expect(stderr).toMatch(/^No hit counts, of [\d,]+ rows\. Left out:\n {2}[\d,]+ .*\nNothing was stored\.$/m);
  });

  test('read standard input, and end with 1 and a sentence where a file is faulty', async () => {
    const { settings, websiteId } = await emptyWebsite();
    const faulty = join(await emptyFolder(), 'faulty.jsonl');
    await writeFile(faulty, '{"format":"hitherto","version":1}\nno JSON\n');

    const piped = await runCommand(['statistics', 'import', '-', '--website', websiteId], settings, {
      input: () => createReadStream(file),
    });
    const failed = await runCommand(['statistics', 'import', faulty, '--website', websiteId], settings);

    expect(piped.code).toBe(0);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('line 2: This is not a JSON object.') });
    expect(failed.stderr).toContain(`hitherto: ${faulty}: 1 of 1 rows are faulty`);
    expect(failed.stderr).toContain('--keep-going');
  });

  test('name an unknown website, zone or day', async () => {
    const run = (...options: readonly string[]) => runCommand(['statistics', 'import', file, ...options], env);

    expect(await run('--website', 'nobody')).toMatchObject({ code: 1, stderr: expect.stringContaining('no website') });
    expect(await run('--website', demo, '--time-zone', 'Europe/Berln')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Did you mean Europe/Berlin?'),
    });
    expect(await run('--website', demo, '--until', 'tomorrow')).toMatchObject({ code: 2 });
  });
});

describe('statistics import --from-database', () => {
  /** Tables with the columns of Umami's that are read, and two events on one day. */
  const umami = async () => {
    const { DATABASE_URL } = await createTestDatabase('template0');
    await execute(
      DATABASE_URL,
      `create table website (website_id uuid, domain text, created_at timestamptz, deleted_at timestamptz);
       create table session (session_id uuid, browser text, os text, device text, language text, country text);
       create table website_event (event_id uuid, website_id uuid, session_id uuid, created_at timestamptz, url_path text,
         url_query text, referrer_domain text, referrer_path text, referrer_query text, event_type integer, event_name text,
         hostname text);
       create table event_data (website_event_id uuid, data_key text, data_type integer, string_value text,
         number_value numeric, date_value timestamptz);
       insert into website select id, 'demo.example' from gen_random_uuid() as id;
       insert into website_event select gen_random_uuid(), website_id, gen_random_uuid(), '2025-03-01T12:00:00Z', '/é', '', '',
         '', '', type, case when type = 2 then 'Signup' end, 'demo.example' from website, generate_series(1, 2) as type`,
    );
    return DATABASE_URL;
  };

  test('imports the website with the same domain, once, and takes it out again', async () => {
    const { settings, websiteId } = await emptyWebsite();
    const command = ['statistics', 'import', '--from-database', await umami(), '--website', websiteId];

    const tried = await runCommand([...command, '--dry-run'], settings);
    const imported = await runCommand(command, settings);
    const again = await runCommand(command, settings);

    expect(tried).toMatchObject({ code: 0, stderr: expect.stringContaining('2 hits on 1 day, 2025-03-01') });
    expect(imported).toMatchObject({ code: 0, stderr: expect.stringContaining('2 hits on 1 day, 2025-03-01') });
    expect(again).toMatchObject({ code: 0, stdout: imported.stdout });
    expect(again.stderr).toContain('This database is imported already');
  });

  test('has no options that another source alone has', async () => {
    const from = (...rest: string[]) => runCommand(['statistics', 'import', '--website', demo, ...rest], env);
    const database = ['--from-database', 'postgres://umami@localhost:1/umami'];

    const rejected = await Promise.all([
      from(...database, '--format', 'umami'),
      from(...database, '--time-zone', 'Europe/Berlin'),
      from(file, '--source-website', demo),
    ]);

    expect(rejected.map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(rejected.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining("'--format <format>' cannot be used with option '--from-database <url>'"),
      expect.stringContaining("'--time-zone <zone>' cannot be used with option '--from-database <url>'"),
      expect.stringContaining('--source-website goes with --from-database, not with a file.'),
    ]);
  });

  test('needs either a file or a database, and tells no password', async () => {
    const from = (...rest: string[]) => runCommand(['statistics', 'import', '--website', demo, ...rest], env);
    const secret = new URL(await umami());
    [secret.username, secret.password] = ['nobody', 's3cret'];

    const none = await from();
    const both = await from(file, '--from-database', secret.href);
    const refused = await from('--from-database', secret.href);
    const malformed = await from('--from-database', 'postgres://nobody:s3cret@[::1/umami');

    expect([none, both].map(({ stderr }) => stderr)).toEqual(
      [1, 2].map(() => expect.stringContaining('either a file or --from-database')),
    );
    expect([none, both, refused, malformed].map(({ code }) => code === 0)).toEqual([false, false, false, false]);
    expect(refused.stderr).toContain("Umami's database cannot be read");
    for (const { stdout, stderr } of [both, refused, malformed]) expect(stdout + stderr).not.toContain('s3cret');
  });
});
