/** How to reach the server: options of a `pg` client. There is no password; the folder's mode keeps others out. */
export interface EmbeddedConnection {
  /** The folder of the Unix socket. */
  readonly host: string;
  /** Only a part of the socket's name; no port is listened on. */
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Said outright, since a client would else take it from PGSSLMODE. */
  readonly ssl: false;
}

/** A PostgreSQL that answers. */
export interface EmbeddedPostgres {
  readonly connection: EmbeddedConnection;
  /** Ends what this call started; resolves when it is gone. A server that was only joined goes on. */
  stop(): Promise<void>;
}

/** Where the events of the embedded PostgreSQL are reported. */
export type EmbeddedLog = (
  level: 'info' | 'warn' | 'error',
  message: string,
  details?: Record<string, unknown>,
) => void;

export interface EmbeddedOptions {
  /** The folder that holds the database; made when missing. */
  dataDir: string;
  log: EmbeddedLog;
  /** Told in a few words what takes time just now. */
  onProgress?: (text: string) => void;
  /** Settings of PostgreSQL over the fixed ones, for tests: `{ fsync: 'off' }`. */
  settings?: Record<string, string>;
}
