import { DomainError, storableJson } from '@hitherto/domain/base';
import type { Day } from '@hitherto/domain/calendar';
import type { Change } from '@hitherto/domain/changes';
import type { DayOfImport } from '@hitherto/domain/engine';
import { MAX_CRAWLER_VALUES, OTHER_VALUES } from '@hitherto/domain/hits';
import {
  ACCESS_LOG,
  type ImportCounts,
  type ImportedLogs,
  type LogCheckpoint,
  LogConflict,
  overlapOn,
  type ReadLog,
} from '@hitherto/domain/imports';
import type { EventOfWebsite } from '@hitherto/domain/webhooks';
import { sql } from 'kysely';
import { auditing, delivering, eventsIn, toAudited, toDeliverable } from '../changes.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { movedAway } from '../moved-away.ts';

/** An import and its website by their numbers: bigints, as the driver writes them. */
export interface ImportKey {
  readonly number: string;
  readonly websiteNumber: string;
}

/** The place of a log as its checkpoint has it. */
function placeOf(checkpoint: LogCheckpoint | undefined): string | null {
  return checkpoint === undefined ? null : JSON.stringify(checkpoint);
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
 * Returns the state that must be the same at the start and the end of a move, and keeps imports from ending during
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
 * @param read the logs that it has read
 * @throws ImportOverlap
 * @throws LogConflict
 */
export async function recordDone(
  transaction: Transaction,
  { number, websiteNumber }: ImportKey,
  days: readonly DayOfImport[],
  counts: ImportCounts,
  event: EventOfWebsite | undefined,
  read: ImportedLogs | undefined,
): Promise<boolean> {
  await transaction.query(once(sql`select from website where number = ${websiteNumber} for no key update`));
  const dates = sql`${days.map(({ day }) => day)}::date[]`;
  const { rows } = await transaction.query(
    once(sql<{ day: Day; id: string }>`
      select import_day.day::text as day, id from import join import_day on import_number = number
      where website_number = ${websiteNumber} and number <> ${number} and status = 'done' and day = any(${dates})
        and ${read === undefined ? sql`true` : sql`format <> ${ACCESS_LOG}`}
      order by import_day.day limit 1`),
  );
  const [other] = rows;
  if (other !== undefined && read?.also !== true) throw overlapOn(other.day, other.id);
  const { count } = await transaction.query(
    once(sql`
      update import set status = 'done', counts = ${storableJson(countsOf(counts))}::json
      where number = ${number} and status = 'running'`),
  );
  if (count === 0) return false;
  for (const log of read?.logs ?? []) await recordLog(transaction, { number, websiteNumber }, log);
  if (read !== undefined) await keepFrequentCrawlers(transaction, number);
  await transaction.query(
    once(sql`
      insert into import_day (import_number, day, hits)
      select ${number}::bigint, * from unnest(${dates}, ${days.map(({ hits }) => hits)}::bigint[])`),
  );
  const { deliverable } = toDeliverable(event);
  await transaction.query(once(delivering(eventsIn(sql<string>`${deliverable}`), sql`true`)));
  return true;
}

/** Moves the place of a log, and remembers how. */
async function recordLog(
  transaction: Transaction,
  { number, websiteNumber }: ImportKey,
  { log, from, to }: ReadLog,
): Promise<void> {
  const [before, after] = [placeOf(from), placeOf(to)];
  const { count } = await transaction.query(
    once(
      before === null
        ? sql`
          insert into log_checkpoint (website_number, log, checkpoint) values (${websiteNumber}, ${log}, ${after})
          on conflict do nothing`
        : sql`
          update log_checkpoint set checkpoint = ${after}
          where website_number = ${websiteNumber} and log = ${log} and checkpoint = ${before}`,
    ),
  );
  if (count === 0) throw new LogConflict(log);
  await transaction.query(
    once(sql`
      insert into import_log (import_number, log, read_from, read_to)
      values (${number}, ${log}, ${before}, ${after})`),
  );
}

/**
 * Takes the place of each log of an import back to where it began, so that it is read again. If a later import goes on from
 * there, that one does so once it is deleted too.
 */
async function forgetLogs(transaction: Transaction, number: string): Promise<void> {
  const own = sql`import_log own join import on import.number = own.import_number where own.import_number = ${number}`;
  const columns = sql`website_number, own.log, own.read_from, own.read_to`;
  await transaction.query(
    once(sql`
      with own as (select ${columns} from ${own}),
      first as (
        delete from log_checkpoint using own
        where log_checkpoint.website_number = own.website_number and log_checkpoint.log = own.log
          and checkpoint = own.read_to and own.read_from is null
      ),
      later as (
        update import_log set read_from = own.read_from from own, import
        where import.number = import_log.import_number and import.website_number = own.website_number
          and import_log.log = own.log and import_log.read_from = own.read_to
      )
      update log_checkpoint set checkpoint = own.read_from from own
      where log_checkpoint.website_number = own.website_number and log_checkpoint.log = own.log
        and checkpoint = own.read_to and own.read_from is not null`),
  );
}

/** Adds up the operators and pages beyond those with the most hits, as the days' own ones are when they are over. */
async function keepFrequentCrawlers(transaction: Transaction, number: string): Promise<void> {
  await transaction.query(
    once(sql`
      with ranked as (
        select day, list, value, purpose,
          row_number() over (partition by day, list order by hits desc, value, purpose) as rank
        from import_crawler_hit where import_number = ${number}
      ),
      rare as (
        delete from import_crawler_hit sums using ranked
        where sums.import_number = ${number} and rank > ${MAX_CRAWLER_VALUES} and sums.day = ranked.day
          and sums.list = ranked.list and sums.value = ranked.value and sums.purpose = ranked.purpose
        returning sums.*
      )
      insert into import_crawler_hit (import_number, website_number, day, list, value, purpose, hits, hits_4xx)
      select import_number, website_number, day, list, ${OTHER_VALUES}, purpose, sum(hits), sum(hits_4xx)
      from rare group by import_number, website_number, day, list, purpose`),
  );
}

/**
 * Deletes the record of an import, takes the logs that it has read back, and notes it in the audit trail.
 *
 * @param keepsNumbers whether a day keeps numbers of the import: its logs stay read then, so that none of their lines counts twice
 */
export async function deleteRecord(
  transaction: Transaction,
  number: string,
  keepsNumbers: boolean,
  change: Change,
): Promise<boolean> {
  if (!keepsNumbers) await forgetLogs(transaction, number);
  const { audited } = toAudited(change);
  const deletion = sql`delete from import where number = ${number}`;
  return (await transaction.query(once(auditing(deletion, sql<string>`${audited}`)))).count === 1;
}

/** The counts alone, as they are stored. */
export function countsOf(counts: ImportCounts): object {
  const { from, to, hits, days, rows, share, skipped, notes, noteTexts, sums } = counts;
  // JSON has no members without a value.
  return { from, to, hits, days, rows, share, skipped, notes, noteTexts, sums };
}
