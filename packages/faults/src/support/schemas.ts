import { openPostgres } from '@hitherto/adapters/postgres';
import pg from 'pg';

/** Migrates a database in this process, which is faster than starting the program. */
export async function migrate(url: string): Promise<void> {
  const repositories = openPostgres({ connection: url, log: () => {} });
  try {
    await repositories.migrate();
  } finally {
    await repositories.close();
  }
}

/** Makes an empty database look as if an older version had used it: its record has none of this version's migrations. */
export async function makeOld(url: string): Promise<void> {
  await ask(
    url,
    `create table schema_migration (name varchar(255) primary key, timestamp varchar(255) not null);
     create table schema_migration_lock (id varchar(255) primary key, is_locked integer default 0 not null);
     insert into schema_migration_lock values ('migration_lock', 0);
     create extension pg_trgm`,
  );
}

/** A background job makes these, at any time after the migrations. */
const MONTH_PARTITION = /\b(?:hit|visit)_\d{4}_\d{2}/;

/** Everything that migrations create: tables with columns and constraints, indexes, extensions, and the migration record. */
export async function schemaOf(url: string): Promise<string> {
  const rows = await ask<{ line: string }>(
    url,
    `select format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) as line
       from information_schema.columns where table_schema = 'public'
     union all select format('%s %s', conrelid::regclass, pg_get_constraintdef(oid))
       from pg_constraint where connamespace = 'public'::regnamespace
     union all select indexdef from pg_indexes where schemaname = 'public'
     union all select extname from pg_extension
     union all select name from schema_migration
     order by line`,
  );
  return rows.flatMap(({ line }) => (MONTH_PARTITION.test(line) ? [] : [line])).join('\n');
}

async function ask<Row extends pg.QueryResultRow>(connectionString: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
