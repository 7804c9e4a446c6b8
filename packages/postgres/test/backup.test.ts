import { aSum, importSums } from '@hitherto/contracts/statistics/imports-support';
import { addHits, addWebsite, aQuery, at, runJob } from '@hitherto/contracts/statistics/support';
import { addReader, addReported } from '@hitherto/contracts/support/reported';
import type { BackupPart } from '@hitherto/domain/backup';
import { addDays, daysOf } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import { GAPS } from '@hitherto/domain/visits';
import { newId } from '@hitherto/outside/system';
import { createDatabase, rowsOf, run, TEMPLATE, type TestDatabase } from '@hitherto/testing/databases';
import { aWebsite } from '@hitherto/testing/fixtures';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { BACKUP_TABLES, LEFT_OUT_TABLES } from '../src/backup/backup-tables.ts';
import { openPostgres, type PostgresRepositories } from '../src/index.ts';

/** A day with sums alone. */
const IMPORTED = '2025-03-01';
const FIRST = '2026-10-20';
const TODAY = '2026-11-20';

let original: TestDatabase;
let ports: PostgresRepositories;
let websiteId: string;
const closing: (() => Promise<void>)[] = [];

const open = (database: TestDatabase) => {
  const opened = openPostgres({ connection: database.url, log: () => {} });
  closing.push(opened.close);
  return opened;
};

/** Hostile values, and visits of days that are over, of large ones that are not, and of none. */
beforeEach(async () => {
  original = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  ports = open(original);
  const website = await addWebsite(ports);
  ({ websiteId } = website);
  await addHits(ports, daysOf(FIRST, TODAY).flatMap(hitsOf));
  await runJob(ports, 'hand over hits');
  await runJob(ports, 'join days', '2026-11-10');
  await runJob(ports, 'summarise days', TODAY);
  await addHits(ports, hitsOf('2027-09-01'));
  await importSums(ports, website, [
    aSum(IMPORTED, 'total', null, { visitors: 3, pageviews: 9, gaps: GAPS.visits }),
    aSum(IMPORTED, 'page', '/é\\N\t\n', { visitors: 3, pageviews: 9, gaps: GAPS.visits | GAPS.visitorsAtMost }),
  ]);
  const accountId = await addReader(ports);
  await addReported(ports, accountId);
  const gone = aWebsite({ id: newId(), url: 'https://gone.example' });
  await ports.websites.insert(accountId, gone, UNRECORDED);
  await ports.websites.delete(accountId, gone.id, undefined, UNRECORDED);
  await ports.salts.saltOf(TODAY, Buffer.alloc(32, 7));
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await original.drop();
});

function hitsOf(day: string) {
  const hit = (visitor: bigint, time: string, page: string, name: string | null = null) =>
    at(time, { websiteId, visitor, day, time: new Date(`${day}T${time}:00.123Z`), page, name });
  return [
    hit(1n, '12:00', '/a\\N\t\\b'),
    hit(1n, '12:01', '/é\n🦊'),
    { ...hit(-1n, '12:03', '/"', 'Signup'), props: { plan: 'a\\b\n"c"', n: 0.1 } },
    hit(2n, '18:00', '/\\.'),
  ];
}

async function emptyInstallation(): Promise<{ database: TestDatabase; restored: PostgresRepositories }> {
  const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  closing.push(database.drop);
  return { database, restored: open(database) };
}

/** All rows of all tables, in the order of their text. */
/** Every row, but for numbers of transactions. */
async function contentOf({ url }: TestDatabase): Promise<Record<string, string[]>> {
  const selects = BACKUP_TABLES.map(
    (table) =>
      `select '${table}' as name, (to_jsonb(${table}) - array['added_in', 'rewritten_in'])::text as row from ${table}`,
  );
  const rows = await rowsOf<{ name: string; row: string }>(url, `${selects.join(' union all ')} order by 1, 2`);
  const content: Record<string, string[]> = Object.fromEntries(BACKUP_TABLES.map((table) => [table, []]));
  for (const { name, row } of rows) content[name]?.push(row);
  return content;
}

async function partsOf({ backup }: PostgresRepositories): Promise<BackupPart[]> {
  const parts: BackupPart[] = [];
  for await (const part of backup())
    parts.push(part.type === 'rows' ? { ...part, bytes: Buffer.from(part.bytes) } : part);
  return parts;
}

async function* streamOf(parts: readonly BackupPart[]): AsyncGenerator<BackupPart> {
  yield* parts;
}

const indexesOf = ({ url }: TestDatabase) =>
  rowsOf(url, `select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1`);

describe('a backup', () => {
  it('has all tables but those that are left out', async () => {
    const tables = await rowsOf<{ name: string }>(
      original.url,
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    );

    expect(tables.map(({ name }) => name).sort()).toEqual([...BACKUP_TABLES, ...LEFT_OUT_TABLES].sort());
  });

  it('is of one moment, whatever is written and moved meanwhile', async () => {
    const before = await contentOf(original);
    const parts: BackupPart[] = [];
    for await (const part of ports.backup()) {
      if (parts.length === 1) {
        await addHits(ports, hitsOf(addDays(TODAY, 1)));
        await runJob(ports, 'hand over hits');
      }
      parts.push(part);
    }
    const { database, restored } = await emptyInstallation();

    await restored.restore(streamOf(parts));

    expect(await contentOf(database)).toEqual(before);
  });
});

describe('a restore', () => {
  it('brings back every row, index and trigger, whatever the settings of the databases', async () => {
    await run(original.url, `alter database "${original.name}" set datestyle = 'German'`);
    await run(original.url, `alter database "${original.name}" set timezone = 'Asia/Tokyo'`);
    await run(original.url, `alter database "${original.name}" set bytea_output = 'escape'`);
    const { database, restored } = await emptyInstallation();
    const [indexes, triggers] = await Promise.all([indexesOf(database), triggersOf(database)]);
    const before = await contentOf(original).then((content) => ({ ...content }));

    await restored.restore(streamOf(await partsOf(open(original))));

    await run(original.url, `alter database "${original.name}" reset all`);
    expect(await contentOf(database)).toEqual(await contentOf(original));
    expect(before.hit).not.toEqual([]);
    expect((await indexesOf(database)).filter(({ indexname }) => !/_\d{4}_\d\d_/.test(String(indexname)))).toEqual(
      indexes.filter(({ indexname }) => !/_\d{4}_\d\d_/.test(String(indexname))),
    );
    expect(await triggersOf(database)).toEqual(triggers);
    const [invalid] = await rowsOf<{ count: string }>(
      database.url,
      'select count(*) from pg_index where not indisvalid',
    );
    expect(invalid?.count).toBe('0');
  });

  it('gives the same numbers, which further hits and work continue', async () => {
    const { restored } = await emptyInstallation();
    const numbers = async ({ statistics }: PostgresRepositories) => ({
      totals: await statistics.totals(aQuery(websiteId, { from: IMPORTED, to: '2027-12-31' })),
      days: await statistics.series(aQuery(websiteId, { from: IMPORTED, to: FIRST }), 'day'),
      pages: await statistics.values(aQuery(websiteId, { from: IMPORTED, to: '2027-12-31' }), 'page', 30),
    });
    const before = await numbers(ports);
    expect(before.days[0]).toMatchObject({ start: IMPORTED, visitors: 3, pageviews: 9, gaps: GAPS.visits });

    await restored.restore(streamOf(await partsOf(ports)));

    expect(await numbers(restored)).toEqual(before);
    for (const each of [ports, restored]) {
      await addHits(
        each,
        hitsOf('2026-10-31').map((hit) => ({ ...hit, visitor: hit.visitor + 100n })),
      );
      await each.maintenance.settle(new Date(`${TODAY}T12:00:00Z`));
    }
    expect(await numbers(restored)).toEqual(await numbers(ports));
  });

  it('gives new websites numbers of their own', async () => {
    const { database, restored } = await emptyInstallation();
    await restored.restore(streamOf(await partsOf(ports)));

    await addWebsite(restored);

    const taken = await rowsOf<{ number: string }>(
      database.url,
      'select number from website union all select number from deleted_website',
    );
    expect(new Set(taken.map(({ number }) => number)).size).toBe(4);
  });

  it('is rejected by an installation that has an account', async () => {
    const { database, restored } = await emptyInstallation();
    await addWebsite(restored);
    const before = await contentOf(database);

    await expect(restored.restore(streamOf(await partsOf(ports)))).rejects.toMatchObject({ code: 'not_empty' });

    expect(await contentOf(database)).toEqual(before);
  });

  it('leaves an empty installation if it fails at any part', async () => {
    const { database, restored } = await emptyInstallation();
    const before = await contentOf(database);
    const parts = await partsOf(ports);
    for (let end = 0; end < parts.length; end += 3) {
      const failing = async function* (): AsyncGenerator<BackupPart> {
        yield* parts.slice(0, end);
        throw new Error('damaged');
      };

      await expect(restored.restore(failing())).rejects.toThrow('damaged');
    }
    expect(await contentOf(database)).toEqual(before);

    await restored.restore(streamOf(parts));

    expect(await contentOf(database)).toEqual(await contentOf(original));
  });

  it('rejects a backup of a later version, and names its migrations', async () => {
    const { restored } = await emptyInstallation();
    const parts = await partsOf(ports);
    const later = parts.map((part) =>
      part.type === 'start' ? { ...part, migrations: [...part.migrations, '9999-later'] } : part,
    );

    await expect(restored.restore(streamOf(later))).rejects.toThrow(
      'later version of Hitherto (it has the migrations 9999-later)',
    );
  });
});

function triggersOf({ url }: TestDatabase) {
  return rowsOf(
    url,
    `select tgrelid::regclass::text as table, tgname, tgenabled from pg_trigger where not tgisinternal order by 1, 2`,
  );
}
