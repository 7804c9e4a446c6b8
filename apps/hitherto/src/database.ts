import type { BackupPart, Log, Repositories, StatisticsEngine } from '@hitherto/domain';
import type { Settings } from './settings.ts';

/**
 * The repositories of the configured database, the engine that counts, and operations on them. It connects at the first
 * call.
 */
export interface Database extends Repositories, StatisticsEngine {
  /** Runs the pending migrations and resolves to their names. Rejects with `unavailable` while the database is away. */
  migrate(): Promise<readonly string[]>;
  /** Everything in the main database as it is at one moment, sessions apart. */
  backup(): AsyncIterable<BackupPart>;
  /** Restores a backup of this or an earlier version into an empty installation that is migrated, all or nothing. */
  restore(parts: AsyncIterable<BackupPart>): Promise<void>;
  /** Rejects if the database does not respond within a second. */
  ping(): Promise<void>;
  /** The connections of the pool. */
  stats(): { readonly total: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}

/** How a database is opened. The service owns the embedded PostgreSQL, a command joins one that runs. */
export interface OpenOptions {
  readonly use: 'service' | 'command';
  readonly log: Log;
  /** Reports progress of slow steps to a person. */
  readonly onProgress: (text: string) => void;
  /** Called after each commit of hits, with their number and the seconds it took. */
  readonly onCommit?: (hits: number, seconds: number) => void;
}

export type OpenDatabase = (settings: Settings, options: OpenOptions) => Promise<Database>;
