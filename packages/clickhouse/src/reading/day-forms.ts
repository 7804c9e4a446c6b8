import { createHash } from 'node:crypto';
import type { Day, TimeZone } from '@hitherto/domain/calendar';
import { type Hidden, type HidingRule, isOnDay, type NumberKind } from '@hitherto/domain/visits';
import type { ClickHouse } from '../connection/client.ts';
import { dayLiteral, join, type Sql, sql } from '../connection/sql.ts';
import type { CutVisits } from '../visits/cut-visits.ts';
import { canOverflow } from '../visits/numbers.ts';

/** The website and the days of a read; both are included. */
export interface WebsiteDays {
  readonly website: bigint;
  readonly zone: TimeZone;
  readonly from: Day;
  readonly to: Day;
  /** The last day, if only its hits before a moment count. */
  readonly cut?: CutVisits | undefined;
  /** The numbers of its imports that count. */
  readonly imports: readonly bigint[];
}

/** The condition that a row of `hit` or `visitor_day` was collected, or is of one of these imports. */
export function counts(imports: readonly bigint[]): Sql {
  return sql`import in (${join([0n, ...imports])})`;
}

/** The condition that a row of `summary` is of the website and of these days. */
export function isOfDays({ website, from, to }: WebsiteDays): Sql {
  return sql`website = ${website} and day between ${dayLiteral(from)} and ${dayLiteral(to)}`;
}

/** The condition that a row of `visitor_day` is of the website and of these days, and counts. */
export function isVisitOfDays(days: WebsiteDays): Sql {
  return sql`${isOfDays(days)} and ${counts(days.imports)}`;
}

/** The first day whose hits are kept. */
export const KEPT_FROM: Sql = sql`(select max(kept_from) from retention)`;

/** Reads {@link KEPT_FROM}. */
export async function readKeptFrom(server: ClickHouse): Promise<Day> {
  const [row] = await server.read<{ day: Day }>(sql`select ${KEPT_FROM} as day`);
  return row?.day ?? '';
}

/** The condition that the visits of a row's day are kept. */
export const IS_KEPT: Sql = sql`day >= ${KEPT_FROM}`;

/** The forms in which the days of a read are read: their visits or summaries. */
export interface DayForms {
  /** A condition on `visitor_day`; `undefined` if no day is read from visits, which take longer to read even where there are none. */
  readonly visits: Sql | undefined;
  /** Whether any day that is read from visits can have more values than it keeps. */
  readonly canOverflow: boolean;
  /** A condition on `summary`; `undefined` if no day is summarised. */
  readonly summaries: Sql | undefined;
}

interface FormRow {
  readonly form: 'visits' | 'summary' | 'kept_from';
  readonly day: Day;
  readonly hits: string;
  readonly kinds: string;
  /** Of a summary. */
  readonly cleaning: string;
}

/** The rules that hide visits of a day and show its pages, as summaries name them. */
function cleaningOf(rules: readonly HidingRule[], pageRules: readonly string[], day: Day): string {
  const hiding = rules.filter((rule) => isOnDay(rule, day)).map(({ id }) => id);
  return [...hiding, ...nameOfPageRules(pageRules)].join(' ');
}

/** A short name of page rules, if there are some. */
export function nameOfPageRules(pageRules: readonly string[]): readonly string[] {
  if (pageRules.length === 0) return [];
  return [createHash('sha256').update(pageRules.join('\n')).digest('base64url')];
}

/**
 * Finds the form of each day. A summary counts while the day has had as many hits as when it was made, the same visits are
 * hidden, and the same pages are shown, and for good once the day's hits are deleted. So it needs no mark that could be lost, and a late hit or a restored backup only makes the
 * day be read from its visits.
 */
export async function findDayForms(
  server: ClickHouse,
  days: WebsiteDays & {
    readonly onlyHits: boolean;
    readonly rules: readonly HidingRule[];
    readonly hidden: Hidden | undefined;
    readonly pageRules: readonly string[];
  },
  kinds: readonly NumberKind[],
): Promise<DayForms> {
  const rows = await server.read<FormRow>(sql`
    select 'visits' as form, day, sum(hits) as hits, 0 as kinds, '' as cleaning from visitor_day final
    where ${isVisitOfDays(days)} group by day
    union all
    select 'summary' as form, day, hits, count() as kinds, toString(cleaning) as cleaning from summary final
    where ${isOfDays(days)} and kind in (${join(kinds)}) group by day, hits, cleaning
    union all
    select 'kept_from' as form, max(kept_from) as day, 0 as hits, 0 as kinds, '' as cleaning from retention`);
  const keptFrom = rows.find(({ form }) => form === 'kept_from')?.day ?? '';
  const hits = new Map(rows.filter(({ form }) => form === 'visits').map((row) => [row.day, row.hits]));
  const wanted = (day: Day) => cleaningOf(days.hidden === 'include' ? [] : days.rules, days.pageRules, day);
  const summarised = rows
    .filter(({ form }) => form === 'summary')
    .filter(({ day }) => day !== days.cut?.day)
    .filter((row) =>
      row.day < keptFrom
        ? !days.onlyHits
        : row.hits === hits.get(row.day) && Number(row.kinds) === kinds.length && row.cleaning === wanted(row.day),
    )
    .map(({ day }) => day);
  const fromVisits = [...hits.keys()].filter((day) => day >= keptFrom && !summarised.includes(day));
  const listed = (some: readonly Day[]) => sql`day in (${join(some.map(dayLiteral))})`;
  return {
    canOverflow: fromVisits.some((day) => canOverflow({ hits: Number(hits.get(day)) })),
    visits: fromVisits.length === 0 ? undefined : sql`${isVisitOfDays(days)} and ${listed(fromVisits)}`,
    summaries: summarised.length === 0 ? undefined : sql`website = ${days.website} and ${listed(summarised)}`,
  };
}
