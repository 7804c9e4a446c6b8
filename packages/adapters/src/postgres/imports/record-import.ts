import {
  type AuditEntry,
  type Day,
  type DayOfImport,
  DomainError,
  type EventOfWebsite,
  type ImportCounts,
  overlapOn,
} from '@hitherto/domain';
import { sql } from 'kysely';
import { movedAway } from '../../moved-away.ts';
import { noting, toNoted } from '../audit/noting.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { eventsIn, telling, toTold } from '../webhooks/telling.ts';

/** An import and its website by their numbers: bigints, as the driver writes them. */
export interface ImportKey {
  readonly number: string;
  readonly websiteNumber: string;
}

/**
 * Rejects with `unavailable` if the other engine has the statistics; until the transaction ends, they stay where they are.
 */
export async function requireEngine(transaction: Transaction, engine: 'inside' | 'outside'): Promise<void> {
  await transaction.query(once(sql`lock table import in row exclusive mode`));
  const { rows } = await transaction.query(
    once(sql<{ isOutside: boolean }>`select is_outside as "isOutside" from statistics_engine`),
  );
  if (rows[0]?.isOutside !== (engine === 'outside')) throw movedAway();
}

/**
 * Returns what statistics that move must have in common at the start and at the end, and keeps imports from ending meanwhile in
 * the transaction. Rejects with `precondition_failed` while an import runs.
 */
export async function importsAtRest(transaction: Transaction): Promise<string> {
  await transaction.query(once(sql`lock table import in share row exclusive mode`));
  const { rows } = await transaction.query(
    once(sql<{ done: string; isRunning: boolean }>`
      select coalesce(string_agg(number::text, ',' order by number) filter (where status = 'done'), '') as done,
        coalesce(bool_or(status = 'running'), false) as "isRunning" from import`),
  );
  const [found] = rows;
  if (found?.isRunning !== false) {
    throw new DomainError('precondition_failed', 'An import is running: move the statistics when it has ended.');
  }
  return found.done;
}

/**
 * Records that a running import is done and covers these days, and the event; returns `false` if it does not run. Imports of a
 * website end one after the other.
 *
 * @throws ImportOverlap
 */
export async function recordDone(
  transaction: Transaction,
  { number, websiteNumber }: ImportKey,
  days: readonly DayOfImport[],
  counts: ImportCounts,
  event: EventOfWebsite | undefined,
): Promise<boolean> {
  await transaction.query(once(sql`select from website where number = ${websiteNumber} for no key update`));
  const dates = sql`${days.map(({ day }) => day)}::date[]`;
  const { rows } = await transaction.query(
    once(sql<{ day: Day; id: string }>`
      select import_day.day::text as day, id from import join import_day on import_number = number
      where website_number = ${websiteNumber} and number <> ${number} and status = 'done' and day = any(${dates})
      order by import_day.day limit 1`),
  );
  const [other] = rows;
  if (other !== undefined) throw overlapOn(other.day, other.id);
  const { count } = await transaction.query(
    once(sql`
      update import set status = 'done', counts = ${JSON.stringify(countsOf(counts))}::json
      where number = ${number} and status = 'running'`),
  );
  if (count === 0) return false;
  await transaction.query(
    once(sql`
      insert into import_day (import_number, day, hits)
      select ${number}::bigint, * from unnest(${dates}, ${days.map(({ hits }) => hits)}::bigint[])`),
  );
  const { told } = toTold(event);
  await transaction.query(once(telling(eventsIn(sql<string>`${told}`), sql`true`)));
  return true;
}

/** Deletes the record of an import, and notes it in the audit trail. */
export async function deleteRecord(
  transaction: Transaction,
  number: string,
  entry: AuditEntry | undefined,
): Promise<boolean> {
  const { noted } = toNoted(entry);
  const deletion = sql`delete from import where number = ${number}`;
  return (await transaction.query(once(noting(deletion, sql<string>`${noted}`)))).count === 1;
}

/** The counts alone, as they are stored. */
export function countsOf({ from, to, hits, days, rows, share, skipped }: ImportCounts): ImportCounts {
  return { from, to, hits, days, rows, share, skipped };
}
