import type { SERVER } from './settings.ts';

/** How to reach the server: options of a `pg` client. There is no password; the folder's mode keeps other users out. */
export interface EmbeddedConnection extends Readonly<typeof SERVER> {
  /** The folder of the Unix socket. */
  readonly host: string;
}

/** A running PostgreSQL. */
export interface EmbeddedPostgres {
  readonly connection: EmbeddedConnection;
  /** Ends the server that this call started, and resolves when it has ended. A server that was only joined keeps running. */
  stop(): Promise<void>;
}

/**
 * Receives the events of the embedded PostgreSQL. It has the shape of the domain's `Log`, and is declared here because this
 * package imports nothing of Hitherto.
 */
export type EmbeddedLog = (
  level: 'info' | 'warn' | 'error',
  message: string,
  details?: Record<string, unknown>,
) => void;

export interface EmbeddedOptions {
  /** The folder of the database. */
  dataDir: string;
  log: EmbeddedLog;
  /** Called with a short description of a slow step. */
  onProgress?: (text: string) => void;
  /** PostgreSQL settings that override the fixed ones, for tests: `{ fsync: 'off' }`. */
  settings?: Record<string, string>;
}
