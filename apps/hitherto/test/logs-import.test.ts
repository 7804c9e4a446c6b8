import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { UNRECORDED } from '@hitherto/domain/changes';
import { newId } from '@hitherto/outside/system';
import { aCountedHit, aWebsite } from '@hitherto/testing/fixtures';
import { describe, expect, test } from 'vitest';
import type { Context } from '../src/cli/context.ts';
import type { OpenDatabase } from '../src/installation/database.ts';
import { openDatabase } from './support/commands.ts';
import { FIREFOX, GPTBOT, ID, line, OTHER, useLogs } from './support/logs.ts';

// imports.md, "Access logs": `logs import`.

const { withDatabase, pathOf, file, run, numbersOf, importsOf, removeImport } = useLogs();

const read = (
  paths: readonly string[],
  args: readonly string[] = ['--website', ID],
  overrides: Partial<Context> = {},
) => run(['logs', 'import', ...paths, ...args], overrides);

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
      notes: [],
    });
    expect(await numbersOf()).toEqual({
      pageviews: 4,
      visitors: 3,
      sources: expect.arrayContaining(['Google', null]),
      crawlers: [{ value: 'OpenAI', hits: 2, hits4xx: 1 }],
    });
  });

  test('shows lines that it cannot read, without what could steer a terminal', async () => {
    const garbage = 'garbage \u001b[2J\u009b1A\u202e';
    const path = file('access.log', `${line()}${garbage}\n`);
    const args = ['--website', ID, '--keep-going'];

    const { stderr } = await read([path], args);
    appendFileSync(path, `${line()}${garbage}\n`);
    const { stdout } = await read([path], [...args, '--json']);

    expect(stderr).toContain('garbage �[2J�1A�\n');
    expect(stderr + stdout).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(JSON.parse(stdout)).toMatchObject({
      skipped: [{ reason: 'faulty', examples: [expect.stringContaining(garbage)] }],
    });
  });

  test('is an import, which shows nothing of the lines, and after which the log can be read again', async () => {
    const path = file(
      'access.log',
      line() + line({ path: '/secret.txt' }) + line({ agent: GPTBOT }) + line({ status: 500 }),
    );
    await read([path]);
    const counted = await numbersOf();
    const imports = await importsOf();

    await removeImport(imports[0]?.id);

    expect(imports).toMatchObject([
      {
        format: 'access-log',
        status: 'done',
        from: '2026-11-20',
        to: '2026-11-20',
        hits: 1,
        days: 1,
        rows: 4,
        skipped: [
          { reason: 'static_file', rows: 1, example: `${path}, line 2: It asks for a file.` },
          { reason: 'bot', rows: 1 },
          { reason: 'status', rows: 1, example: `${path}, line 4: The status does not count.` },
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
    await run(['statistics', 'import', hits, '--website', ID]);
    const path = file('access.log', line());

    const rejected = await read([path]);
    const accepted = await read([path], ['--website', ID, '--also']);

    expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringMatching(/covers 2026-11-20 already/)]);
    expect([accepted.code, (await numbersOf()).pageviews]).toEqual([0, 2]);
  });

  test('is the same as importing the file of a log, which grows and is compressed', async () => {
    const importFile = (path: string) => run(['statistics', 'import', path, '--website', ID]);
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

    await read([path, pathOf('access.log.1.gz')]);
    await read([pathOf('access.log.1.gz'), path]);

    expect((await numbersOf()).pageviews).toBe(4);
  });

  test('misses lines rather than counting them twice where the place is lost, and says how many', async () => {
    const path = file('access.log', line() + line({ second: 5 }) + line({ second: 5 }));
    await read([path]);
    writeFileSync(path, line({ second: 4, path: '/x' }) + line({ second: 5 }) + line({ second: 6 }));

    const { stderr } = await read([path]);

    expect(stderr).toMatch(/1 line that may have been read before \(earlier\)/);
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

    expect(stderr).toMatch(/1 line with a host that has no website/);
    expect([(await numbersOf()).pageviews, (await numbersOf(OTHER)).pageviews]).toEqual([2, 1]);
  });

  test('reads lines of several websites at once: none of their imports waits', async () => {
    const path = file('access.log', line({ host: 'example.com' }) + line({ host: 'other.example' }));
    const waiting: unknown[] = [];
    const openObserved = async (...args: Parameters<OpenDatabase>) => {
      const database = await openDatabase(...args);
      const publish: typeof database.staging.publish = async (...end) => {
        for (const websiteId of [ID, OTHER]) {
          const { accountId = '' } = (await database.directory.findById(websiteId)) ?? {};
          const imports = (await database.imports.list({ accountId, websiteId })) ?? [];
          waiting.push(...imports.map(({ waits = false }) => waits));
        }
        return database.staging.publish(...end);
      };
      return { ...database, staging: { ...database.staging, publish } };
    };

    const { code } = await read([path], [], { openDatabase: openObserved });

    expect([code, waiting]).toEqual([0, [false, false, false, false]]);
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
    [[''], /This is a folder, not a file/],
    [['access.log', '--format', 'combind'], /There is no format "combind"/],
    [['access.log', '--format', 'json:path=a'], /lacks time=FIELD/],
    [['other.txt'], /not recognized by its first lines\. Name it with --format/],
    [['access.log', '--website', 'x'], /There is no website with this id/],
    [['access.log.bz2'], /access\.log\.bz2 is compressed by bzip2/],
  ])('says how to mend %j', async ([name = '', ...args], message) => {
    file('access.log', line());
    file('other.txt', 'a,b\n1,2\n');
    file('access.log.bz2', 'BZh91AY&SY');

    const { code, stderr } = await read([pathOf(name)], args.includes('--website') ? args : [...args, '--website', ID]);

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
    /** The database of a command that dies before or after one of its writes: three batches, and their publication. */
    const openDying = async (call: number, when: 'before' | 'after', ...args: Parameters<OpenDatabase>) => {
      const database = await openDatabase(...args);
      const { stage, publish } = database.staging;
      let calls = 0;
      const write = async <Result>(work: () => Promise<Result>): Promise<Result> => {
        calls += 1;
        if (calls !== call) return work();
        if (when === 'after') await work();
        kills += 1;
        throw new Error('killed');
      };
      const staging: typeof database.staging = {
        ...database.staging,
        stage: (...batch) => write(() => stage(...batch)),
        publish: (...end) => write(() => publish(...end)),
      };
      return { ...database, staging };
    };

    const codes: unknown[] = [];
    for (const call of [1, 2, 3, 4]) {
      for (const when of ['before', 'after'] as const) {
        const killed = await read([path], ['--website', ID], {
          openDatabase: (...args) => openDying(call, when, ...args),
        });
        codes.push(killed.code);
      }
    }
    codes.push((await read([path])).code);

    expect([kills, codes]).toEqual([8, [1, 1, 1, 1, 1, 1, 1, 1, 0]]);
    const counted = lines.filter((_, n) => n % 7 !== 0).length;
    expect(await numbersOf()).toMatchObject({
      pageviews: counted,
      visitors: 200,
      crawlers: [{ value: 'OpenAI', hits: lines.length - counted, hits4xx: 0 }],
    });
  });
});

test('a line whose host has several websites counts for none of them', async () => {
  await withDatabase(async ({ websites, directory }) => {
    const { accountId = '' } = (await directory.findById(OTHER)) ?? {};
    await websites.insert(accountId, aWebsite({ id: newId(), url: 'https://www.other.example/é' }), UNRECORDED);
  });
  const path = file('hosts.log', line({ host: 'www.other.example' }) + line({ host: 'example.com', second: 1 }));

  const { code, stdout } = await read([path], ['--json']);

  expect([code, JSON.parse(stdout)]).toMatchObject([0, { hits: 1, skipped: [{ reason: 'unknown_host', lines: 1 }] }]);
  expect([await numbersOf(ID), await numbersOf(OTHER)]).toMatchObject([{ pageviews: 1 }, { pageviews: 0 }]);
});
