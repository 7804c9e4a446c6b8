import { addHits, addWebsite, aQuery, at, runJob, settle } from '@hitherto/contracts/statistics/support';
import { addDays } from '@hitherto/domain/calendar';
import type { StatisticsQuery } from '@hitherto/domain/engine';
import { DIMENSIONS, type Dimension } from '@hitherto/domain/hits';
import { createDatabase, run, TEMPLATE } from '@hitherto/testing/databases';
import { clearStatistics } from '@hitherto/testing/statistics-tables';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openPostgres } from '../../src/index.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const ports = openPostgres({ connection: database.url, log: () => {} });
let websiteId: string;

/** A Monday; every day of four weeks has hits. */
const MONDAY = '2026-11-02';
const DAYS = Array.from({ length: 28 }, (_, n) => addDays(MONDAY, n));

beforeEach(async () => {
  await clearStatistics(database.url);
  ({ websiteId } = await addWebsite(ports));
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
  const { values } = await ports.statistics.overview(asked, DIMENSIONS, 10);
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

/** @param left dimensions that the overview leaves out */
async function expectAgreement(left: readonly Dimension[] = []): Promise<void> {
  for (const [from, to] of [
    [MONDAY, addDays(MONDAY, 27)],
    [addDays(MONDAY, 3), addDays(MONDAY, 24)],
    [addDays(MONDAY, -30), addDays(MONDAY, 60)],
  ] as const) {
    const lists = await listed({ from, to });
    expect(lists.map(({ dimension }) => dimension)).toStrictEqual(DIMENSIONS.filter((name) => !left.includes(name)));
    for (const { dimension, found, expected } of lists) {
      expect(found, `${dimension} from ${from} to ${to}`).toStrictEqual(expected);
    }
  }
}

describe('lists of a period', () => {
  it('are read from the sums of its weeks, less the days outside it, and from the summaries of other days', async () => {
    await run(
      database.url,
      `delete from summary where day between '${addDays(MONDAY, 1)}' and '2026-11-15' and dimension <> 0`,
    );

    const [ofWeek, ofPart] = [
      await pagesOf({ from: MONDAY, to: '2026-11-08' }),
      await pagesOf({ from: addDays(MONDAY, 1), to: '2026-11-16' }),
    ];

    expect(ofWeek).toEqual([
      ['/a', 7],
      ['/0', 3],
      ['/1', 2],
      ['/2', 2],
    ]);
    expect(ofPart?.[0]).toEqual(['/a', 14]);
  });

  it('equal those of its days, also after hits for a day of a summarised week', async () => {
    await expectAgreement();

    await addHits(ports, [hitOf('2026-11-11', '/late', null, 2n)]);
    await expectAgreement();

    await runJob(ports, 'update visits');
    await expectAgreement();

    await settle(ports);
    await expectAgreement();
    expect(await pagesOf({ from: '2026-11-09', to: '2026-11-15' })).toContainEqual(['/late', 1]);
  });

  it('are read from the sum of the days that are summarised so far, until one of them changes', async () => {
    await clearStatistics(database.url);
    ({ websiteId } = await addWebsite(ports));
    await addHits(
      ports,
      DAYS.slice(0, 7).map((day) => hitOf(day, '/a')),
    );
    await settle(ports, '2026-11-07');
    await run(database.url, 'delete from summary where dimension <> 0');

    const soFar = await pagesOf({ from: MONDAY, to: '2026-11-06' });
    await addHits(ports, [hitOf('2026-11-06', '/late', null, 2n)]);
    await runJob(ports, 'update visits');

    expect(soFar).toEqual([['/a', 5]]);
    expect(await pagesOf({ from: MONDAY, to: '2026-11-06' })).toEqual([
      ['/a', 1],
      ['/late', 1],
    ]);
  });
});
