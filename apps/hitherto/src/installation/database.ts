import type { BackupPart } from '@hitherto/domain/backup';
import type { Log } from '@hitherto/domain/base';
import type { ArrivingHits, Backlog, HandOverEvent, StatisticsEngine, StatisticsStore } from '@hitherto/domain/engine';
import type { Repositories } from '@hitherto/domain/repositories';
import type { Settings } from './settings.ts';

/**
 * The repositories of the configured database, the engine that counts, and operations on them. It connects at the first
 * call.
 */
export interface OpenedDatabase extends Repositories, StatisticsEngine {
  /** Runs the pending migrations and resolves to their names. Rejects with `unavailable` while the database is away. */
  migrate(): Promise<readonly string[]>;
  /** Everything in the main database as it is at one moment, sessions apart. */
  backup(only?: 'settings'): AsyncIterable<BackupPart>;
  /** Restores a backup of this or an earlier version into an empty installation that is migrated, all or nothing. */
  restore(parts: AsyncIterable<BackupPart>): Promise<void>;
  /** Rejects if the database does not respond within a second. */
  ping(): Promise<void>;
  /** The engine, if it is outside of the database. */
  readonly outside?: OutsideEngine;
  /** The connections of the pool. */
  stats(): { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Ends jobs, and imports and their deletion, that still run in the main database. They are undone, and reject as `unavailable`. */
  interrupt(): Promise<void>;
  close(): Promise<void>;
}

/** An engine outside of the database, which may be away while hits are acknowledged. */
export interface OutsideEngine {
  /** Rejects if the engine does not respond within a second. */
  ping(): Promise<void>;
  /** The hits that wait to be handed over. */
  backlog(): Promise<Backlog>;
}

/**
 * How a database is opened. The service owns the embedded PostgreSQL, a command joins one that runs, and a companion of the
 * service waits for one. Only the service, and a command that fills an installation, create one.
 */
export interface OpenOptions {
  readonly use: 'service' | 'command' | 'filling' | 'companion';
  readonly log: Log;
  /** Reports progress of slow steps to a person. */
  readonly onProgress: (text: string) => void;
  /** Called after each commit of hits, with their number and the seconds it took. */
  readonly onCommit?: (hits: number, seconds: number) => void;
  readonly onHandOver?: (event: HandOverEvent) => void;
}

/** An engine and its store. */
interface MovableEngine extends Pick<StatisticsEngine, 'statistics' | 'maintenance'> {
  readonly store: StatisticsStore;
}

/** Both engines of a database, between which its statistics can move. */
export interface Engines {
  /** The one in PostgreSQL. */
  readonly inside: MovableEngine;
  /** The one in ClickHouse. */
  readonly outside: MovableEngine;
  /** Hits that arrive while statistics leave PostgreSQL, and while they return to it. */
  readonly leaving: ArrivingHits;
  readonly returning: ArrivingHits;
  /** The ids of existing websites by their numbers. */
  findWebsites(): Promise<ReadonlyMap<bigint, string>>;
  /** Which engine has the statistics. */
  current(): Promise<'inside' | 'outside'>;
  close(): Promise<void>;
}

export type OpenDatabase = (settings: Settings, options: OpenOptions) => Promise<OpenedDatabase>;
