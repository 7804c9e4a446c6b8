import {
  addHits,
  addWebsite,
  aQuery,
  at,
  rebuild,
  runJob,
  type StatisticsPorts,
  settle,
} from '@hitherto/contracts/statistics/support';
import { timeZone } from '@hitherto/domain/calendar';
import type { CountedHit } from '@hitherto/domain/hits';
import { createInMemoryRepositories } from '@hitherto/memory';
import { createDatabase, rowsOf, run, TEMPLATE } from '@hitherto/testing/databases';
import { clearStatistics, countRows } from '@hitherto/testing/statistics-tables';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openPostgres } from '../../src/index.ts';

const TODAY = '2026-11-20';
const LIMITS = { visits: 3, appended: 100 };

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const ports = openPostgres({ connection: database.url, log: () => {}, runningSummaries: LIMITS });
/** Its hours begin half an hour later than those of `ports`. */
const elsewhere = openPostgres({
  connection: database.url,
  log: () => {},
  zone: timeZone('Asia/Kolkata'),
  runningSummaries: LIMITS,
});

afterAll(async () => {
  await ports.close();
  await elsewhere.close();
  await database.drop();
});

describe('a running summary', () => {
  let websiteId: string;
  let defined: StatisticsPorts;
  let definedId: string;

  beforeEach(async () => {
    await clearStatistics(database.url);
    defined = createInMemoryRepositories();
    ({ websiteId } = await addWebsite(ports));
    ({ websiteId: definedId } = await addWebsite(defined));
  });

  const add = async (...hits: readonly CountedHit[]) => {
    await addHits(
      ports,
      hits.map((hit) => ({ ...hit, websiteId })),
    );
    await addHits(
      defined,
      hits.map((hit) => ({ ...hit, websiteId: definedId })),
    );
  };
  const updateVisits = () => runJob(ports, 'update visits');
  /** Three visits, the first of two pageviews, with a running summary. */
  const begin = async () => {
    await add(at('10:00'), at('10:20', { page: '/b' }), at('11:00', { visitor: 2n }), at('12:00', { visitor: 3n }));
    await settle(ports, TODAY);
  };
  const isRunning = async () => {
    const found = await rowsOf(database.url, 'select running_zone from website_day where running_zone is not null');
    return found.length === 1 && found[0]?.running_zone === 'UTC';
  };
  const read = async ({ statistics }: StatisticsPorts, id: string) => ({
    totals: await statistics.totals(aQuery(id)),
    hours: await statistics.series(aQuery(id), 'hour'),
    lists: await statistics.overview(aQuery(id), ['page', 'entry_page', 'exit_page', 'country', 'event'], 10),
  });
  const expectDefinedNumbers = async () =>
    expect(await read(ports, websiteId)).toStrictEqual(await read(defined, definedId));

  it('begins when a day that is not over has enough visits', async () => {
    await add(at('10:00'), at('11:00', { visitor: 2n }));
    await settle(ports, TODAY);
    const before = await isRunning();

    await add(at('12:00', { visitor: 3n }));
    await settle(ports, TODAY);

    expect([before, await isRunning()]).toStrictEqual([false, true]);
    await expectDefinedNumbers();
  });

  it('is all that is read of its day: neither hits nor visits are', async () => {
    await begin();

    await run(database.url, 'delete from hit; delete from visit');

    await expectDefinedNumbers();
  });

  it('begins with correct numbers while visits are pending', async () => {
    await add(at('10:00'), at('10:20'), at('11:00', { visitor: 2n }), at('12:00', { visitor: 3n }));
    await updateVisits();
    await add(at('10:10', { page: '/late' }), at('12:05', { visitor: 3n }), at('13:00', { visitor: 4n }));
    await runJob(ports, 'summarise days', TODAY);

    expect(await isRunning()).toBe(true);
    await expectDefinedNumbers();

    await updateVisits();

    expect(await isRunning()).toBe(true);
    await expectDefinedNumbers();
  });

  it.each([
    ['a new visitor', [at('13:00', { visitor: 4n, page: '/new' })]],
    ['a hit that extends a visit', [at('10:30', { page: '/c' })]],
    ['a hit within a visit', [at('10:10', { page: '/late' })]],
    ['a hit of the same instant as the last of a visit', [at('10:20', { page: '/same' })]],
    ['a hit before a visit, which has another source', [at('09:50', { source: 'Early', country: 'FR' })]],
    ['an event that joins two visits', [at('10:40', { name: 'Signup' }), at('11:05'), at('11:30')]],
    ['a second visit of a visitor', [at('15:00', { country: 'FR' })]],
  ])('counts %s at once and after visits are updated, and keeps running', async (_, hits) => {
    await begin();

    await add(...hits);
    await expectDefinedNumbers();
    await updateVisits();

    expect(await isRunning()).toBe(true);
    await expectDefinedNumbers();
  });

  it('has one row per value again after it is compacted', async () => {
    await begin();
    for (let hour = 12; hour < 22; hour += 1) {
      await add(at(`${hour}:00`, { visitor: 5n }));
      await updateVisits();
    }
    const before = await countRows(database.url, ['running_summary']);

    await runJob(ports, 'summarise days', TODAY);

    const values = await rowsOf(database.url, 'select distinct dimension, value from running_summary');
    expect(await countRows(database.url, ['running_summary'])).toStrictEqual({ running_summary: values.length });
    expect(before.running_summary).toBeGreaterThan(values.length);
    await expectDefinedNumbers();
  });

  it('becomes ordinary numbers when its day is over', async () => {
    await begin();
    await add(at('10:10'));

    await settle(ports, '2026-11-21');

    expect(
      await rowsOf(database.url, 'select hits = hits_in_numbers as counted, running_zone from website_day'),
    ).toStrictEqual([{ counted: true, running_zone: null }]);
    await expectDefinedNumbers();
  });

  it('is made again by a rebuild', async () => {
    await begin();
    await add(at('10:10'), at('13:00', { visitor: 4n }));
    await run(database.url, 'update running_summary set visitors = 99');

    await rebuild(ports, {}, TODAY);

    expect(await isRunning()).toBe(true);
    await expectDefinedNumbers();
  });

  describe('ends, without a wrong number in between,', () => {
    it.each([
      ['after hits were written again', "update hit set host = 'restored.example'"],
      ['after marks were written again', 'update changed_visitor set day = day'],
    ])('%s', async (_, change) => {
      await begin();
      await add(at('10:10'), at('13:00', { visitor: 4n }));
      await run(database.url, change);

      await expectDefinedNumbers();
      await updateVisits();

      expect(await isRunning()).toBe(false);
      await expectDefinedNumbers();
    });

    it('with hours of another time zone', async () => {
      await add(at('10:00'), at('11:00', { visitor: 2n }), at('12:40', { visitor: 3n }));
      await settle(elsewhere, TODAY);
      await add(at('12:50', { visitor: 3n }));

      await expectDefinedNumbers();
      await updateVisits();

      expect(await isRunning()).toBe(false);
      await expectDefinedNumbers();
    });
  });
});
