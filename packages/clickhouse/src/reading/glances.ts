import { groupBy } from '@hitherto/domain/base';
import { addDays, type Day } from '@hitherto/domain/calendar';
import {
  type Glance,
  type GlanceQuery,
  glanceByReads,
  type JournalledWebsite,
  NO_GLANCE,
  type StatisticsReads,
} from '@hitherto/domain/engine';
import type { ClickHouse } from '../connection/client.ts';
import { anyOf, dayLiteral, type Sql, sql, timeLiteral, unionAll } from '../connection/sql.ts';
import { toGaps } from '../tables/kinds.ts';
import { counts, IS_KEPT } from './day-forms.ts';
import type { FindWebsite } from './websites.ts';

interface Row {
  readonly is: 'day' | 'sum' | 'cut' | 'current' | 'last' | 'first';
  readonly number: string;
  readonly day: Day;
  /** Of `last`, its time in milliseconds. */
  readonly visitors: string;
  readonly gaps: number;
}

interface Asked {
  readonly query: GlanceQuery;
  readonly website: JournalledWebsite;
}

/** Reads the glances at websites with one statement, after handing over their hits. */
export async function readGlances(
  server: ClickHouse,
  findWebsite: FindWebsite,
  queries: readonly GlanceQuery[],
  reads: Pick<StatisticsReads, 'series' | 'totals' | 'visitorsBetween' | 'hasSums'>,
): Promise<readonly Glance[]> {
  const found = await Promise.all(
    queries.map(async (query) => ({ query, website: await findWebsite(query.websiteId) })),
  );
  const asked = found.flatMap(({ query, website }) => (website === undefined ? [] : { query, website }));
  if (asked.length === 0) return queries.map(() => NO_GLANCE);
  const rows = groupBy(await server.read<Row>(selectAll(asked)), ({ number }) => number);
  return Promise.all(
    found.map(async ({ query, website }) => {
      if (website === undefined) return NO_GLANCE;
      const glance = toGlance(query, rows.get(String(website.number)) ?? []);
      return website.rules.length === 0 ? glance : { ...glance, ...(await glanceByReads(reads, query)) };
    }),
  );
}

function selectAll(asked: readonly Asked[]): Sql {
  const ofAny = (condition: (asked: Asked) => Sql) =>
    anyOf(asked.map((one) => sql`(website = ${one.website.number} and ${condition(one)})`));
  const isInPeriod = ({ query: { from, to } }: Asked) => sql`day between ${dayLiteral(from)} and ${dayLiteral(to)}`;
  const hasCounted = ({ website: { imports } }: Asked) => counts(imports);
  const ofPeriods = ofAny((one) => sql`${isInPeriod(one)} and ${hasCounted(one)}`);
  const isCut = ofAny(
    (one) => sql`
      day = ${dayLiteral(one.query.cut.day)} and time < ${timeLiteral(one.query.cut.until)} and ${hasCounted(one)}`,
  );
  // A day begins up to 14 hours earlier than in UTC, and ends up to 12 hours later.
  const dayAt = (time: Date, days: number) => dayLiteral(addDays(time.toISOString().slice(0, 10), days));
  const isCurrent = ofAny(
    ({ query: { since, now }, website: { imports } }) => sql`
    ${counts(imports)} and day between ${dayAt(since, -1)} and ${dayAt(now, 1)}
    and time between ${timeLiteral(since)} and ${timeLiteral(now)}`,
  );
  const row = (is: Row['is'], day: Sql, visitors: Sql, gaps: Sql = sql`0`) => sql`
    select ${is} as is, website as number, toString(${day}) as day, toInt64(${visitors}) as visitors, toUInt8(${gaps}) as gaps`;
  const none = sql`''`;
  const visitors = sql`uniqExact(visitor)`;
  return unionAll([
    sql`${row('day', sql`visitor_day.day`, visitors)} from visitor_day where ${ofPeriods} and ${IS_KEPT} group by website, visitor_day.day`,
    sql`${row('sum', sql`summary.day`, sql`summary.visitors[1]`)} from summary final
      where kind = 'total' and not ${IS_KEPT} and ${ofAny(isInPeriod)}`,
    sql`${row('sum', sql`imported_sum.day`, sql`sum(imported_sum.visitors)`, sql`groupBitOr(imported_sum.gaps)`)} from imported_sum final
      where kind = 'total' and ${ofPeriods} group by website, imported_sum.day`,
    sql`${row('cut', none, visitors)} from hit where is_measure = 0 and ${isCut} and ${IS_KEPT} group by website`,
    sql`${row('current', none, visitors)} from hit where is_measure = 0 and ${isCurrent} and ${IS_KEPT} group by website`,
    sql`${row('last', none, sql`toUnixTimestamp64Milli(max(time))`)} from hit where is_measure = 0 and ${ofPeriods} and ${IS_KEPT} group by website`,
    sql`${row('first', sql`min(visitor_day.day)`, sql`0`)} from visitor_day where ${ofAny(hasCounted)} and ${IS_KEPT} group by website`,
    sql`${row('first', sql`min(summary.day)`, sql`0`)} from summary where ${ofAny(() => sql`true`)} group by website`,
    sql`${row('first', sql`min(imported_sum.day)`, sql`0`)} from imported_sum where ${ofAny(hasCounted)} group by website`,
  ]);
}

function toGlance({ cut }: GlanceQuery, rows: readonly Row[]): Glance {
  const rowsOf = (...is: readonly Row['is'][]) => rows.filter((row) => is.includes(row.is));
  const numberOf = (is: Row['is']) => rowsOf(is).map(({ visitors }) => Number(visitors))[0];
  const last = numberOf('last');
  const days = [...groupBy(rowsOf('day', 'sum'), ({ day }) => day)].map(([day, ofDay]) => ({
    day,
    visitors: ofDay.reduce((sum, { visitors }) => sum + Number(visitors), 0),
    ...toGaps({ gaps: ofDay.reduce((all, { gaps }) => all | gaps, 0) }),
  }));
  return {
    days: days.filter(({ visitors }) => visitors > 0).sort((one, other) => (one.day < other.day ? -1 : 1)),
    cut: rowsOf('sum').some(({ day }) => day === cut.day) ? undefined : (numberOf('cut') ?? 0),
    current: numberOf('current') ?? 0,
    lastHit: last === undefined ? undefined : new Date(last),
    firstDay: rowsOf('first')
      .map(({ day }) => day)
      .sort()[0],
  };
}
