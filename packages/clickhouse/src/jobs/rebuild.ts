import type { HitJournal, RebuildProgress, RebuildScope } from '@hitherto/domain/engine';
import type { ClickHouse } from '../connection/client.ts';
import { allOf, dayLiteral, sql } from '../connection/sql.ts';
import { counts, IS_KEPT } from '../reading/day-forms.ts';
import { storedTable } from '../tables/tables.ts';
import { makeVisits } from '../visits/make-visits.ts';
import { outdateSummaries } from './summarise.ts';
import { type CountedDay, firstBatch, isOfAny, type WebsiteDayRow, withZones, type ZonedDay } from './website-days.ts';

type RebuildJournal = Pick<HitJournal, 'exclusively' | 'findWebsite' | 'findZones' | 'importNumbers'>;

/** Recomputes the visits of each day from its hits, and outdates its summaries. Returns how many days of websites it recomputed. */
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
    await journal.exclusively((version) => rebuildDays(server, cluster, batch, version));
    done += batch.length;
  }
  return days.length;
}

/** Recomputes the visits of these days. Their summaries no longer count. */
export async function rebuildDays(
  server: ClickHouse,
  cluster: string | undefined,
  days: readonly Pick<CountedDay, 'website' | 'day'>[],
  version: bigint,
): Promise<void> {
  await server.write(makeVisits(isOfAny(days), version));
  await server.write(outdateSummaries(isOfAny(days), version));
  // Visits without hits, which only a damaged table has.
  const isLeft = sql`${isOfAny(days)} and version < ${version}`;
  const left = await server.read(sql`select website from visitor_day final where ${isLeft} limit 1`);
  if (left.length > 0) await server.write(sql`delete from ${storedTable('visitor_day', cluster)} where ${isLeft}`);
}

/** The days with hits that are kept. */
export async function daysWithHits(
  server: ClickHouse,
  journal: Pick<HitJournal, 'findWebsite' | 'findZones' | 'importNumbers'>,
  { websiteId, from, to }: RebuildScope,
): Promise<ZonedDay[]> {
  const website = websiteId === undefined ? undefined : await journal.findWebsite(websiteId);
  if (websiteId !== undefined && website === undefined) return [];
  const conditions = [
    IS_KEPT,
    counts(await journal.importNumbers('done')),
    ...(website === undefined ? [] : [sql`website = ${website.number}`]),
    ...(from === undefined ? [] : [sql`day >= ${dayLiteral(from)}`]),
    ...(to === undefined ? [] : [sql`day <= ${dayLiteral(to)}`]),
  ];
  const rows = await server.read<WebsiteDayRow>(sql`
    select website, day, count() as hits from hit final where ${allOf(conditions)}
    group by website, day order by website, day`);
  return withZones(journal, rows);
}
