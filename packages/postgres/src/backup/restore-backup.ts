import type { BackupPart, BackupTable } from '@hitherto/domain/backup';
import { DomainError } from '@hitherto/domain/base';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { columnsOf, once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import {
  AFTER_ROWS,
  BEFORE_ROWS,
  isBeforeRelease,
  isLastBeforeRelease,
  isNeedless,
  tableOf,
} from '../migrations/before-release.ts';
import { migrations } from '../migrations/index.ts';
import { BACKUP_TABLES } from './backup-tables.ts';
import { dropIndexes } from './indexes.ts';
import { storeOldHits } from './old-hits.ts';
import { addUpAllMonths, storeOldSummaries } from './old-summaries.ts';
import { executedMigrations } from './read-backup.ts';
import { dropSchema, migrateWithin } from './schema.ts';
import { continueSequences } from './sequences.ts';
import { writeValuesAlike } from './value-format.ts';

/**
 * Restores a backup into an empty installation, which is migrated to this version. The parts are read in one transaction: if one
 * is damaged or the process is killed, the installation stays empty.
 */
export async function restoreBackup(database: Database, parts: AsyncIterable<BackupPart>): Promise<void> {
  await database.transaction((transaction) => load(transaction, parts));
  // Planner and index-only scans know the rows from the start. It cannot be part of the transaction; autovacuum makes up for it.
  for (const name of BACKUP_TABLES) await database.query(once(sql`vacuum (analyze) ${sql.table(name)}`));
}

async function load(transaction: Transaction, parts: AsyncIterable<BackupPart>): Promise<void> {
  const reader = parts[Symbol.asyncIterator]();
  try {
    const start = await next(reader);
    if (start?.type !== 'start') throw new Error('A backup begins with its start.');
    await requireEmpty(transaction);
    await writeValuesAlike(transaction);
    const isBefore = isBeforeRelease(start.migrations);
    await makeSchema(transaction, isBefore ? Object.keys(migrations).slice(0, 1) : start.migrations);
    if (isBefore) for (const statement of BEFORE_ROWS) await transaction.query(once(statement));
    const restoreIndexes = await dropIndexes(transaction, BACKUP_TABLES);
    await setTriggers(transaction, 'disable');
    let part = await next(reader);
    while (part?.type === 'table') {
      const table = part;
      part = undefined;
      const rows = rowsOf(reader, (other) => {
        part = other;
      });
      if (isBefore && isNeedless(table.name)) for await (const _ of rows);
      else await loadTable(transaction, table, rows);
    }
    if (part?.type !== 'end') throw new Error('A backup ends with its end.');
    // The reader checks the end, too.
    if ((await next(reader)) !== undefined) throw new Error('A backup has nothing after its end.');
    if (isBefore) {
      await storeOldSummaries(transaction);
      await storeOldHits(transaction);
      for (const statement of AFTER_ROWS) await transaction.query(once(statement));
    }
    await setTriggers(transaction, 'enable');
    await continueSequences(transaction, part.sequences);
    await restoreIndexes();
    if (isBefore) await addUpAllMonths(transaction);
    await migrateWithin(transaction);
  } finally {
    await reader.return?.();
  }
}

async function next(reader: AsyncIterator<BackupPart>): Promise<BackupPart | undefined> {
  const { done, value } = await reader.next();
  return done === true ? undefined : value;
}

/** The rows until another part comes, which `onOther` gets. */
async function* rowsOf(
  reader: AsyncIterator<BackupPart>,
  onOther: (part: BackupPart | undefined) => void,
): AsyncGenerator<Buffer> {
  for (;;) {
    const part = await next(reader);
    if (part?.type !== 'rows') return onOther(part);
    yield Buffer.from(part.bytes.buffer, part.bytes.byteOffset, part.bytes.byteLength);
  }
}

/** No other transaction can add anything until this one ends. */
async function requireEmpty(transaction: Transaction): Promise<void> {
  await transaction.query(once(sql`lock table account, website, journal_batch, book in access exclusive mode`));
  const { rows } = await transaction.query(
    once(sql<{ found: boolean }>`
      select exists (select from account) or exists (select from website) or exists (select from journal_batch)
        or exists (select from book) as found`),
  );
  if (rows[0]?.found !== false) {
    throw new DomainError('not_empty', 'The database already has accounts; restore needs an empty one.');
  }
}

/** Throws if a backup with these migrations is of a later version; {@link restoreBackup} does too. */
export function rejectLaterBackup(wanted: readonly string[]): void {
  if (isLastBeforeRelease(wanted)) return;
  if (isBeforeRelease(wanted)) {
    throw new Error(
      'An unreleased version of Hitherto made the backup. Only backups of the last unreleased version can be restored.',
    );
  }
  const unknown = wanted.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return;
  const told = `it has the migrations ${unknown.join(', ')}`;
  throw new Error(`The backup is of a later version of Hitherto (${told}). Restore it with that version.`);
}

/** Leaves empty tables as these migrations make them. */
async function makeSchema(transaction: Transaction, wanted: readonly string[]): Promise<void> {
  rejectLaterBackup(wanted);
  const known = Object.keys(migrations);
  const last = wanted.at(-1);
  if (last === undefined || wanted.some((name, place) => name !== known[place])) {
    throw new Error('The backup lacks migrations. No version of Hitherto has made it.');
  }
  const executed = await executedMigrations(transaction);
  if (executed.some((name) => !known.includes(name))) {
    throw new Error(
      'A later version of Hitherto has migrated the database. Restore with that version, or into a new database.',
    );
  }
  if (wanted.length < executed.length) {
    await dropSchema(transaction);
    await migrateWithin(transaction, last);
  }
  // Sessions and links refer to keys and people, and secrets of the database are made anew.
  for (const name of ['session', 'person_link', 'local_secret'])
    await transaction.query(once(sql`delete from ${sql.table(name)}`));
}

/** Rows come as they were stored, with everything that triggers had noted. */
async function setTriggers(transaction: Transaction, state: 'enable' | 'disable'): Promise<void> {
  const { rows } = await transaction.query(
    once(sql<{ name: string }>`
      select distinct tgrelid::regclass::text as name from pg_trigger
      where not tgisinternal
        and tgrelid in (select to_regclass(name) from unnest(${[...BACKUP_TABLES]}::text[]) listed (name))`),
  );
  for (const { name } of rows) {
    await transaction.query(once(sql`alter table ${sql.raw(name)} ${sql.raw(state)} trigger user`));
  }
}

async function loadTable(
  transaction: Transaction,
  { name, columns }: BackupTable,
  rows: AsyncIterable<Buffer>,
): Promise<void> {
  const table = sql.table(tableOf(name));
  // Migrations write first rows. Those of tables that are not in the backup stay.
  if (tableOf(name) === name) await transaction.query(once(sql`delete from ${table}`));
  const copy = once(sql`copy ${table} (${columnsOf(columns)}) from stdin`).text;
  await transaction.copy(copy, rows);
}
