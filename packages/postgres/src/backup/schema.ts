import {
  type DatabaseConnection,
  Kysely,
  type MigrationProvider,
  Migrator,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { migrations } from '../migrations/index.ts';
import { MIGRATION_TABLES } from '../migrations/migrate.ts';
import { BACKUP_TABLES, LEFT_OUT_TABLES } from './backup-tables.ts';

/** Removes the tables of an installation, and the functions of their triggers. */
export async function dropSchema(transaction: Transaction): Promise<void> {
  const names = [...LEFT_OUT_TABLES, ...BACKUP_TABLES];
  const { rows } = await transaction.query(
    once(sql<{ name: string }>`
      select distinct tgfoid::regproc::text as name from pg_trigger
      where not tgisinternal and tgrelid in (select to_regclass(name) from unnest(${names}::text[]) listed (name))`),
  );
  await transaction.query(once(sql`drop table if exists ${sql.join(names.map((name) => sql.table(name)))} cascade`));
  for (const { name } of rows) await transaction.query(once(sql`drop function ${sql.raw(name)}`));
}

/** Runs the migrations up to one, or all of them, within the transaction. */
export async function migrateWithin(transaction: Transaction, last?: string): Promise<void> {
  const provider: MigrationProvider = { getMigrations: async () => migrations };
  const migrator = new Migrator({ db: within(transaction), provider, ...MIGRATION_TABLES, disableTransactions: true });
  const { error } = await (last === undefined ? migrator.migrateToLatest() : migrator.migrateTo(last));
  if (error !== undefined) throw error;
}

/** Statements of Kysely, in the transaction. */
function within(transaction: Transaction): Kysely<unknown> {
  const none = async () => {};
  const connection: DatabaseConnection = {
    async executeQuery<Row>({
      sql: text,
      parameters,
    }: {
      readonly sql: string;
      readonly parameters: readonly unknown[];
    }) {
      const { rows, count } = await transaction.query<Row>({ text, values: [...parameters] });
      return { rows, numAffectedRows: BigInt(count) };
    },
    streamQuery: () => {
      throw new Error('Migrations read no streams.');
    },
  };
  return new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => ({
        init: none,
        acquireConnection: async () => connection,
        beginTransaction: none,
        commitTransaction: none,
        rollbackTransaction: none,
        releaseConnection: none,
        destroy: none,
      }),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}
