import { stageSums } from '@hitherto/contracts/statistics/imports-support';
import {
  addHits,
  addWebsite,
  aQuery,
  at,
  rebuild,
  runJob,
  settle,
  untilDone,
} from '@hitherto/contracts/statistics/support';
import { daysOf } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { StatisticsQuery } from '@hitherto/domain/engine';
import { NO_IMPORT_COUNTS } from '@hitherto/domain/imports';
import { sumTotals } from '@hitherto/domain/visits';
import { createDatabase, rowsOf, run, TEMPLATE } from '@hitherto/testing/databases';
import { clearStatistics } from '@hitherto/testing/statistics-tables';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openPostgres } from '../../src/index.ts';
import { PART_LIMITS } from '../../src/statistics/part-limits.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const ports = openPostgres({
  connection: database.url,
  log: () => {},
  parts: { ...PART_LIMITS, lists: 1, listsOfMonths: 1 },
});
let accountId: string;
let websiteId: string;

/** Every day of two months and some days around them has hits. */
const FIRST = '2026-08-25';
const LAST = '2026-11-05';
const DAYS = daysOf(FIRST, LAST);

beforeEach(async () => {
  await clearStatistics(database.url);
  ({ accountId, websiteId } = await addWebsite(ports));
  await addHits(
    ports,
    DAYS.flatMap((day, n) => [hitOf(day, '/a'), hitOf(day, `/${n % 3}`), hitOf(day, '/a', 'Signup')]),
  );
  await settle(ports);
});

afterAll(async () => {
  await ports.close();
  await database.drop();
});

function hitOf(day: string, page: string, name: string | null = null, visitor = 1n) {
  return at('12:00', { websiteId, visitor, day, time: new Date(`${day}T12:00:00.000Z`), page, name });
}

const pagesOf = async (query: Partial<StatisticsQuery>) => {
  const { values } = await ports.statistics.overview(aQuery(websiteId, query), ['page'], 10);
  return values.get('page')?.rows.map(({ value, visitors }) => [value, visitors]);
};

/** What the overview lists, and what the lists of single dimensions have, which are read from days. */
const listed = async (query: Partial<StatisticsQuery>) => {
  const asked = aQuery(websiteId, query);
  const { values } = await ports.statistics.overview(asked, ['page', 'exit_page', 'country', 'event'], 10);
  return Promise.all(
    [...values.keys()].map(async (dimension) => {
      const { rows, total } = await ports.statistics.values(asked, dimension, 10);
      const expected = rows.map(({ value, visitors, events }) => ({
        value,
        visitors,
        events: dimension === 'event' ? events : undefined,
      }));
      return { dimension, found: values.get(dimension), expected: { rows: expected, total } };
    }),
  );
};

const months = () =>
  rowsOf<{ month: string }>(
    database.url,
    'select day::text as month from day_numbers where is_month and kind = 0 order by day',
  );

async function expectAgreement(): Promise<void> {
  for (const [from, to] of [
    ['2026-09-01', '2026-10-31'],
    ['2026-09-02', '2026-11-04'],
    ['2026-01-01', '2026-12-31'],
  ] as const) {
    const lists = await listed({ from, to });
    for (const { dimension, found, expected } of lists) {
      expect(found, `${dimension} from ${from} to ${to}`).toStrictEqual(expected);
    }
    const asked = aQuery(websiteId, { from, to });
    const days = await ports.statistics.series(asked, 'day');
    const totals = days.map(({ start, ...ofDay }) => ofDay);
    expect(await ports.statistics.totals(asked)).toStrictEqual(sumTotals(totals));
  }
}

/** Deletes the lists of days, so that only those of months are left. */
const deleteLists = () => run(database.url, 'delete from day_numbers where not is_month and kind <> 0');

describe('lists of a period', () => {
  it('are read from the sums of its whole months, and from the numbers of other days', async () => {
    await run(
      database.url,
      "delete from day_numbers where not is_month and kind <> 0 and day between '2026-09-01' and '2026-10-31'",
    );

    const [whole, more] = [
      await pagesOf({ from: '2026-09-01', to: '2026-10-31' }),
      await pagesOf({ from: '2026-08-31', to: '2026-11-01' }),
    ];

    expect(whole).toEqual(
      [
        ['/a', 61],
        ['/0', 20],
        ['/1', 21],
        ['/2', 20],
      ].sort(([a, n], [b, m]) => Number(m) - Number(n) || (String(a) < String(b) ? -1 : 1)),
    );
    expect(more?.[0]).toEqual(['/a', 63]);
  });

  it('equal those of its days, also after hits for a day of a month that was added up', async () => {
    await expectAgreement();

    await addHits(ports, [hitOf('2026-10-11', '/late', null, 2n)]);
    await expectAgreement();

    await runJob(ports, 'hand over hits');
    await expectAgreement();

    await settle(ports);
    await expectAgreement();
    await deleteLists();
    expect(await pagesOf({ from: '2026-10-01', to: '2026-10-31' })).toContainEqual(['/late', 1]);
  });

  it('equal those of its days after a rebuild, and after an import of one of its days is deleted', async () => {
    await rebuild(ports);
    await expectAgreement();
    expect(await months()).toEqual([{ month: '2026-08-01' }, { month: '2026-09-01' }, { month: '2026-10-01' }]);
    const day = '2026-10-11';
    const id = await stageSums(ports, { accountId, websiteId }, []);
    await ports.staging.stage(id, [hitOf(day, '/imported', null, 2n)]);
    await ports.staging.publish(id, NO_IMPORT_COUNTS, new Date('2026-11-20'), undefined, undefined);
    await settle(ports);
    expect(await pagesOf({ from: '2026-10-01', to: '2026-10-31' })).toContainEqual(['/imported', 1]);

    await ports.staging.remove(id, new Date('2026-11-20'), UNRECORDED);
    await addHits(ports, [hitOf(day, '/as many', null, 3n)]);
    await settle(ports);

    await expectAgreement();
    await deleteLists();
    const pages = await pagesOf({ from: '2026-10-01', to: '2026-10-31' });
    expect(pages).toContainEqual(['/as many', 1]);
    expect(pages).not.toContainEqual(['/imported', 1]);
  });

  it('have the sum of a month once its website has a later day', async () => {
    await clearStatistics(database.url);
    ({ websiteId } = await addWebsite(ports));
    const add = async (day: string) => {
      await addHits(ports, [hitOf(day, '/a')]);
      await settle(ports);
      return (await months()).map(({ month }) => month);
    };

    expect(await add('2026-07-30')).toEqual([]);
    expect(await add('2026-07-31')).toEqual([]);
    expect(await add('2026-10-02')).toEqual(['2026-07-01']);
    // A month of one day is read as fast from that day.
    expect(await add('2026-11-02')).toEqual(['2026-07-01']);
  });

  it('have the sums of months whose hits are deleted', async () => {
    const before = await pagesOf({ from: '2026-09-01', to: '2026-10-31' });
    await untilDone(() => ports.maintenance.deleteHitsBefore('2026-10-15'));

    await deleteLists();

    expect(await pagesOf({ from: '2026-09-01', to: '2026-10-31' })).toEqual(before);
  });
});

describe('days with few hits', () => {
  /** A day of these has 3 hits, and a month about 90. */
  const small = openPostgres({
    connection: database.url,
    log: () => {},
    parts: { ...PART_LIMITS, lists: 4, listsOfMonths: 4 },
  });
  const kinds = (isMonth: boolean) =>
    rowsOf<{ kind: number }>(
      database.url,
      `select distinct kind::integer from day_numbers where is_month = ${isMonth} order by 1`,
    );

  beforeEach(async () => {
    await run(database.url, 'delete from day_numbers; update website_day set hits_in_numbers = 0');
    await settle(small);
  });

  afterAll(() => small.close());

  it('have only their totals, and are listed from their hits, or from the month', async () => {
    expect(await kinds(false)).toEqual([{ kind: 0 }]);
    expect((await months()).map(({ month }) => month)).toEqual(['2026-08-01', '2026-09-01', '2026-10-01']);
    expect((await kinds(true)).length).toBeGreaterThan(5);
    expect(await pagesOf({ from: '2026-09-01', to: '2026-09-30' })).toEqual([
      ['/a', 30],
      ['/0', 10],
      ['/1', 10],
      ['/2', 10],
    ]);
    await expectAgreement();

    await addHits(ports, [hitOf('2026-10-11', '/late', null, 2n)]);
    await settle(small);
    await expectAgreement();
    expect(await pagesOf({ from: '2026-10-01', to: '2026-10-31' })).toContainEqual(['/late', 1]);
  });

  it('have hours, also those of a month', async () => {
    const hours = await ports.statistics.series(aQuery(websiteId, { from: '2026-09-01', to: '2026-09-30' }), 'hour');

    expect(hours.map(({ pageviews, events }) => [pageviews, events])).toEqual(Array(30).fill([2, 1]));
  });

  it('get lists before their hits are deleted', async () => {
    const [before, early] = [
      await pagesOf({ from: '2026-09-02', to: '2026-10-30' }),
      await pagesOf({ from: '2026-08-25', to: '2026-08-31' }),
    ];

    await untilDone(() => small.maintenance.deleteHitsBefore('2026-10-15'));

    expect(await pagesOf({ from: '2026-09-02', to: '2026-10-30' })).toEqual(before);
    expect(await pagesOf({ from: '2026-08-25', to: '2026-08-31' })).toEqual(early);
    await expectAgreement();
  });
});
