import { addDays, type CountedHit, DIMENSIONS, daysOf, NO_IMPORT_COUNTS, type WebsiteKey } from '@hitherto/domain';
import { createDatabase, run, TEMPLATE, type TestDatabase } from '@hitherto/testing/databases';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { openPostgres, type PostgresRepositories } from '../../src/postgres/index.ts';
import { newId } from '../../src/system.ts';
import { UNDO_MIGRATIONS, undoFrom } from '../undo-migrations.ts';
import { addHits, addWebsite, all, aQuery, at, rebuild, runJob, type ValueFilter } from './support.ts';

/** The days whose hits were imported. */
const IMPORTED = ['2026-10-28', '2026-10-30'];
/** A Monday; the days from here to `LAST` have hits, and those before `TODAY` are summarised. */
const FIRST = '2026-11-02';
const TODAY = '2026-11-20';
const LAST = '2026-11-22';

/** The dimensions that all versions have counted; others are missing in overviews for a while. */
const EARLIER = DIMENSIONS.filter((dimension) => dimension !== 'host');

const FILTERS: (readonly ValueFilter[])[] = [
  [],
  [{ dimension: 'entry_page', value: '/a' }],
  [{ dimension: 'page', value: '/é' }],
  [{ dimension: 'event', value: 'Signup' }],
  [{ dimension: 'event', value: null }],
];

/** The database before an upgrade, which each test clones. */
let filled: TestDatabase;
let database: TestDatabase;
let ports: PostgresRepositories;
let websiteId: string;
/** The numbers of a database that no upgrade has changed: as it was filled, and after more hits and work. */
let before: Numbers;
let later: Numbers;

type Numbers = Awaited<ReturnType<typeof numbers>>;

const open = () => openPostgres({ connection: database.url, log: () => {} });
const clone = (template: string) => createDatabase(inject('postgresUrl'), { template });

beforeAll(async () => {
  filled = database = await clone(TEMPLATE);
  ports = open();
  const website = await addWebsite(ports);
  websiteId = website.websiteId;
  await importHits(website, IMPORTED.flatMap(hitsOf));
  await addHits(ports, daysOf(FIRST, LAST).flatMap(hitsOf));
  await runJob(ports, 'update visits');
  await runJob(ports, 'summarise days', TODAY);
  await addHits(ports, [addDays(FIRST, 9), TODAY].flatMap(hitsOf));
  before = await numbers();
  await ports.close();

  database = await clone(filled.name);
  ports = open();
  await goOn();
  later = await numbers();
  await ports.close();
  await database.drop();
});

afterAll(() => filled.drop());

afterEach(async () => {
  await ports.close();
  await database.drop();
});

async function importHits(website: WebsiteKey, hits: readonly CountedHit[]) {
  const now = new Date(TODAY);
  const id = newId();
  await ports.imports.insert(website, {
    ...NO_IMPORT_COUNTS,
    id,
    websiteId,
    format: 'hitherto',
    sha256: '0'.repeat(64),
    status: 'running',
    problem: null,
    createdAt: now,
  });
  await ports.imports.begin(id, now);
  await ports.history.stage(id, hits);
  await ports.history.publish(id, NO_IMPORT_COUNTS, now);
}

/** Adds more hits, to days that are summarised, and does the work that is due. */
async function goOn() {
  await addHits(ports, [addDays(FIRST, 2), addDays(FIRST, 12)].flatMap(hitsOf));
  await runJob(ports, 'update visits');
  await runJob(ports, 'summarise days', TODAY);
}

/** A visit of three pages with an event, two of one page each, and one of an event alone. */
function hitsOf(day: string) {
  const hit = (visitor: bigint, time: string, page: string, name: string | null = null) =>
    at(time, { websiteId, visitor, day, time: new Date(`${day}T${time}:00Z`), page, name });
  return [
    hit(1n, '12:00', '/a'),
    hit(1n, '12:01', '/é'),
    hit(1n, '12:02', `/${day}`),
    hit(1n, '12:03', '/a', 'Signup'),
    hit(2n, '12:00', '/a'),
    hit(2n, '18:00', '/b'),
    hit(3n, '12:00', '/b', 'Download'),
  ];
}

async function numbers() {
  const periods = [
    [IMPORTED[0] ?? FIRST, LAST],
    [addDays(FIRST, 3), addDays(FIRST, 16)],
  ] as const;
  const queries = periods.flatMap(([from, to]) =>
    FILTERS.map((filters) => aQuery(websiteId, { from, to, filters: all(...filters) })),
  );
  const read = [];
  // One after another: each further connection would first have to read the catalog.
  for (const query of queries) {
    read.push({
      query,
      totals: await ports.statistics.totals(query),
      days: await ports.statistics.series(query, 'day'),
      lists: await ports.statistics.overview(query, EARLIER, 30),
      hosts: await ports.statistics.values(query, 'host', 30),
    });
  }
  return read;
}

/**
 * The migrations that change what statistics read. An upgrade runs all later migrations, too, so one from before any other
 * migration finds the same statistics as one of these, and runs a part of its statements.
 */
const OF_STATISTICS = UNDO_MIGRATIONS.filter(([, statements]) =>
  /\b(hit|visit|visit_columns|summary|week_summary|website_day|journal_batch|import_hit|import_visit|imported_sum)\b/.test(
    statements,
  ),
);

it.each(OF_STATISTICS)('an upgrade with %s changes no number, then or later', async (migration) => {
  database = await clone(filled.name);
  await run(database.url, undoFrom(migration));
  ports = open();

  expect(await ports.migrate()).toContain(migration);

  expect(await numbers()).toStrictEqual(before);
  await goOn();
  expect(await numbers()).toStrictEqual(later);
  await rebuild(ports);
  expect(await numbers()).toStrictEqual(later);
});
