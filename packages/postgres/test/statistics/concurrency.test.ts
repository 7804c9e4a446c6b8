import { addWebsite, aQuery, at, rebuild, type StatisticsPorts } from '@hitherto/contracts/statistics/support';
import type { CountedHit } from '@hitherto/domain/hits';
import { createInMemoryRepositories } from '@hitherto/memory';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { openPostgres } from '../../src/index.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const instances = [1, 2].map(() => openPostgres({ connection: database.url, log: () => {} }));

afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.close()));
  await database.drop();
});

/** A writer sends at least this many, and goes on until there were enough reads. */
const BATCHES = 40;
const WRITERS = 4;

/** Hits of a few visitors on two days: the batches of all writers extend, join and begin the same visits. */
function batchOf(websiteId: string, writer: number, batch: number): CountedHit[] {
  return Array.from({ length: 10 }, (_, index) => {
    const number = writer * 7_919 + batch * 104_729 + index * 1_299_709;
    const day = number % 2 === 0 ? '2026-11-19' : '2026-11-20';
    const time = new Date(Date.parse(`${day}T00:00:00.000Z`) + ((number * 7_537) % 86_400) * 1_000);
    return at('12:00', { websiteId, day, time, visitor: BigInt(number % 13), page: `/${number % 5}` });
  });
}

async function read({ statistics }: StatisticsPorts, websiteId: string) {
  return {
    totals: await statistics.totals(aQuery(websiteId)),
    pages: await statistics.values(aQuery(websiteId), 'page', 10),
    exits: await statistics.values(aQuery(websiteId), 'exit_page', 10),
    hours: await statistics.series(aQuery(websiteId), 'hour'),
  };
}

describe('statistics of several instances on one PostgreSQL', () => {
  it('count every hit from its acknowledgement on, whatever background work is running', async () => {
    const [first] = instances;
    if (first === undefined) throw new Error('There is no instance.');
    const { websiteId } = await addWebsite(first);
    const sent: CountedHit[] = [];
    let acknowledged = 0;
    let isWriting = true;
    let reads = 0;
    const misses: string[] = [];

    const write = async (writer: number) => {
      for (let batch = 0; batch < BATCHES || reads <= instances.length; batch += 1) {
        const hits = batchOf(websiteId, writer, batch);
        sent.push(...hits);
        await instances[writer % 2]?.hits.add(hits);
        acknowledged += hits.length;
      }
    };
    const check = async (instance: StatisticsPorts) => {
      while (isWriting) {
        const before = acknowledged;
        const [{ pageviews }, { rows }] = [
          await instance.statistics.totals(aQuery(websiteId)),
          await instance.statistics.values(aQuery(websiteId), 'page', 10),
        ];
        reads += 1;
        const ofPages = rows.reduce((sum, row) => sum + row.pageviews, 0);
        for (const seen of [pageviews, ofPages]) {
          if (seen < before || seen > sent.length) misses.push(`${seen} of ${before} to ${sent.length}`);
        }
      }
    };
    const maintain = async (instance: StatisticsPorts) => {
      while (isWriting) {
        const jobs = instance.maintenance.jobs(() => new Date('2026-12-01T12:00:00.000Z'));
        for (const { work } of jobs) await work(new AbortController().signal);
        await rebuild(instance, { websiteId });
      }
    };

    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).finally(() => {
      isWriting = false;
    });
    await Promise.all([writing, ...instances.map(check), ...instances.map(maintain)]);

    const defined = createInMemoryRepositories();
    const same = await addWebsite(defined);
    await defined.hits.add(sent.map((hit) => ({ ...hit, websiteId: same.websiteId })));
    expect(misses).toStrictEqual([]);
    expect(await read(first, websiteId)).toStrictEqual(await read(defined, same.websiteId));
  });
});
