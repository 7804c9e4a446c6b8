import { isId } from '@hitherto/domain/base';
import { type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { type Backlog, type HitJournal, readFields, type WaitingBatches } from '@hitherto/domain/engine';
import { type HidingRule, hitKey } from '@hitherto/domain/visits';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once, statement } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { createImportJournal } from '../imports/import-journal.ts';
import { movedAway } from '../moved-away.ts';
import { pageRulesByWebsite, rulesAsJson, rulesByWebsite } from '../statistics/days/hiding-rules.ts';
import { readBatch, type WrittenBatch, withoutHits } from './journalled-hits.ts';

/** The advisory lock for work on the engine; the number is arbitrary. */
const LOCK_ID = 4_847_116;
/** Longer than a hand-over takes. An instance that hangs loses the lock, and another repeats its work. */
const IDLE = sql`set local idle_in_transaction_session_timeout = '150s'`;
/** How many batches one statement reads or deletes. */
const MAX_BATCHES = 5_000;
/** How many are in memory at once. */
const READ_BATCHES = 200;

/**
 * The journal in PostgreSQL.
 *
 * @param database for statements that wait for an engine
 * @param reading for short reads
 * @param installation the zone of websites without their own
 * @param readsInactiveEngine whether websites are found although the engine in this database has the statistics
 */
export function createHitJournal(
  database: Database,
  reading: Database,
  installation: TimeZone,
  readsInactiveEngine: boolean,
): HitJournal {
  const underLock = <Result>(work: (transaction: Transaction, version: bigint) => Promise<Result>) =>
    database.transaction(async (transaction) => {
      await transaction.query(once(sql`set local lock_timeout = 0`));
      await transaction.query(once(IDLE));
      await transaction.query(once(sql`select pg_advisory_xact_lock(${LOCK_ID})`));
      const { rows } = await transaction.query(nextVersion.with({}));
      const [row] = rows;
      if (row === undefined) throw new Error('The table statistics_engine is empty.');
      return work(transaction, BigInt(row.version));
    });

  return {
    ...createImportJournal(database, reading),

    async id() {
      const [row] = await reading.read(once(sql<{ id: string }>`select journal_id as id from statistics_engine`));
      if (row === undefined) throw new Error('The table statistics_engine is empty.');
      return row.id;
    },

    async raiseNumbersAbove(last) {
      for (const table of ['website', 'import'] as const) {
        const sequence = sql`pg_get_serial_sequence(${table}, 'number')::regclass`;
        const number = sql`${last[table].toString()}::bigint`;
        await database.query(
          once(sql`
            select setval(${sequence}, ${number}) where coalesce(pg_sequence_last_value(${sequence}), 0) < ${number}`),
        );
      }
    },

    async findWebsite(websiteId) {
      if (!isId(websiteId)) return undefined;
      const [row] = await reading.read(findWebsite.with({ websiteId }));
      if (row === undefined) return undefined;
      if (!row.isOutside && !readsInactiveEngine) throw movedAway();
      return {
        number: BigInt(row.number),
        zone: zoneOf(row, installation),
        waiting: waitingOf(row),
        imports: row.imports.map(BigInt),
        rules: row.rules,
        pageRules: row.pageRules,
      };
    },

    async findZones(websites) {
      const rows = await reading.read(
        once(sql<{ number: string; timeZone: string | null }>`
          select number, time_zone as "timeZone" from website where number = any(${websites.map(String)}::bigint[])`),
      );
      return new Map(rows.map((row) => [BigInt(row.number), zoneOf(row, installation)]));
    },

    async findRules() {
      const rules = await rulesByWebsite(reading);
      return new Map([...rules].map(([number, ofWebsite]) => [BigInt(number), ofWebsite]));
    },

    async findPageRules() {
      const rules = await pageRulesByWebsite(reading);
      return new Map([...rules].map(([number, ofWebsite]) => [BigInt(number), ofWebsite]));
    },

    async findDeleted(websiteId) {
      if (!isId(websiteId)) return [];
      const rows = await reading.read(
        once(sql<{ number: string }>`select number from deleted_website where id = ${websiteId}`),
      );
      return rows.map(({ number }) => BigInt(number));
    },

    async waiting() {
      const [row] = await reading.read(allWaiting.with({}));
      return row && waitingOf(row);
    },

    handOver: (limit, count) =>
      underLock(async (transaction, version) => {
        const { rows } = await transaction.query(waitingBatches.with({ limit }));
        if (rows.length === 0) return false;
        const known = await knownWebsites(transaction, rows);
        const hits = rows.flatMap(readBatch);
        await count(
          hits.filter(({ website }) => known.has(website)),
          version,
        );
        const numbers = rows.map(({ number }) => number);
        await transaction.query(endWaiting.with({ numbers }));
        return hits.length >= limit || rows.length === MAX_BATCHES;
      }),

    exclusively: (work) => underLock((_, version) => work(version)),

    async latestVersion() {
      const [row] = await reading.read(once(sql<{ version: string }>`select version from statistics_engine`));
      return BigInt(row?.version ?? 0);
    },

    async repeatSince(time) {
      const { count } = await database.query(
        once(sql`update journal_batch set is_waiting = true where added_at >= ${time} and not is_waiting`),
      );
      return count;
    },

    async deleteBefore(time) {
      const { count } = await database.query(
        once(sql`
          delete from journal_batch where number = any(array(
            select number from journal_batch where added_at < ${time} and not is_waiting order by added_at
            limit ${MAX_BATCHES}
          )) and is_waiting is not null`),
      );
      return count === MAX_BATCHES;
    },

    async erase(website, day, hits) {
      if (hits.length === 0) return;
      const erased = new Set(hits.map(hitKey));
      for (let after = '0'; ; ) {
        const { rows } = await database.query(
          once(sql<WrittenBatch>`
            select number, to_json(website_numbers::text[]) as websites, hits from journal_batch
            where is_waiting is not null and number > ${after}::bigint and website_numbers @> array[${website.toString()}::bigint]
              and position(${` ${day} {`} in hits) > 0
            order by number limit ${READ_BATCHES}`),
        );
        for (const batch of rows) {
          const left = withoutHits(
            batch,
            (hit) => hit.website === website && hit.day === day && erased.has(hitKey(readFields(hit.fields))),
          );
          if (left === batch.hits) continue;
          await database.query(
            once(
              sql`update journal_batch set hits = ${left} where is_waiting is not null and number = ${batch.number}`,
            ),
          );
        }
        const last = rows.at(-1);
        if (last === undefined) return;
        after = last.number;
      }
    },

    async backlog(): Promise<Backlog> {
      const [row] = await reading.read(
        once(sql<{ hits: number; since: Date | null }>`
          select coalesce(sum(hit_count), 0)::double precision as hits, min(added_at) as since
          from journal_batch where is_waiting`),
      );
      return { hits: row?.hits ?? 0, since: row?.since ?? undefined };
    },
  };
}

interface WaitingRow {
  readonly first: string | null;
  readonly last: string | null;
}

function waitingOf({ first, last }: WaitingRow): WaitingBatches | undefined {
  return first === null || last === null ? undefined : { first: BigInt(first), last: BigInt(last) };
}

async function knownWebsites(transaction: Transaction, batches: readonly WrittenBatch[]): Promise<ReadonlySet<bigint>> {
  const numbers = batches.map(({ number }) => number);
  const { rows } = await transaction.query(
    once(sql<{ number: string }>`
      select number from website where number in (
        select unnest(website_numbers) from journal_batch where is_waiting and number = any(${numbers}::bigint[])
      )`),
  );
  return new Set(rows.map(({ number }) => BigInt(number)));
}

/** By the clock, so that versions go on where a restored backup of the database is older than the engine. */
const nextVersion = statement(
  'next_journal_version',
  () => sql<{ version: string }>`
    update statistics_engine
    set version = greatest(version + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint) returning version`,
);

const allWaiting = statement<Record<never, never>, WaitingRow>(
  'all_waiting',
  () => sql`select min(number) as first, max(number) as last from journal_batch where is_waiting`,
);

const findWebsite = statement<
  { readonly websiteId: string },
  WaitingRow & {
    readonly number: string;
    readonly timeZone: string | null;
    readonly isOutside: boolean;
    readonly imports: readonly string[];
    readonly rules: readonly HidingRule[];
    readonly pageRules: readonly string[];
  }
>(
  'find_journalled_website',
  (placeholder) => sql`
    select number, time_zone as "timeZone", waiting.first, waiting.last, ${rulesAsJson(sql`website.number`)} as rules, to_json(page_rules) as "pageRules",
      (select is_outside from statistics_engine) as "isOutside", array(
        select import.number::text from import where website_number = website.number and status = 'done'
      ) as imports
    from website cross join lateral (
      select min(batch.number) as first, max(batch.number) as last from journal_batch batch
      where batch.is_waiting and batch.website_numbers @> array[website.number]
    ) waiting
    where id = ${placeholder('websiteId')}::uuid`,
);

/** The oldest batches, up to the one that reaches the limit. */
const waitingBatches = statement<{ readonly limit: number }, WrittenBatch>(
  'waiting_batches',
  (placeholder) => sql`
    select number, to_json(website_numbers::text[]) as websites, hits from (
      select number, website_numbers, hits, sum(hit_count) over (order by number) - hit_count as before
      from (select * from journal_batch where is_waiting order by number limit ${sql.lit(MAX_BATCHES)}) waiting
    ) counted
    where before < ${placeholder('limit')}::bigint order by number`,
);

const endWaiting = statement<{ readonly numbers: readonly string[] }, never>(
  'end_waiting',
  (placeholder) => sql`
    update journal_batch set is_waiting = false where is_waiting and number = any(${placeholder('numbers')}::bigint[])`,
);
