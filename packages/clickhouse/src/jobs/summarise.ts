import { dayOf } from '@hitherto/domain/calendar';
import type { HitJournal } from '@hitherto/domain/engine';
import { type HidingRule, hidingSet, type NumberKind } from '@hitherto/domain/visits';
import type { ClickHouse } from '../connection/client.ts';
import { anyOf, join, raw, type Sql, sql } from '../connection/sql.ts';
import { counts, IS_KEPT } from '../reading/day-forms.ts';
import { KINDS, NUMBER_COLUMNS, NUMBERS, UNBOUNDED } from '../tables/kinds.ts';
import { filterOfSets, isOfRule } from '../visits/conditions.ts';
import { canOverflow, selectNumbers } from '../visits/numbers.ts';
import type { VisitScope } from '../visits/select-visits.ts';
import { firstBatch, groupByHours, isOfAny, type WebsiteDayRow, withZones, type ZonedDay } from './website-days.ts';

/** The query for the days to summarise. */
type SummaryJournal = Pick<HitJournal, 'exclusively' | 'findZones' | 'findRules' | 'importNumbers'>;

/**
 * Summarises some of the days that have no summary with all their hits.
 *
 * @param among a condition on the rows of `visitor_day` to look at
 * @param isWanted which of their days
 * @returns whether more are left
 */
export async function summarise(
  server: ClickHouse,
  journal: SummaryJournal,
  among: Sql,
  isWanted: (day: ZonedDay) => boolean,
): Promise<boolean> {
  // Most of the time there are none.
  const before = counts(await journal.importNumbers('done'));
  const rules = await journal.findRules();
  if ((await daysToSummarise(server, journal, rules, among, before, isWanted)).length === 0) return false;
  return journal.exclusively((version) => summariseExclusively(server, journal, among, isWanted, version));
}

/** As {@link summarise}, for work that runs exclusively. */
export async function summariseExclusively(
  server: ClickHouse,
  journal: SummaryJournal,
  among: Sql,
  isWanted: (day: ZonedDay) => boolean,
  version: bigint,
): Promise<boolean> {
  const isCounted = counts(await journal.importNumbers('done'));
  const rules = await journal.findRules();
  const days = await daysToSummarise(server, journal, rules, among, isCounted, isWanted);
  const batch = firstBatch(days);
  for (const { hours, days: ofHours } of groupByHours(batch)) {
    const [large, small] = [ofHours.filter(canOverflow), ofHours.filter((day) => !canOverflow(day))];
    await summariseDays(server, large, rules, hours, isCounted, version, UNBOUNDED);
    await summariseDays(server, small, rules, hours, isCounted, version, []);
  }
  return days.length > batch.length;
}

/**
 * A statement that lets the summaries of days be made again: without hits, they do not match their days. They keep their values
 * for reads that have just chosen them as a source.
 *
 * @param days a condition on rows of `summary`
 */
export function outdateSummaries(days: Sql, version: bigint): Sql {
  return sql`
    insert into summary (website, day, kind, version, hits, cleaning, value, ${NUMBERS})
    select website, day, kind, ${version}, 0, cleaning, value, ${NUMBERS} from summary final where ${days}`;
}

/** Whether a day is over in the zone of its website. */
export function isOver(now: Date): (day: ZonedDay) => boolean {
  return ({ day, zone }) => day < dayOf(zone, now);
}

/** The days among these whose summary lacks hits. */
async function daysToSummarise(
  server: ClickHouse,
  journal: Pick<HitJournal, 'findZones'>,
  rules: RulesByWebsite,
  among: Sql,
  isCounted: Sql,
  isWanted: (day: ZonedDay) => boolean,
): Promise<ZonedDay[]> {
  const near = sql`(website, day) in (
    select website, day from visitor_day where ${among} and ${isCounted} and ${IS_KEPT}
  )`;
  const summarised = sql`select website, day, hits, toString(cleaning) from summary final
    where ${near} and kind in (${join(KINDS)}) group by website, day, hits, cleaning having count() = ${KINDS.length}`;
  const rows = await server.read<WebsiteDayRow>(sql`
    select website, day, hits from (
      select website, day, sum(hits) as hits from visitor_day final where ${near} and ${isCounted} group by website, day
    )
    where (website, day, hits, ${cleaningOfRow(rules)}) not in (${summarised}) order by website, day`);
  return (await withZones(journal, rows)).filter(isWanted);
}

/** Stores the numbers of days, whose hours begin at the same times, of all kinds; also of those without a value. */
async function summariseDays(
  server: ClickHouse,
  days: readonly ZonedDay[],
  rules: RulesByWebsite,
  hours: Sql,
  isCounted: Sql,
  version: bigint,
  folded: readonly NumberKind[],
): Promise<void> {
  if (days.length === 0) return;
  const rows = sql`${isOfAny(days)} and ${isCounted}`;
  const ofDays = new Map([...rules].filter(([website]) => days.some((day) => day.website === website)));
  const lists = ['value', ...NUMBER_COLUMNS].map(
    (name) => sql`groupArrayIf(${raw(name)}, visitors > 0) as ${raw(name)}`,
  );
  await server.write(sql`
    insert into summary (website, day, kind, version, hits, cleaning, value, ${NUMBERS})
    select website, day, kind, ${version} as version, any(hits) as hits, ${cleaningOfRow(ofDays)} as cleaning, ${join(lists)}
    from (
      select website, day, arrayJoin([${join(KINDS)}]) as kind, hits
      from (select website, day, sum(hits) as hits from visitor_day final where ${rows} group by website, day)
    ) as counted
    left join (${selectNumbers(KINDS, { scope: { rows, ...shown(ofDays) }, hours, folded, counted: 'all' })}) as numbers using (website, day, kind)
    group by website, day, kind`);
}

type RulesByWebsite = ReadonlyMap<bigint, readonly HidingRule[]>;

/** The expression of `cleaningOf` for the website and the day of a row. */
function cleaningOfRow(rules: RulesByWebsite): Sql {
  const ids = [...rules].flatMap(([website, ofWebsite]) =>
    ofWebsite.map((rule) => sql`if(website = ${website} and ${isOfRule(rule)}, ${rule.id}, '')`),
  );
  return ids.length === 0 ? sql`''` : sql`arrayStringConcat(arrayFilter(x -> x != '', [${join(ids)}]), ' ')`;
}

/** The filter that leaves out hidden visits of several websites. */
function shown(rules: RulesByWebsite): Pick<VisitScope, 'filter'> {
  if (rules.size === 0) return {};
  const each = [...rules].map(([website, ofWebsite]) => ({
    website,
    ...filterOfSets([hidingSet(ofWebsite, false)], new Map()),
  }));
  const isHidden = anyOf(each.map(({ website, condition }) => sql`(website = ${website} and ${condition})`));
  return { filter: { condition: sql`not ${isHidden}`, columns: each.flatMap(({ columns }) => columns) } };
}
