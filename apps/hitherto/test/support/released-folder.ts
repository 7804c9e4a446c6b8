import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BackupPart, BackupTable } from '@hitherto/domain/backup';
import { startEmbeddedPostgres } from '@hitherto/embedded-postgres';
import { newDataFolder } from '@hitherto/testing/data-folder';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { readBlocks } from '../../src/backup/blocks.ts';
import { noCounts, readParts } from '../../src/backup/parts.ts';
import { RELEASES_FOLDER } from './releases.ts';

/** As Kysely's migrator makes them. */
const MIGRATION_TABLES = `
  create table schema_migration (name varchar(255) primary key, timestamp varchar(255) not null);
  create table schema_migration_lock (id varchar(255) primary key, is_locked integer default 0 not null);
  insert into schema_migration_lock values ('migration_lock', 0);`;

/** A data folder as the release left it: its schema, from its own statements, with the rows of its backup. The caller removes it. */
export async function releasedDataFolder(version: string): Promise<string> {
  const dataDir = await newDataFolder();
  const server = await startEmbeddedPostgres({ dataDir, log: () => {} });
  const client = new pg.Client(server.connection);
  await client.connect();
  try {
    await client.query(await readFile(join(RELEASES_FOLDER, version, 'schema.sql'), 'utf8'));
    await client.query(MIGRATION_TABLES);
    // Rows come as triggers left them, in any order.
    await client.query('set session_replication_role = replica');
    await load(client, partsOf(version));
  } finally {
    await client.end();
    await server.stop();
  }
  return dataDir;
}

/** The backup of a release. */
export function backupOf(version: string): string {
  return join(RELEASES_FOLDER, version, 'hitherto.backup');
}

/** The migrations that the release had. */
export async function migrationsOf(version: string): Promise<readonly string[]> {
  for await (const part of partsOf(version)) if (part.type === 'start') return part.migrations;
  return [];
}

function partsOf(version: string): AsyncIterable<BackupPart> {
  return readParts(readBlocks(createReadStream(backupOf(version))), noCounts());
}

async function load(client: pg.Client, parts: AsyncIterable<BackupPart>): Promise<void> {
  let table: BackupTable | undefined;
  for await (const part of parts) {
    switch (part.type) {
      case 'start':
        await client.query(`insert into schema_migration select unnest($1::text[]), now()::text`, [part.migrations]);
        break;
      case 'table':
        table = part;
        await client.query(`delete from ${part.name}`);
        break;
      case 'rows': {
        const copy = client.query(copyFrom(`copy ${table?.name} (${table?.columns.join(', ')}) from stdin`));
        await pipeline(Readable.from([part.bytes]), copy);
        break;
      }
      default:
        for (const { table: of, column, last } of part.sequences) {
          await client.query(`select setval(pg_get_serial_sequence($1, $2), $3)`, [of, column, last]);
        }
    }
  }
}
