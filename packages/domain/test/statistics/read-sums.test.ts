import { describe, expect, test } from 'vitest';
import type { SumRow } from '../../src/imports/import-content.ts';
import { createDayJudge } from '../../src/imports/judge-row.ts';
import { createSumReader } from '../../src/imports/read-sums.ts';
import type { DaySum } from '../../src/visits/day-sum.ts';
import { NO_TOTALS } from '../../src/visits/totals.ts';
import { lookups } from './lookups.ts';

const DAY = '2023-01-02';

/** A row with this many visitors by a value, or of the whole day. */
function aRow(kind: 'total' | 'page', value: string | null, visitors: number): SumRow {
  const numbers = { ...NO_TOTALS, visitors, visits: visitors, pageviews: visitors };
  return { line: 2, table: kind, day: DAY, sums: [{ kind, value, numbers }] };
}

/** The sums that a file with these rows has. */
async function sumsOf(rows: readonly SumRow[]): Promise<DaySum[]> {
  const sums: DaySum[] = [];
  const source = {
    format: 'plausible',
    dimensions: ['page'],
    share: () => 1,
    async *sumRows() {
      yield rows;
    },
  } as const;
  const reader = createSumReader(source, {
    judge: createDayJudge({ until: undefined, collectedFrom: undefined, covered: [] }),
    keepGoing: false,
    signal: new AbortController().signal,
    lookups,
    now: new Date('2026-11-20T12:00:00Z'),
    onSums: async (batch) => {
      sums.push(...batch);
    },
  });
  await reader.read();
  return sums;
}

const MOST = 50_000;
/** As many pages as a day stores, each with two visitors. */
const MANY = Array.from({ length: MOST }, (_, n) => aRow('page', `/${n}`, 2));

describe('a day with more values than an imported day stores', () => {
  test('has those with the most visitors, and the sum of the rest as one value with at most as many', async () => {
    const rare = ['/a', '/b', '/c'].map((page) => aRow('page', page, 1));

    const sums = await sumsOf([aRow('total', null, 100_003), ...rare, ...MANY]);

    const pages = sums.filter(({ kind }) => kind === 'page');
    expect(pages).toHaveLength(MOST + 1);
    expect(pages.filter(({ value }) => value !== '(other)').every(({ visitors }) => visitors === 2)).toBe(true);
    expect(pages.find(({ value }) => value === '(other)')).toMatchObject({
      visitors: 3,
      visits: 3,
      pageviews: 3,
      gaps: 1,
    });
  });

  test('adds a value that the file itself calls other to the rest', async () => {
    const sums = await sumsOf([aRow('total', null, 100_003), aRow('page', '(other)', 9), ...MANY]);

    expect(sums.filter(({ value }) => value === '(other)')).toEqual([
      { ...NO_TOTALS, day: DAY, kind: 'page', value: '(other)', visitors: 9, visits: 9, pageviews: 9 },
    ]);
    expect(sums.filter(({ kind }) => kind === 'page')).toHaveLength(MOST + 1);
  });

  test('never has more visitors of the rest than of the whole day', async () => {
    const rare = ['/a', '/b', '/c'].map((page) => aRow('page', page, 1));

    const sums = await sumsOf([aRow('total', null, 2), ...rare, ...MANY]);

    expect(sums.find(({ value }) => value === '(other)')).toMatchObject({ visitors: 2, visits: 3 });
  });

  test('has those with the most visitors also if it has far more', async () => {
    const rare = Array.from({ length: 300_000 }, (_, n) => aRow('page', `/rare/${n}`, 1));

    const sums = await sumsOf([aRow('total', null, 1_000_000), ...rare, ...MANY]);

    const pages = sums.filter(({ kind }) => kind === 'page');
    expect(pages).toHaveLength(MOST + 1);
    expect(pages.filter(({ visitors }) => visitors === 2)).toHaveLength(MOST);
    expect(pages.find(({ value }) => value === '(other)')).toMatchObject({ pageviews: 300_000, gaps: 1 });
  });

  test('is rejected if they are too long to be held in memory', async () => {
    const long = Array.from({ length: 20_000 }, (_, n) => aRow('page', `/${n}/${'é'.repeat(1_900)}`, 1));

    await expect(sumsOf([aRow('total', null, 20_000), ...long])).rejects.toThrow(
      'page, 2023-01-02: The values of this day take more than 48 MiB. Shorten them, or leave the day out.',
    );
  });
});
