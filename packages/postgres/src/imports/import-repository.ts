import { DomainError, isId, storableJson } from '@hitherto/domain/base';
import type { Dimension } from '@hitherto/domain/hits';
import {
  IMPORT_LEASE_MS,
  type Import,
  type ImportCounts,
  type ImportedDay,
  type ImportFormat,
  type ImportProblem,
  type ImportRepository,
  MAX_RUNNING_IMPORTS,
} from '@hitherto/domain/imports';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { sql } from 'kysely';
import { auditing, delivering, eventsIn, toAudited, toDeliverable } from '../changes.ts';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { addImportedCrawlers } from '../journal/crawler-sums.ts';
import { countsOf, type ImportKey } from './record-import.ts';

/** The advisory lock under which imports begin; the number is arbitrary. */
const LOCK_ID = 4_847_117;

interface ImportRow {
  readonly id: string;
  readonly websiteId: string;
  readonly format: ImportFormat;
  readonly sha256: string;
  readonly status: Import['status'];
  readonly isReading: boolean;
  readonly counts: ImportCounts;
  readonly problem: ImportProblem | null;
  readonly createdAt: Date;
}

const COLUMNS = sql`import.id, website.id as "websiteId", format, sha256, status,
  is_reading as "isReading", counts, problem,
  import.created_at as "createdAt"`;
const IMPORTS = sql`import join website on website.number = import.website_number`;

/** Imports in PostgreSQL. */
export function createImportRepository(database: Database): ImportRepository {
  const isOf = ({ accountId, websiteId }: WebsiteKey) =>
    sql`website.account_id = ${accountId} and website.id = ${websiteId}`;

  const findOfFile = async (website: WebsiteKey, sha256: string): Promise<Import | undefined> => {
    const [row] = await database.read(
      once(sql<ImportRow>`
        select ${COLUMNS} from ${IMPORTS}
        where ${isOf(website)} and sha256 = ${sha256} and status <> 'failed'`),
    );
    return row && toImport(row);
  };

  return {
    async insert(website, added, change) {
      if (!isKey(website)) throw websiteGone();
      const { id, format, sha256, status, createdAt } = added;
      const written = sql`
        insert into import (id, website_number, created_at, reported_at, format, sha256, status, counts)
        select ${id}::uuid, website.number, ${createdAt}::timestamptz, ${createdAt}::timestamptz, ${format}, ${sha256},
          ${status}, ${storableJson(countsOf(added))}::json
        from website where ${isOf(website)} for key share
        on conflict (website_number, sha256) where status <> 'failed' do nothing`;
      const { audited } = toAudited(change);
      const { count } = await database.query(once(auditing(written, sql<string>`${audited}`)));
      if (count === 1) return undefined;
      const earlier = await findOfFile(website, sha256);
      if (earlier === undefined) throw websiteGone();
      return earlier;
    },

    async list(website) {
      if (!isKey(website)) return undefined;
      const rows = await database.read(
        once(sql<ImportRow | { readonly id: null }>`
          select ${COLUMNS} from website left join import on website.number = import.website_number
          where ${isOf(website)} order by import.number`),
      );
      return rows.length === 0 ? undefined : rows.flatMap((row) => (row.id === null ? [] : [toImport(row)]));
    },

    async listDone(limit) {
      const rows = await database.read(
        once(sql<ImportRow & { readonly url: string }>`
          select ${COLUMNS}, scheme || '://' || address as url from ${IMPORTS}
          where status = 'done' order by import.number limit ${limit}`),
      );
      return rows.map(({ url, ...row }) => ({ url, imported: toImport(row) }));
    },

    async find(website, id) {
      if (!isKey(website) || !isId(id)) return undefined;
      const [row] = await database.read(
        once(sql<ImportRow>`select ${COLUMNS} from ${IMPORTS} where ${isOf(website)} and import.id = ${id}`),
      );
      return row && toImport(row);
    },

    async begin(id, now, turn = 'own') {
      if (!isId(id)) return 'gone';
      const { count } = await database.query(
        once(sql`update import set reported_at = ${now} where id = ${id} and status = 'running'`),
      );
      if (count === 0) return 'gone';
      const isNext = async (run: Pick<Transaction, 'query'>) => {
        if (turn === 'shared') return true;
        const { rows } = await run.query(once(sql<{ isNext: boolean }>`${nextImport(id, deadline(now))}`));
        return rows[0]?.isNext === true;
      };
      // One that waits asks every second, so it takes the lock only when its turn may have come.
      if (!(await isNext(database))) return 'waits';
      return database.transaction(async (transaction) => {
        await transaction.query(once(sql`select pg_advisory_xact_lock(${LOCK_ID})`));
        if (!(await isNext(transaction))) return 'waits';
        const begun = await transaction.query(
          once(sql`update import set is_reading = true where id = ${id} and status = 'running'`),
        );
        return begun.count === 0 ? 'gone' : 'begun';
      });
    },

    async report(id, counts, now) {
      if (!isId(id)) return false;
      const { count } = await database.query(
        once(sql`
          update import set counts = ${storableJson(countsOf(counts))}::json, reported_at = ${now}
          where id = ${id} and status = 'running'`),
      );
      return count === 1;
    },

    async stageCrawlers(id, crawled) {
      if (!isId(id)) return;
      await database.transaction(async (transaction) => {
        const { rows } = await transaction.query(
          once(sql<ImportKey>`
            select number, website_number as "websiteNumber" from import
            where id = ${id} and status = 'running' for key share`),
        );
        const [running] = rows;
        if (running !== undefined) await addImportedCrawlers(transaction, running, crawled);
      });
    },

    async fail(id, problem, counts, event) {
      if (!isId(id)) return false;
      const { deliverable } = toDeliverable(event);
      const { count } = await database.query(
        once(sql`
          with failed as (
            update import set status = 'failed', problem = ${storableJson(problem)}::json,
              counts = ${storableJson(countsOf(counts))}::json
            where id = ${id} and status = 'running' returning number
          ), deliverable as (${delivering(eventsIn(sql<string>`${deliverable}`), sql`exists (select from failed)`)}),
          crawled as (delete from import_crawler_hit where import_number in (select number from failed))
          select from failed`),
      );
      return count === 1;
    },

    async findAbandoned(now) {
      const [row] = await database.read(
        once(sql<ImportRow & { readonly accountId: string }>`
          select ${COLUMNS}, account_id as "accountId" from ${IMPORTS}
          where status = 'running' and reported_at <= ${deadline(now)} order by import.number limit 1`),
      );
      if (row === undefined) return undefined;
      const { accountId, ...imported } = row;
      return { accountId, imported: toImport(imported) };
    },

    async importedDays(websiteId, period) {
      if (!isId(websiteId)) return [];
      const isOfPeriod =
        period === undefined ? sql`true` : sql`import_day.day between ${period.from}::date and ${period.to}::date`;
      const rows = await database.read(
        once(sql<Omit<ImportedDay, 'sums'> & { sums: readonly Dimension[] | null }>`
          select day::text as day, import.id as "importId", format, counts -> 'sums' as sums
          from ${IMPORTS} join import_day on import_number = import.number
          where website.id = ${websiteId} and status = 'done' and ${isOfPeriod}
          order by import_day.day, import.number`),
      );
      return rows.map(({ sums, ...row }) => (sums === null ? row : { ...row, sums }));
    },
  };
}

/**
 * Whether an import may begin: none of its account reads its file, and there is room for it behind the accounts that come first.
 * Those have an import that waits, none that reads, and their last one began earlier.
 */
function nextImport(id: string, since: Date) {
  return sql`
    with running as (
      select account_id, import.id, import.number, is_reading from ${IMPORTS}
      where status = 'running' and reported_at > ${since}
    ),
    account as (
      select account_id, bool_or(is_reading) as reads, min(number) filter (where not is_reading) as first, (
        select coalesce(max(import.number), 0) from ${IMPORTS}
        where website.account_id = running.account_id and (status <> 'running' or is_reading)
      ) as last from running group by account_id
    )
    select not own.reads and ${MAX_RUNNING_IMPORTS} > (select count(*) from running where is_reading)
      + (select count(*) from account other
         where other.account_id <> own.account_id and not other.reads and (other.last, other.first) < (own.last, own.first))
      as "isNext"
    from account own where account_id = (select account_id from running where id = ${id})`;
}

/** The last report of a process that counts as dead. */
function deadline(now: Date): Date {
  return new Date(now.getTime() - IMPORT_LEASE_MS);
}

function toImport({ counts, isReading, ...row }: ImportRow): Import {
  return { ...row, ...counts, ...(row.status === 'running' && !isReading ? { waits: true } : {}) };
}

function isKey({ accountId, websiteId }: WebsiteKey): boolean {
  return isId(accountId) && isId(websiteId);
}

function websiteGone(): DomainError {
  return new DomainError('not_found', 'The website is gone.');
}
