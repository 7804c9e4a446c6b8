import { DomainError } from '@hitherto/domain/base';
import type { ArrivingHits, VisitorDay } from '@hitherto/domain/engine';
import { readFields } from '@hitherto/domain/engine';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { importsAtRest } from '../imports/record-import.ts';
import { FIRST_ID } from '../journal/hit-writer.ts';
import { readBatch, type WrittenBatch } from '../journal/journalled-hits.ts';
import { LOCK_TIMEOUT, waitForJobs } from './locks.ts';

/** How many batches, and about how many of their hits, are copied in one step. */
const MAX_BATCHES = 10_000;
const MAX_HITS = 20_000;

/**
 * Every writer of hits inserts into this table, in the statement that tells which engine the hits are for. Handing the journal over to
 * an engine outside does not touch it, and goes on.
 */
const STOP_WRITERS = sql`lock table added_hits in share row exclusive mode`;

/**
 * Hits that arrive while statistics leave this database. A trigger copies their batches, regardless of which instance writes them;
 * trigger and copies exist only during a move.
 */
export function createLeavingHits(database: Database): ArrivingHits {
  let imports = '';
  const unwatch = (transaction: Transaction) =>
    transaction.query(
      once(sql`drop function if exists copy_arriving_batches cascade; drop table if exists arriving_batch`),
    );
  return {
    watch: () =>
      database.transaction(async (transaction) => {
        await waitForJobs(transaction);
        imports = await importsAtRest(transaction);
        await unwatch(transaction);
        await transaction.query(
          once(sql`
            create unlogged table arriving_batch (number bigint not null, hit_count integer not null, website_numbers bigint[] not null, hits text not null);
            create function copy_arriving_batches() returns trigger language plpgsql as $$ begin
              insert into arriving_batch select number, hit_count, website_numbers, hits from added where is_waiting is null and hit_count > 0;
              return null;
            end $$;
            create trigger copy_arriving_batches after insert on journal_batch referencing new table as added
            for each statement execute function copy_arriving_batches()`),
        );
      }),

    unwatch: () =>
      database.transaction(async (transaction) => {
        await waitForJobs(transaction);
        await unwatch(transaction);
      }),

    take: (work) =>
      database.transaction(async (transaction) => {
        const { rows } = await transaction.query(
          once(sql<WrittenBatch & { readonly count: number }>`
            delete from arriving_batch where ctid = any(array(
              select place from (
                select ctid as place, sum(hit_count) over (rows unbounded preceding) - hit_count as before from arriving_batch
              ) counted where before < ${MAX_HITS}
            )) returning number, to_json(website_numbers::text[]) as websites, hits, hit_count as count`),
        );
        if (rows.length > 0) await work(visitorsOf(rows));
        return rows.reduce((sum, { count }) => sum + count, 0) >= MAX_HITS;
      }),

    switchOver: (work) =>
      database.transaction(async (transaction) => {
        await waitForJobs(transaction);
        await giveTo(transaction, true, imports, work);
      }),
  };
}

/** Hits that arrive while statistics return to this database: the batches after the last one before the move. */
export function createReturningHits(database: Database): ArrivingHits {
  let last = 0n;
  let imports = '';
  let isStopped = false;
  const newestBatch = async (transaction: Transaction): Promise<bigint> => {
    const { rows } = await transaction.query(
      once(
        sql<{ number: string | null }>`select max(number) as number from journal_batch where is_waiting is not null`,
      ),
    );
    return BigInt(rows[0]?.number ?? 0);
  };
  /** The newest batch before which every batch is committed. */
  const newestCommitted = (): Promise<bigint> =>
    database.transaction(async (transaction) => {
      if (!isStopped) {
        await transaction.query(once(LOCK_TIMEOUT));
        await transaction.query(once(STOP_WRITERS));
      }
      return newestBatch(transaction);
    });
  return {
    async watch() {
      imports = await database.transaction(importsAtRest);
      last = await newestCommitted();
    },

    unwatch: async () => {},

    async take(work) {
      const newest = await newestCommitted();
      const { rows } = await database.query(
        once(sql<WrittenBatch>`
          select number, to_json(website_numbers::text[]) as websites, hits from (
            select number, website_numbers, hits, sum(hit_count) over (order by number) - hit_count as before from (
              select number, website_numbers, hits, hit_count from journal_batch
              where is_waiting is not null and number > ${last.toString()}::bigint and number <= ${newest.toString()}::bigint
              order by number limit ${MAX_BATCHES}
            ) next
          ) counted
          where before < ${MAX_HITS} order by number`),
      );
      const visitors = visitorsOf(rows);
      if (visitors.length > 0) await work(visitors);
      const taken = rows.at(-1);
      last = taken === undefined ? newest : BigInt(taken.number);
      return last < newest;
    },

    switchOver: (work) =>
      database.transaction(async (transaction) => {
        await transaction.query(once(LOCK_TIMEOUT));
        await giveTo(transaction, false, imports, async () => {
          isStopped = true;
          try {
            await work();
          } finally {
            isStopped = false;
          }
          // Handed over again after a later move, hits would count twice. Writers may send the last batches again.
          await transaction.query(
            once(sql`
              lock table journal_batch in access exclusive mode;
              create temporary table last_batch on commit drop as select id from journal_batch where id >= ${FIRST_ID};
              truncate journal_batch;
              insert into journal_batch (id, hit_count, website_numbers, hits) select id, 0, '{}', '' from last_batch`),
          );
        });
      }),
  };
}

async function giveTo(
  transaction: Transaction,
  isOutside: boolean,
  imports: string,
  work: () => Promise<void>,
): Promise<void> {
  if ((await importsAtRest(transaction)) !== imports) throw importsChanged();
  await transaction.query(once(STOP_WRITERS));
  await work();
  await transaction.query(once(sql`update statistics_engine set is_outside = ${isOutside}`));
}

function importsChanged(): DomainError {
  return new DomainError(
    'precondition_failed',
    'An import ended, or was deleted, while the statistics moved: run the command again.',
  );
}

function visitorsOf(batches: readonly WrittenBatch[]): VisitorDay[] {
  const visitors = batches.flatMap(readBatch).map((hit) => ({ ...hit, visitor: readFields(hit.fields).visitor }));
  const byKey = new Map(
    visitors.map(({ website, day, visitor }) => [`${website} ${day} ${visitor}`, { website, day, visitor }]),
  );
  return [...byKey.values()];
}
