import type { HitJournal, RebuildProgress, RebuildScope } from '@hitherto/domain';
import type { ClickHouse } from '../connection/client.ts';
import { allOf, dayLiteral, sql } from '../connection/sql.ts';
import { IS_KEPT } from '../reading/day-sources.ts';
import { storedTable } from '../tables/tables.ts';
import { makeVisits } from '../visits/make-visits.ts';
import { firstBatch, isOfAny, type WebsiteDayRow, withZones, type ZonedDay } from './website-days.ts';

type RebuildJournal = Pick<HitJournal, 'exclusively' | 'findWebsite' | 'findZones'>;

/** Makes the visits of each day again from its hits, and removes its summaries. Returns the number of days of websites. */
export async function rebuild(
  server: ClickHouse,
  journal: RebuildJournal,
  cluster: string | undefined,
  scope: RebuildScope,
  onProgress: (progress: RebuildProgress) => void,
): Promise<number> {
  const days = await daysWithHits(server, journal, scope);
  for (let done = 0; done < days.length; ) {
    onProgress({ done, total: days.length });
    const batch = firstBatch(days.slice(done));
    await journal.exclusively(async (version) => {
      await server.write(makeVisits(isOfAny(batch), version));
      // Visits without hits, which only a damaged table has.
      const isLeft = sql`${isOfAny(batch)} and version < ${version}`;
      await server.write(sql`delete from ${storedTable('visitor_day', cluster)} where ${isLeft}`);
      await server.write(sql`delete from ${storedTable('summary', cluster)} where ${isLeft}`);
    });
    done += batch.length;
  }
  return days.length;
}

async function daysWithHits(
  server: ClickHouse,
  journal: RebuildJournal,
  { websiteId, from, to }: RebuildScope,
): Promise<ZonedDay[]> {
  const website = websiteId === undefined ? undefined : await journal.findWebsite(websiteId);
  if (websiteId !== undefined && website === undefined) return [];
  const conditions = [
    IS_KEPT,
    ...(website === undefined ? [] : [sql`website = ${website.number}`]),
    ...(from === undefined ? [] : [sql`day >= ${dayLiteral(from)}`]),
    ...(to === undefined ? [] : [sql`day <= ${dayLiteral(to)}`]),
  ];
  const rows = await server.read<WebsiteDayRow>(sql`
    select website, day, count() as hits from hit final where ${allOf(conditions)}
    group by website, day order by website, day`);
  return withZones(journal, rows);
}
