import type { AccessRepository, Transfer, WebsiteRepository } from '@hitherto/domain';
import { createAccessRepository } from './access-repository.ts';
import { type Database, openDatabase } from './database.ts';
import { migrate, type SchemaState, schemaState } from './migrate.ts';
import { openPipeline } from './pipeline.ts';
import { openProbe } from './probe.ts';
import type { Connection, Log } from './settings.ts';
import { createTransfer } from './transfer.ts';
import { createWebsiteRepository } from './website-repository.ts';

export type { SchemaState } from './migrate.ts';
export type { Connection, Log } from './settings.ts';

export interface PostgresOptions {
  readonly connection: Connection;
  /** Hears of lost connections. Details hold error codes, and no host, value or statement. */
  readonly log: Log;
}

/** The repositories on one PostgreSQL database. */
export interface PostgresStore {
  readonly websites: WebsiteRepository;
  readonly access: AccessRepository;
  readonly transfer: Transfer;
  /** Runs the pending migrations and answers their names; of several instances at once, one does. */
  migrate(): Promise<readonly string[]>;
  /** Compares the database's schema with the one that this program knows. */
  schemaState(): Promise<SchemaState>;
  /** Resolves when the database answers within a second; rejects with `unavailable` where it does not. */
  ping(): Promise<void>;
  /** The pool's connections, and how many calls wait for one. */
  stats(): ReturnType<Database['stats']>;
  /** Closes all connections, once what runs on them is done. */
  close(): Promise<void>;
}

/**
 * The store on a PostgreSQL database. Nothing is connected before the first call; while the database is away, each call
 * rejects with `unavailable`, and works again once it is back.
 */
export function openPostgres({ connection, log }: PostgresOptions): PostgresStore {
  const database = openDatabase(connection, log);
  const reads = openPipeline(connection, log, async (query) => (await database.query(query)).rows);
  const probe = openProbe(connection);
  return {
    websites: createWebsiteRepository(database, reads),
    access: createAccessRepository(database, reads),
    transfer: createTransfer(database),
    migrate: () => migrate(connection),
    schemaState: () => schemaState(connection),
    ping: probe.ping,
    stats: database.stats,
    async close() {
      await Promise.all([reads.close(), database.close(), probe.close()]);
    },
  };
}
