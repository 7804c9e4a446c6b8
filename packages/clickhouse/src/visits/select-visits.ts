import { join, raw, type Sql, sql } from '../connection/sql.ts';
import { visitColumn } from '../tables/tables.ts';
import { type CutVisits, cutVisits } from './cut-visits.ts';
import type { ShowPage } from './show-page.ts';

/** A condition on visits, and the columns that it reads. */
export interface VisitFilter {
  readonly condition: Sql;
  readonly columns: readonly string[];
}

/** The rows of `visitor_day` that a read or a job is about, and the visits in them that it counts. */
export interface VisitScope {
  /** A condition on websites and days. */
  readonly rows: Sql;
  /** A condition on visits, and the columns that it reads. */
  readonly filter?: VisitFilter;
  /** A day whose hits count only up to a moment. */
  readonly cut?: CutVisits | undefined;
  /** How pages are shown, unless as they are stored. */
  readonly showPage?: ShowPage | undefined;
}

/** Before the name of a column of visits: with the pages that are stored. */
export const STORED = 'stored_';

/** The column of `visitor_day` with a column of visits. */
export function shownColumn(name: string, { showPage }: Pick<VisitScope, 'showPage'>): Sql {
  if (name.startsWith(STORED)) return raw(visitColumn(name.slice(STORED.length)));
  const column = raw(visitColumn(name));
  if (showPage === undefined) return column;
  switch (name) {
    case 'pages':
      return sql`arrayMap(ps -> arrayMap(stored -> ${showPage(raw('stored'))}, ps), ${column})`;
    case 'entry_page':
    case 'exit_page':
      return sql`arrayMap(stored -> ${showPage(raw('stored'))}, ${column})`;
    default:
      return column;
  }
}

/** The table that visits are selected from; the condition on its rows still has to be checked. */
export function visitTable({ rows, cut }: VisitScope): Sql {
  return cut === undefined ? raw('visitor_day final') : cutVisits(rows, cut);
}

/** A select of visits: their website, day and visitor, whether they are the visitor's only one that day, and these columns. */
export function selectVisits(scope: VisitScope, columns: readonly string[]): Sql {
  const { rows, filter } = scope;
  const unfolded = [...new Set(columns)].map((name) => sql`${shownColumn(name, scope)} as ${raw(name)}`);
  const chosen = filter === undefined ? [] : [sql`${isChosenOf(filter, scope)} as is_chosen`];
  return sql`
    select website, day, visitor, length(visit.started) = 1 as is_only, ${join([...new Set(columns)].map(raw))}
    from ${visitTable(scope)} array join ${join([...unfolded, ...chosen])}
    where ${rows} ${filter === undefined ? sql`` : sql`and is_chosen`}`;
}

/** For each visit of a row, whether the filter chooses it. Lists of hits take long to unfold, so the filter reads them before. */
export function isChosenOf({ condition, columns }: VisitFilter, scope: Pick<VisitScope, 'showPage'>): Sql {
  const names = [...new Set(columns)];
  return sql`
    arrayMap((${join(names.map(raw))}) -> ${condition}, ${join(names.map((name) => shownColumn(name, scope)))})`;
}

/** How many different visitors grouped visits have; a visitor is one of a day. The groups have one website. */
export const VISITORS: Sql = sql`countIf(is_only) + uniqExactIf((day, visitor), not is_only)`;
