import type { Day } from '@hitherto/domain/calendar';
import type { HitJournal, StoredSummary } from '@hitherto/domain/engine';
import { ENGAGEMENT_NUMBERS, engagementOf, type NumberKind } from '@hitherto/domain/visits';
import type { ClickHouse } from '../connection/client.ts';
import { dayLiteral, join, raw, sql } from '../connection/sql.ts';
import { IS_OF_HITS } from '../jobs/imported-sums.ts';
import { counts, KEPT_FROM } from '../reading/day-forms.ts';
import { ENGAGEMENT_COLUMNS, NUMBER_COLUMNS, NUMBERS, toValue } from '../tables/kinds.ts';

const LISTS = join(NUMBER_COLUMNS.map((column) => sql`groupArray(${raw(column)}) as ${raw(column)}`));

interface SummaryRow extends Record<(typeof NUMBER_COLUMNS)[number], readonly string[]> {
  readonly website: string;
  readonly day: Day;
  readonly kind: NumberKind;
  readonly value: readonly string[];
}

/**
 * The summaries of days of existing websites whose hits are deleted, of a month at a time. The hits that imports have added to such a
 * day are summaries of their own.
 */
export async function* readOldSummaries(
  server: ClickHouse,
  journal: Pick<HitJournal, 'findZones' | 'importNumbers'>,
): AsyncIterable<readonly StoredSummary[]> {
  const isImported = sql`${counts(await journal.importNumbers('done'))} and ${IS_OF_HITS}`;
  const months = await server.read<{ website: string; month: Day }>(sql`
    select distinct website, toStartOfMonth(day) as month from (
      select website, day from summary where day < ${KEPT_FROM}
      union all
      select website, day from imported_sum where ${isImported}
    )
    order by website, month`);
  const known = await journal.findZones([...new Set(months.map(({ website }) => BigInt(website)))]);
  for (const { website, month } of months.filter((row) => known.has(BigInt(row.website)))) {
    const isOfMonth = sql`website = ${BigInt(website)} and toStartOfMonth(day) = ${dayLiteral(month)}`;
    const rows = await server.read<SummaryRow>(sql`
      select website, day, toString(kind) as kind, value, ${NUMBERS} from summary final
      where ${isOfMonth} and day < ${KEPT_FROM}
      union all
      select website, day, toString(kind) as kind, groupArray(value) as value, ${LISTS} from imported_sum final
      where ${isOfMonth} and ${isImported} group by website, day, kind`);
    yield rows.map(toSummary);
  }
}

function toSummary(row: SummaryRow): StoredSummary {
  const numberAt = (column: (typeof NUMBER_COLUMNS)[number], place: number) => Number(row[column][place] ?? 0);
  return {
    website: BigInt(row.website),
    day: row.day,
    kind: row.kind,
    values: row.value.map((value, place) => ({
      value: toValue(value),
      visitors: numberAt('visitors', place),
      visits: numberAt('visits', place),
      pageviews: numberAt('pageviews', place),
      events: numberAt('events', place),
      bounces: numberAt('bounces', place),
      visitsWithPageviews: numberAt('visits_with_pageviews', place),
      duration: numberAt('duration', place),
      ...engagementOf((name) => numberAt(ENGAGEMENT_COLUMNS[name], place)),
    })),
  };
}

/** Replaces the summaries of days before `keptFrom`, whose hits no longer count then. */
export async function replaceOldSummaries(
  server: ClickHouse,
  version: bigint,
  keptFrom: Day,
  summaries: AsyncIterable<readonly StoredSummary[]>,
): Promise<void> {
  for await (const part of summaries) {
    const rows = part.map(({ website, day, kind, values }) =>
      JSON.stringify({
        website: website.toString(),
        day,
        kind,
        version: version.toString(),
        hits: 0,
        value: values.map(({ value }) => value ?? ''),
        visitors: values.map(({ visitors }) => visitors),
        visits: values.map(({ visits }) => visits),
        pageviews: values.map(({ pageviews }) => pageviews),
        events: values.map(({ events }) => events),
        bounces: values.map(({ bounces }) => bounces),
        visits_with_pageviews: values.map(({ visitsWithPageviews }) => visitsWithPageviews),
        duration: values.map(({ duration }) => duration),
        ...Object.fromEntries(
          ENGAGEMENT_NUMBERS.map((name) => [
            ENGAGEMENT_COLUMNS[name],
            values.map(({ engagement }) => engagement?.[name] ?? 0),
          ]),
        ),
      }),
    );
    await server.insert('summary', rows);
  }
  await server.write(sql`
    insert into ${raw('retention')} (kept_from, since)
    select ${dayLiteral(keptFrom)} as kept_from, now() as since where ${dayLiteral(keptFrom)} > ${KEPT_FROM}`);
}
