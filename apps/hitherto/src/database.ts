import type {
  AccessRepository,
  HitBatchRepository,
  HitRepository,
  IdempotencyRepository,
  PageLocks,
  SaltRepository,
  SessionRepository,
  StatisticsMaintenance,
  StatisticsRepository,
  Transfer,
  WebsiteDirectory,
  WebsiteRepository,
} from '@hitherto/domain';
import type { Settings } from './settings.ts';

/** Writes one line to the log of the program; details hold no secret. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, details?: Record<string, unknown>) => void;

/** The repositories of the configured database, and operations on it. It connects at the first call. */
export interface Database {
  readonly websites: WebsiteRepository;
  readonly idempotency: IdempotencyRepository;
  readonly access: AccessRepository;
  readonly sessions: SessionRepository;
  readonly directory: WebsiteDirectory;
  readonly locks: PageLocks;
  readonly hits: HitRepository;
  readonly batches: HitBatchRepository;
  readonly salts: SaltRepository;
  readonly statistics: StatisticsRepository;
  readonly maintenance: StatisticsMaintenance;
  readonly transfer: Transfer;
  /** Runs the pending migrations and resolves to their names. Rejects with `unavailable` while the database is away. */
  migrate(): Promise<readonly string[]>;
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
  /** Tells a person what takes time. */
  readonly onProgress: (text: string) => void;
}

export type OpenDatabase = (settings: Settings, options: OpenOptions) => Promise<Database>;
