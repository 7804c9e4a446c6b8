import { DIMENSION_TABLE, DIMENSIONS } from '@hitherto/domain/hits';
import { type Engagement, engagementOf, type NumberKind, type Totals } from '@hitherto/domain/visits';
import { join, raw, type Sql, sql } from '../connection/sql.ts';

/** The value of an hour is its start in seconds. */
export const KINDS: readonly NumberKind[] = ['total', 'hour', ...DIMENSIONS];

/** Whether a visit can have several values of the kind, or none. */
export function hasSeveralValues(kind: NumberKind): kind is 'page' | 'event' | 'hour' {
  return kind === 'page' || kind === 'event' || kind === 'hour';
}

/** The numbers of a value, as columns. */
export const NUMBER_COLUMNS = [
  'visitors',
  'visits',
  'pageviews',
  'events',
  'bounces',
  'visits_with_pageviews',
  'duration',
  'measured',
  'seconds',
  'scroll',
  'measured_visits',
  'engaged_visits',
] as const;

export type NumberColumn = (typeof NUMBER_COLUMNS)[number];

/** The columns of engagement. */
export const ENGAGEMENT_COLUMNS: Readonly<Record<keyof Engagement, NumberColumn>> = {
  measured: 'measured',
  seconds: 'seconds',
  scroll: 'scroll',
  measuredVisits: 'measured_visits',
  engagedVisits: 'engaged_visits',
};

/** The numbers of short lists. Events have the kind `event`. */
export const LISTED: readonly NumberColumn[] = ['visitors', 'events'];

export const NUMBERS: Sql = join(NUMBER_COLUMNS.map(raw));

/** The sums over grouped rows. */
export const SUMS: Sql = join(NUMBER_COLUMNS.map((column) => sql`sum(${raw(column)}) as ${raw(column)}`));

/** The sums over grouped rows that may be of imports, with the bits of their gaps. */
export const SUMS_WITH_GAPS: Sql = sql`${SUMS}, groupBitOr(gaps) as gaps`;

/** The gaps of rows of hits: none, because they are counted exactly. */
export const NO_GAPS: Sql = sql`toUInt8(0) as gaps`;

/** The kinds that can have more values on a day than are stored. */
export const UNBOUNDED: readonly NumberKind[] = KINDS.filter(
  (kind) => kind !== 'total' && kind !== 'hour' && DIMENSION_TABLE[kind].values === undefined,
);

/** Numbers as the driver reads them. */
export type NumbersRow = Record<NumberColumn, string>;

/** Numbers with the bits of `GAPS`. */
export type RowWithGaps = NumbersRow & { readonly gaps: number };

/** The bits, if there are any, as a field of totals. */
export function toGaps({ gaps }: Pick<RowWithGaps, 'gaps'>): Pick<Totals, 'gaps'> {
  return gaps === 0 ? {} : { gaps };
}

export function toTotals(row: NumbersRow): Totals {
  return {
    visitors: Number(row.visitors),
    visits: Number(row.visits),
    pageviews: Number(row.pageviews),
    events: Number(row.events),
    bounces: Number(row.bounces),
    visitsWithPageviews: Number(row.visits_with_pageviews),
    duration: Number(row.duration),
    ...engagementOf((name) => Number(row[ENGAGEMENT_COLUMNS[name]])),
  };
}

/** A value of a dimension in a row: the empty string stands for none, which no value is. */
export function toValue(value: string): string | null {
  return value === '' ? null : value;
}
