import { DomainError } from '@hitherto/domain/base';
import type { ArrivingHits, VisitorDay } from '@hitherto/domain/engine';
import { readFields } from '@hitherto/domain/engine';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { importsAtRest } from '../imports/record-import.ts';
import { readBatch, type WrittenBatch } from '../journal/journalled-hits.ts';
import { LOCK_TIMEOUT, waitForJobs } from './locks.ts';

/** How many visitors, and about how many hits of the journal, are copied in one step. */
const MAX_VISITORS = 10_000;
const MAX_HITS = 20_000;
const MAX_BATCHES = 10_000;

/**
 * Hits that arrive while statistics leave this database. A trigger notes their visitors, regardless of which instance writes them;
 * trigger and notes exist only during a move.
 */
export function createLeavingHits(database: Database): ArrivingHits {
  let imports = '';
  const unwatch = (transaction: Transaction) =>
    transaction.query(
      once(sql`drop function if exists note_arriving_visitors cascade; drop table if exists arriving_visitor`),
    );
  return {
    watch: () =>
      database.transaction(async (transaction) => {
        await waitForJobs(transaction);
        imports = await importsAtRest(transaction);
        await unwatch(transaction);
        await transaction.query(
          once(sql`
            create unlogged table arriving_visitor (website_number bigint not null, day date not null, visitor bigint not null);
            create function note_arriving_visitors() returns trigger language plpgsql as $$ begin
              insert into arriving_visitor select distinct website_number, day, visitor from added;
              return null;
            end $$;
            create trigger note_arriving_visitors after insert on hit referencing new table as added
            for each statement execute function note_arriving_visitors()`),
        );
      }),

    unwatch: () =>
      database.transaction(async (transaction) => {
        await waitForJobs(transaction);
        await unwatch(transaction);
      }),

    take: (work) =>
      database.transaction(async (transaction) => {
        const { rows, count } = await transaction.query(
          once(sql<{ website: string; day: string; visitor: string }>`
            delete from arriving_visitor where ctid = any(array(
              select ctid from arriving_visitor limit ${MAX_VISITORS}
            )) returning website_number as website, day::text as day, visitor`),
        );
        const visitors = rows.map(({ website, day, visitor }) => ({
          website: BigInt(website),
          day,
          visitor: BigInt.asUintN(64, BigInt(visitor)),
        }));
        if (count > 0) await work(distinct(visitors));
        return count === MAX_VISITORS;
      }),

    // Every writer of hits inserts into this table, in the statement that tells which engine the hits are for.
    switchOver: (work) =>
      database.transaction(async (transaction) => {
        await waitForJobs(transaction);
        await giveTo(transaction, true, imports, sql`lock table added_hits in share row exclusive mode`, work);
      }),
  };
}

/** Hits that arrive while statistics return to this database: the batches after the last one before the move. */
export function createReturningHits(database: Database): ArrivingHits {
  let last = 0n;
  let imports = '';
  let isStopped = false;
  // Writers insert into one of them before they know which engine the hits are for, and the copied hits into neither.
  const stopWriters = sql`lock table ingest_batch, hit_batch in share row exclusive mode`;
  const newestBatch = async (transaction: Transaction): Promise<bigint> => {
    const { rows } = await transaction.query(
      once(sql<{ number: string | null }>`select max(number) as number from journal_batch`),
    );
    return BigInt(rows[0]?.number ?? 0);
  };
  /** The newest batch before which every batch is committed. */
  const newestCommitted = (): Promise<bigint> =>
    database.transaction(async (transaction) => {
      if (!isStopped) {
        await transaction.query(once(LOCK_TIMEOUT));
        await transaction.query(once(stopWriters));
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
              where number > ${last.toString()}::bigint and number <= ${newest.toString()}::bigint
              order by number limit ${MAX_BATCHES}
            ) next
          ) counted
          where before < ${MAX_HITS} order by number`),
      );
      const hits = rows.flatMap(readBatch).map((hit) => ({ ...hit, visitor: readFields(hit.fields).visitor }));
      if (hits.length > 0) await work(distinct(hits));
      const taken = rows.at(-1);
      last = taken === undefined ? newest : BigInt(taken.number);
      return last < newest;
    },

    switchOver: (work) =>
      database.transaction(async (transaction) => {
        await transaction.query(once(LOCK_TIMEOUT));
        await giveTo(transaction, false, imports, stopWriters, async () => {
          isStopped = true;
          try {
            await work();
          } finally {
            isStopped = false;
          }
          // Handed over again after a later move, they would count twice.
          await transaction.query(once(sql`truncate journal_batch`));
        });
      }),
  };
}

async function giveTo(
  transaction: Transaction,
  isOutside: boolean,
  imports: string,
  stopWriters: ReturnType<typeof sql>,
  work: () => Promise<void>,
): Promise<void> {
  if ((await importsAtRest(transaction)) !== imports) throw importsChanged();
  await transaction.query(once(stopWriters));
  await work();
  await transaction.query(once(sql`update statistics_engine set is_outside = ${isOutside}`));
}

function importsChanged(): DomainError {
  return new DomainError(
    'precondition_failed',
    'An import ended, or was deleted, while the statistics moved: run the command again.',
  );
}

function distinct(visitors: readonly VisitorDay[]): VisitorDay[] {
  const byKey = new Map(
    visitors.map(({ website, day, visitor }) => [`${website} ${day} ${visitor}`, { website, day, visitor }]),
  );
  return [...byKey.values()];
}
