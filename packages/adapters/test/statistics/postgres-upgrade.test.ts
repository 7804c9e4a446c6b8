import { addDays, DIMENSIONS, daysOf } from '@hitherto/domain';
import { createDatabase, run, TEMPLATE, type TestDatabase } from '@hitherto/testing/databases';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { openPostgres, type PostgresRepositories } from '../../src/postgres/index.ts';
import { UNDO_MIGRATIONS, undoFrom } from '../undo-migrations.ts';
import { addHits, addWebsite, all, aQuery, at, rebuild, runJob, type ValueFilter } from './support.ts';

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

let database: TestDatabase;
let ports: PostgresRepositories;
let websiteId: string;

const open = () => openPostgres({ connection: database.url, log: () => {} });

beforeEach(async () => {
  database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  ports = open();
  ({ websiteId } = await addWebsite(ports));
  await addHits(ports, daysOf(FIRST, LAST).flatMap(hitsOf));
  await runJob(ports, 'update visits');
  await runJob(ports, 'summarise days', TODAY);
  await addHits(ports, [addDays(FIRST, 9), TODAY].flatMap(hitsOf));
});

afterEach(async () => {
  await ports.close();
  await database.drop();
});

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

function numbers() {
  const periods = [
    [FIRST, LAST],
    [addDays(FIRST, 3), addDays(FIRST, 16)],
  ] as const;
  const queries = periods.flatMap(([from, to]) =>
    FILTERS.map((filters) => aQuery(websiteId, { from, to, filters: all(...filters) })),
  );
  return Promise.all(
    queries.map(async (query) => ({
      query,
      totals: await ports.statistics.totals(query),
      days: await ports.statistics.series(query, 'day'),
      lists: await ports.statistics.overview(query, EARLIER, 30),
      hosts: await ports.statistics.values(query, 'host', 30),
    })),
  );
}

it.each(UNDO_MIGRATIONS)('an upgrade with %s changes no number, then or later', async (migration) => {
  const before = await numbers();
  await ports.close();
  await run(database.url, undoFrom(migration));
  ports = open();

  expect(await ports.migrate()).toContain(migration);

  expect(await numbers()).toStrictEqual(before);
  await addHits(ports, [addDays(FIRST, 2), addDays(FIRST, 12)].flatMap(hitsOf));
  await runJob(ports, 'update visits');
  await runJob(ports, 'summarise days', TODAY);
  const later = await numbers();
  await rebuild(ports);
  expect(await numbers()).toStrictEqual(later);
});
