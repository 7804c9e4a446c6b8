import type { Day } from '@hitherto/domain/calendar';
import type { HitRule } from '@hitherto/domain/visits';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { countVisits } from '../columns/count.ts';
import type { Chosen, Counter } from '../columns/counter.ts';
import { type VisitColumns, visitColumns } from '../columns/visit-columns.ts';
import { inScope, type Scope, type WebsiteDays } from '../visits/chosen-visits.ts';
import { readHitsOfVisits, type VisitsOfDay } from './hits-of-visits.ts';

/**
 * Counts the hits of chosen visits that fulfil any of the rules, of days that are not stored by columns.
 *
 * @param rules with values as they are stored
 * @param isOrdered whether the order of a visit's hits matters
 */
export type CountHits = (
  transaction: Transaction,
  scope: Scope,
  rules: readonly HitRule[],
  isOrdered: boolean,
  counters: readonly Counter<unknown>[],
) => Promise<void>;

/** Enough for 20 questions about a day of 150,000 visits with three hits each. */
const MAX_BYTES = 64 * 1024 * 1024;
/** All visits are read again when there are more changed visitors than this share of the other visitors' visits. */
const MAX_CHANGED = 1 / 16;

/** A moment of the database, by which later changes are known. */
interface Moment {
  /** When the server was started. A restored one numbers transactions as the lost ones were. */
  readonly server: string;
  /** The first transaction that had not begun. */
  readonly next: string;
  /** Earlier transactions that had not ended. Subtransactions are not among them, and none writes visits. */
  readonly running: readonly string[];
}

interface KnownVisits {
  readonly moment: Moment;
  readonly days: readonly VisitsOfDay[];
}

/** Visits of a day, and which of them count. */
interface ChosenVisits {
  readonly columns: VisitColumns;
  readonly chosen: Chosen;
}

/**
 * Counts hits of days that are not over, and caches the visits if all of them count: goals and funnels are counted
 * whenever the page is opened, and few visitors come in between. The visits of those alone are read again.
 */
export function cacheHits(): CountHits {
  const cache = new LRUCache<string, KnownVisits>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ days }, key) => days.reduce((sum, day) => sum + bytesOf(day), key.length),
  });

  const readVisits = async (
    transaction: Transaction,
    scope: Scope,
    rules: readonly HitRule[],
    isOrdered: boolean,
  ): Promise<readonly ChosenVisits[]> => {
    if (scope.filters.length > 0 || scope.cut !== undefined)
      return (await readHitsOfVisits(transaction, scope, rules, isOrdered)).map(everyVisit);
    const key = JSON.stringify([scope.websiteNumber, scope.days.toSorted(), rules, isOrdered]);
    const known = cache.get(key);
    const { moment, changed, days: changedDays, unchanged } = await readChanges(transaction, scope, known?.moment);
    const kept = known?.moment.server === moment.server ? withoutVisitors(known.days, changedDays, changed) : [];
    // If visits were removed, more are kept than are stored. Nothing else shows it.
    const isKept = visitsIn(kept) === unchanged && changed.length <= MAX_CHANGED * unchanged;
    if (isKept && changed.length === 0) return kept;
    if (isKept && changedDays.length === 1) {
      const again = { ...scope, days: changedDays, visitors: changed };
      return [...kept, ...(await readHitsOfVisits(transaction, again, rules, isOrdered)).map(everyVisit)];
    }
    const days = await readHitsOfVisits(transaction, scope, rules, isOrdered);
    cache.set(key, { moment, days });
    return days.map(everyVisit);
  };

  return async (transaction, scope, rules, isOrdered, counters) => {
    if (scope.days.length === 0 || rules.length === 0) return;
    for (const { columns, chosen } of await readVisits(transaction, scope, rules, isOrdered)) {
      await countVisits(columns, chosen, counters);
    }
  };
}

function everyVisit(ofDay: VisitsOfDay): ChosenVisits {
  return { columns: columnsOf(ofDay), chosen: Uint32Array.from({ length: ofDay.visits }, (_, place) => place) };
}

function columnsOf({ day, visits, stored }: VisitsOfDay): VisitColumns {
  return visitColumns(day, visits, 0, stored);
}

function bytesOf({ visitors, stored }: VisitsOfDay): number {
  return [...stored.values()].reduce((sum, bytes) => sum + (bytes?.length ?? 0), visitors.byteLength);
}

/** Leaves out the visits of these visitors on these days. */
function withoutVisitors(
  known: readonly VisitsOfDay[],
  days: readonly Day[],
  visitorsOfDays: readonly string[],
): ChosenVisits[] {
  const left = new Set(visitorsOfDays.map(BigInt));
  return known.map((ofDay) => {
    if (!days.includes(ofDay.day)) return everyVisit(ofDay);
    const chosen = new Uint32Array(ofDay.visits);
    let count = 0;
    ofDay.visitors.forEach((visitor, place) => {
      if (left.has(visitor)) return;
      chosen[count] = place;
      count += 1;
    });
    return { columns: columnsOf(ofDay), chosen: chosen.subarray(0, count) };
  });
}

function visitsIn(days: readonly ChosenVisits[]): number {
  return days.reduce((sum, { chosen }) => sum + chosen.length, 0);
}

interface Changes {
  readonly moment: Moment;
  /** The visitors whose visits have changed since, or who have hits that `visit` does not know. */
  readonly changed: readonly string[];
  /** The days of the changes. */
  readonly days: readonly Day[];
  /** How many visits the other visitors have. */
  readonly unchanged: number;
}

/** Reads what has changed since a moment; without one, the unseen hits alone. */
async function readChanges(transaction: Transaction, scope: WebsiteDays, since: Moment | undefined): Promise<Changes> {
  const isNew =
    since === undefined
      ? sql`false`
      : sql`(age(xmin) <= age(${since.next}::xid) or xmin = any(${since.running}::xid[]))`;
  const stored = cte(
    'stored',
    sql`
      select count(*) as visits, array_agg(day) filter (where ${isNew}) as days,
        array_agg(visitor) filter (where ${isNew}) as visitors
      from visit where ${inScope('visit', scope)}`,
    { materialized: true },
  );
  const changed = cte(
    'changed',
    sql`
      select new_visit.* from ${stored} stored, unnest(stored.days, stored.visitors) new_visit (day, visitor)
      union select day, visitor from changed_visitor where ${inScope('changed_visitor', scope)}`,
    { materialized: true },
  );
  // They are few, and found by the index.
  const visitsOfChanged = sql`
    select from ${changed} changed cross join lateral (
      select from visit
      where ${inScope('visit', scope)} and visit.day = changed.day and visit.visitor = changed.visitor offset 0
    ) visit`;
  const { rows } = await transaction.query(
    once(sql<Moment & Omit<Changes, 'moment'>>`
      select pg_postmaster_start_time()::text as server, pg_snapshot_xmax(pg_current_snapshot())::xid::text as next,
        array(select running::xid::text from pg_snapshot_xip(pg_current_snapshot()) running) as running,
        array(select visitor::text from ${changed}) as changed, array(select distinct day::text from ${changed}) as days,
        (visits - (select count(*) from (${visitsOfChanged}) of_changed))::integer as unchanged
      from ${stored}`),
  );
  const [row] = rows;
  if (row === undefined) throw new Error('The changes of visits were not returned.');
  const { changed: visitors, days, unchanged, ...moment } = row;
  return { moment, changed: visitors, days, unchanged };
}
