import { addDays, type CountedHit, DIMENSIONS, daysOf } from '@hitherto/domain';
import { createDatabase, rowsOf, run, TEMPLATE, type TestDatabase } from '@hitherto/testing/databases';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createInMemoryRepositories } from '../../src/in-memory/index.ts';
import { openPostgres, type PostgresRepositories } from '../../src/postgres/index.ts';
import { undoFrom } from '../undo-migrations.ts';
import { addHits, addWebsite, all, aQuery, at, runJob, type StatisticsPorts, settle, untilDone } from './support.ts';

// What an earlier version has stored, or stores beside this one, lacks the dimension that was added last.
const LAST = 'host';

/** A Monday; the two weeks from here on have hits on each day, and all but the last day are over. */
const FIRST = '2026-11-02';
const TODAY = addDays(FIRST, 13);
const A_DAY = '2026-11-11';

const PERIODS = [
  [FIRST, TODAY],
  [addDays(FIRST, 1), addDays(FIRST, 9)],
] as const;

let prepared: TestDatabase;
let database: TestDatabase;
let ports: PostgresRepositories;
let websiteId: string;
/** Where every number is computed from all hits. */
let defined: StatisticsPorts;
let definedId: string;

const open = () =>
  openPostgres({ connection: database.url, log: () => {}, runningSummaries: { visits: 2, appended: 1_000 } });

beforeAll(async () => {
  prepared = database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  ports = open();
  ({ websiteId } = await addWebsite(ports));
  await addTo(ports, websiteId, daysOf(FIRST, TODAY).flatMap(hitsOf));
  await settle(ports, TODAY);
  await ports.close();
});

afterAll(() => prepared.drop());

beforeEach(async () => {
  database = await createDatabase(inject('postgresUrl'), { template: prepared.name });
  ports = open();
  defined = createInMemoryRepositories();
  ({ websiteId: definedId } = await addWebsite(defined));
  await addTo(defined, definedId, daysOf(FIRST, TODAY).flatMap(hitsOf));
});

afterEach(async () => {
  await ports.close();
  await database.drop();
});

/** A visit that goes on to another host, two with a tie between hosts, one of an event alone. */
function hitsOf(day: string) {
  const hit = (visitor: bigint, time: string, host: string, name: string | null = null) =>
    at(time, { visitor, day, time: new Date(`${day}T${time}:00Z`), host, name, page: '/a' });
  return [
    hit(1n, '12:00', 'example.com'),
    hit(1n, '12:01', 'shop.example.com'),
    hit(2n, '12:00', 'shop.example.com'),
    hit(2n, '12:00', 'example.com'),
    hit(2n, '18:00', `${day}.example.com`),
    hit(3n, '12:00', 'shop.example.com', 'Signup'),
  ];
}

function addTo(there: StatisticsPorts, id: string, hits: readonly CountedHit[]): Promise<void> {
  return addHits(
    there,
    hits.map((hit) => ({ ...hit, websiteId: id })),
  );
}

async function add(...hits: readonly CountedHit[]): Promise<void> {
  await addTo(ports, websiteId, hits);
  await addTo(defined, definedId, hits);
}

/** Leaves the database as the version before the last dimension had it, and migrates it. */
async function upgrade(): Promise<void> {
  await ports.close();
  await run(database.url, undoFrom('0017-hosts-of-visits'));
  ports = open();
  await ports.migrate();
}

/** All reads that may name hosts, in each period, but overviews. */
async function reads({ statistics }: StatisticsPorts, id: string) {
  const filters = [
    [],
    all({ dimension: LAST, value: 'example.com' }),
    all({ dimension: LAST, value: 'shop.example.com' }, { dimension: 'event', value: 'Signup' }),
  ];
  const found: unknown[] = [];
  for (const [from, to] of PERIODS) {
    for (const chosen of filters) {
      const query = aQuery(id, { from, to, filters: chosen });
      const [days, list] = await Promise.all([statistics.series(query, 'day'), statistics.values(query, LAST, 50)]);
      found.push({ from, to, chosen, days, list });
    }
  }
  return found;
}

/** An overview of each period, and one of the visits that a filter chooses. */
async function overviews({ statistics }: StatisticsPorts, id: string) {
  const queries = PERIODS.map(([from, to]) => aQuery(id, { from, to }));
  const filtered = { ...aQuery(id), filters: all({ dimension: 'event', value: null }) };
  return Promise.all([...queries, filtered].map((query) => statistics.overview(query, DIMENSIONS, 50)));
}

async function expectDefinedReads(): Promise<void> {
  expect(await reads(ports, websiteId)).toStrictEqual(await reads(defined, definedId));
}

/** The overviews are as defined, but may leave out the last dimension; returns whether each has it. */
async function expectDefinedOverviews(): Promise<boolean[]> {
  const [found, expected] = [await overviews(ports, websiteId), await overviews(defined, definedId)];
  for (const [index, { days, values }] of found.entries()) {
    const ofAll = new Map(expected[index]?.values);
    if (!values.has(LAST)) ofAll.delete(LAST);
    expect({ days, values }).toStrictEqual({ days: expected[index]?.days, values: ofAll });
  }
  return found.map(({ values }) => values.has(LAST));
}

const renew = () => runJob(ports, 'renew summaries', TODAY);

describe('after an upgrade', () => {
  beforeEach(upgrade);

  it('lists and filters by it are right at once, and overviews leave it out', async () => {
    await expectDefinedReads();

    expect(await expectDefinedOverviews()).toStrictEqual([false, false, false]);
  });

  it('overviews have it once summaries are made again', async () => {
    await renew();

    expect(await expectDefinedOverviews()).toStrictEqual([false, true, false]);
    await settle(ports, TODAY);
    expect(await expectDefinedOverviews()).toStrictEqual([true, true, true]);
    await expectDefinedReads();
  });

  it('every visit of days that are over knows it once summaries are made again', async () => {
    await renew();

    expect(
      await rowsOf(database.url, `select distinct host is null as lacks from visit where day < '${TODAY}'`),
    ).toStrictEqual([{ lacks: false }]);
  });

  it('the sums of weeks are made again, too', async () => {
    await settle(ports, TODAY);

    await run(database.url, `delete from summary where dimension <> 0 and day between '2026-11-02' and '2026-11-08'`);

    const query = { from: '2026-11-02', to: '2026-11-08' };
    const { values } = await ports.statistics.overview(aQuery(websiteId, query), [LAST], 50);
    const expected = await defined.statistics.overview(aQuery(definedId, query), [LAST], 50);
    expect(values).toStrictEqual(expected.values);
  });

  it('late hits, and those of a day that goes on, are counted at once', async () => {
    await add(...[A_DAY, TODAY].flatMap((day) => hitsOf(day).map((hit) => ({ ...hit, visitor: hit.visitor + 1n }))));

    await expectDefinedReads();
    await expectDefinedOverviews();
    await runJob(ports, 'update visits');

    await expectDefinedReads();
    await expectDefinedOverviews();
  });

  it('days whose hits are deleted have it from then on', async () => {
    await untilDone(() => ports.maintenance.deleteHitsBefore('2026-11-09'));
    await untilDone(() => defined.maintenance.deleteHitsBefore('2026-11-09'));

    const query = { from: FIRST, to: '2026-11-08' };
    expect(await ports.statistics.values(aQuery(websiteId, query), LAST, 50)).toStrictEqual(
      await defined.statistics.values(aQuery(definedId, query), LAST, 50),
    );
  });
});

it('days whose hits were deleted before are left out of its lists, and of no other', async () => {
  await untilDone(() => ports.maintenance.deleteHitsBefore('2026-11-09'));
  await upgrade();
  await settle(ports, TODAY);

  const [of] = await overviews(ports, websiteId);
  const query = { from: '2026-11-09', to: TODAY };
  const { values: kept } = await defined.statistics.overview(aQuery(definedId, query), [LAST], 50);
  const [all] = await overviews(defined, definedId);

  expect(of?.values.get(LAST)).toStrictEqual(kept.get(LAST));
  expect(of?.values.get('device')).toStrictEqual(all?.values.get('device'));
  expect(of?.days).toStrictEqual(all?.days);
});

describe('beside an earlier version', () => {
  /** What such a version writes: it names neither the dimension nor what rows have. */
  const writes = {
    'a visit': `
      update visit set host = null, newest_kind = 18 where day = '${A_DAY}';
      update website_day set summarised = false where day = '${A_DAY}'`,
    'the summary of a day': `
      update visit set host = null, newest_kind = 18 where day = '${A_DAY}' and visitor = 1;
      update website_day set summarised = false where day = '${A_DAY}';
      update summary set visitors = 99 where day = '${A_DAY}' and dimension = 19;
      update website_day set summarised = true where day = '${A_DAY}'`,
    'the sum of a week': `
      update week_summary set visitors = 99 where dimension = 19;
      update week_summary set events = 0 where dimension = 0`,
    'a rebuilt day': `update visit set host = null, newest_kind = 18 where day = '${A_DAY}'`,
    'a running summary': `
      delete from summary where day = '${TODAY}' and dimension = 19;
      update visit set host = null, newest_kind = 18 where day = '${TODAY}';
      update website_day set summarised = false where day = '${TODAY}';
      update website_day set summarised = true, running_zone = 'UTC' where day = '${TODAY}'`,
  };

  it.each(Object.entries(writes))('%s leaves no wrong number, then or later', async (_, statements) => {
    await run(database.url, statements);

    await expectDefinedReads();
    await expectDefinedOverviews();

    await add(...hitsOf(TODAY).map((hit) => ({ ...hit, visitor: hit.visitor + 10n })));
    await expectDefinedReads();
    await expectDefinedOverviews();

    await settle(ports, TODAY);
    await expectDefinedReads();
    await expectDefinedOverviews();
  });

  it('a running summary is not appended to, because it would lack rows', async () => {
    const [{ running_zone: kept } = {}] = await rowsOf<{ running_zone: string }>(
      database.url,
      'select running_zone from website_day where running_zone is not null',
    );

    expect(kept).toBe('UTC 19');
  });
});
