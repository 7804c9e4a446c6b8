import { addHits, addWebsite, aQuery, at } from '@hitherto/contracts/statistics/support';
import type { StatisticsReads } from '@hitherto/domain/engine';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { PostgresRepositories } from '../../src/index.ts';

// A thread runs the last build, and so does the process that starts it.
const { openPostgres }: typeof import('../../src/index.ts') = await import('../../dist/index.js' as string);

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const open = (countsInThread: boolean): PostgresRepositories =>
  openPostgres({ connection: database.url, log: () => {}, countsInThread });
const [inProcess, inThread] = [open(false), open(true)];

afterAll(async () => {
  await Promise.all([inProcess.close(), inThread.close()]);
  await database.drop();
});

const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0);

describe.each([
  ['in this process', inProcess],
  ['in a thread', inThread],
])('a reading %s', (_, { statistics }) => {
  let websiteId: string;
  let visitors: number;

  const addVisitor = async () => {
    visitors += 1;
    await addHits(inProcess, [at('12:00', { websiteId, visitor: BigInt(visitors) })]);
  };
  const visitorsIn = async (reads: StatisticsReads) => (await reads.totals(aQuery(websiteId))).visitors;

  beforeEach(async () => {
    ({ websiteId } = await addWebsite(inProcess));
    visitors = 0;
    await addVisitor();
  });

  it('has reads of one moment', async () => {
    const read = await statistics.reading(aQuery(websiteId), async (reads) => {
      const before = await visitorsIn(reads);
      await addVisitor();
      return [before, await visitorsIn(reads), (await reads.overview(aQuery(websiteId), ['page'], 10)).days.length];
    });

    expect(read).toEqual([1, 1, 1]);
    expect(await visitorsIn(statistics)).toBe(2);
  });

  it('has reads of other days and websites, too', async () => {
    const other = await addWebsite(inProcess);
    const query = aQuery(websiteId, { from: '2026-11-19', to: '2026-11-19' });

    const read = await statistics.reading(query, (reads) =>
      Promise.all([visitorsIn(reads), reads.totals(query), reads.firstDay(websiteId), reads.firstDay(other.websiteId)]),
    );

    expect(read).toMatchObject([1, { visitors: 0 }, '2026-11-20', undefined]);
  });

  it('rejects as its work does', async () => {
    const failing = statistics.reading(aQuery(websiteId), async (reads) => {
      await visitorsIn(reads);
      throw new Error('Not today.');
    });

    await expect(failing).rejects.toThrow('Not today.');
    expect(await visitorsIn(statistics)).toBe(1);
  });

  it('begins again if later hits were read meanwhile, however many readings there are', async () => {
    const works = Array.from({ length: 40 }, () => ({ begun: 0 }));
    const readAndAdd = (work: { begun: number }) =>
      statistics.reading(aQuery(websiteId), async (reads) => {
        work.begun += 1;
        const before = await visitorsIn(reads);
        await addVisitor();
        return [before, await visitorsIn(reads)];
      });

    const read = await Promise.all(works.map(readAndAdd));

    expect(read.every(([before, after]) => before === after)).toBe(true);
    expect(sum(works.map(({ begun }) => begun))).toBeLessThan(3 * works.length);
    expect(await visitorsIn(statistics)).toBe(visitors);
  });
});
