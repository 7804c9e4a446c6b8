import { dayOf } from '@hitherto/domain/calendar';
import type { HitJournal } from '@hitherto/domain/engine';
import { type HidingRule, hidingSet, type NumberKind } from '@hitherto/domain/visits';
import type { ClickHouse } from '../connection/client.ts';
import { anyOf, join, raw, type Sql, sql } from '../connection/sql.ts';
import { counts, IS_KEPT, nameOfPageRules } from '../reading/day-forms.ts';
import { KINDS, NUMBER_COLUMNS, NUMBERS, UNBOUNDED } from '../tables/kinds.ts';
import { filterOfSets, isOfRule } from '../visits/conditions.ts';
import { canOverflow, selectNumbers } from '../visits/numbers.ts';
import type { VisitScope } from '../visits/select-visits.ts';
import { type ShowPage, showPageBy } from '../visits/show-page.ts';
import { firstBatch, groupByHours, isOfAny, type WebsiteDayRow, withZones, type ZonedDay } from './website-days.ts';

/** The query for the days to summarise. */
type SummaryJournal = Pick<HitJournal, 'exclusively' | 'findZones' | 'findRules' | 'findPageRules' | 'importNumbers'>;

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
  const rules = await readRules(journal);
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
  const rules = await readRules(journal);
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
  const ofDays = rulesOf(rules, days);
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

/** The rules of websites that have some. */
interface RulesByWebsite {
  readonly hiding: ReadonlyMap<bigint, readonly HidingRule[]>;
  readonly showing: ReadonlyMap<bigint, readonly string[]>;
}

async function readRules(journal: Pick<HitJournal, 'findRules' | 'findPageRules'>): Promise<RulesByWebsite> {
  return { hiding: await journal.findRules(), showing: await journal.findPageRules() };
}

/** The rules of the websites of days. */
function rulesOf({ hiding, showing }: RulesByWebsite, days: readonly ZonedDay[]): RulesByWebsite {
  const isOfDays = ([website]: readonly [bigint, unknown]) => days.some((day) => day.website === website);
  return { hiding: new Map([...hiding].filter(isOfDays)), showing: new Map([...showing].filter(isOfDays)) };
}

/** The expression of `cleaningOf` for the website and the day of a row. */
function cleaningOfRow({ hiding, showing }: RulesByWebsite): Sql {
  const ofHiding = [...hiding].flatMap(([website, ofWebsite]) =>
    ofWebsite.map((rule) => sql`if(website = ${website} and ${isOfRule(rule)}, ${rule.id}, '')`),
  );
  const ofShowing = [...showing].map(
    ([website, pageRules]) => sql`if(website = ${website}, ${nameOfPageRules(pageRules).join('')}, '')`,
  );
  const names = [...ofHiding, ...ofShowing];
  return names.length === 0 ? sql`''` : sql`arrayStringConcat(arrayFilter(x -> x != '', [${join(names)}]), ' ')`;
}

/** Leaves out hidden visits of several websites, and shows pages by the rules of each. */
function shown({ hiding, showing }: RulesByWebsite): Pick<VisitScope, 'filter' | 'showPage'> {
  const show = [...showing].flatMap(([website, pageRules]) => {
    const showPage = showPageBy(pageRules);
    return showPage === undefined ? [] : [{ website, showPage }];
  });
  const ofRow: ShowPage = (page) =>
    sql`multiIf(${join(show.map(({ website, showPage }) => sql`website = ${website}, ${showPage(page)}`))}, toString(${page}))`;
  const showPage = show.length === 0 ? undefined : ofRow;
  if (hiding.size === 0) return { showPage };
  const each = [...hiding].map(([website, ofWebsite]) => ({
    website,
    ...filterOfSets([hidingSet(ofWebsite, false)], new Map()),
  }));
  const isHidden = anyOf(each.map(({ website, condition }) => sql`(website = ${website} and ${condition})`));
  return { showPage, filter: { condition: sql`not ${isHidden}`, columns: each.flatMap(({ columns }) => columns) } };
}
