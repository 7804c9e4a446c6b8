import { addHits, addWebsites, runJob, untilDone } from '@hitherto/contracts/statistics/support';
import { type Day, dayOf, timeZone } from '@hitherto/domain/calendar';
import type { CountedHit } from '@hitherto/domain/hits';
import { createDatabase, rowsOf, TEMPLATE } from '@hitherto/testing/databases';
import { aCountedHit } from '@hitherto/testing/fixtures';
import { clearStatistics } from '@hitherto/testing/statistics-tables';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openPostgres, type PostgresRepositories } from '../../src/index.ts';

const EAST = 'Pacific/Kiritimati';
const WEST = 'Pacific/Pago_Pago';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });

afterAll(() => database.drop());

/** Runs the job that summarises days, as at this time, until nothing is left to do. */
async function summariseAt(ports: PostgresRepositories, time: string): Promise<void> {
  const job = ports.maintenance.jobs(() => new Date(time)).find(({ name }) => name === 'summarise days');
  if (job === undefined) throw new Error('There is such a job.');
  await untilDone(() => job.work(new AbortController().signal));
}

const hitOf = (websiteId: string, time: string, day: Day, visitor = 1n): CountedHit =>
  aCountedHit({ websiteId, visitor, time: new Date(time), day });

describe.each(['UTC', EAST, WEST, 'Asia/Kolkata'])('on an installation in %s', (zone) => {
  const ports = openPostgres({ connection: database.url, log: () => {}, zone: timeZone(zone) });

  beforeEach(() => clearStatistics(database.url));
  afterAll(() => ports.close());

  it('a day of a website is summarised once it is over in the zone of the website', async () => {
    const zones = [EAST, 'UTC', WEST, null];
    const ids = await addWebsites(ports, zones);
    await addHits(
      ports,
      ids.map((id) => hitOf(id, '2026-11-20T12:00:00Z', '2026-11-20')),
    );
    await runJob(ports, 'hand over hits');
    const summarised = async (time: string) => {
      await summariseAt(ports, time);
      const rows = await rowsOf<{ id: string }>(
        database.url,
        'select id from website_day join website on number = website_number where hits = hits_in_numbers',
      );
      return rows.map(({ id }) => ids.indexOf(id)).sort();
    };
    // The index of the website without a zone is 3.
    const isOver = (time: string) =>
      zones.flatMap((own, index) => (dayOf(timeZone(own ?? zone), new Date(time)) > '2026-11-20' ? [index] : []));

    for (const time of ['09:59', '10:00', '18:29', '18:30', '23:59']) {
      const instant = `2026-11-20T${time}:00Z`;
      expect([instant, await summarised(instant)]).toEqual([instant, isOver(instant)]);
    }
    for (const time of ['00:00', '10:59', '11:00']) {
      const instant = `2026-11-21T${time}:00Z`;
      expect([instant, await summarised(instant)]).toEqual([instant, isOver(instant)]);
    }
    expect(isOver('2026-11-21T11:00:00Z')).toEqual([0, 1, 2, 3]);
  });
});
