import { rm } from 'node:fs/promises';
import { newDataFolder } from '@hitherto/testing/data-folder';
import type { DatabaseProxy } from './database-proxy.ts';
import { startOwnPostgres } from './own-postgres.ts';
import { postmasterOf } from './postgres-processes.ts';
import { firstKey, type Program, startProgram } from './program.ts';

/** A ready service on an own or the embedded PostgreSQL, with a key of scope `write`. */
export interface Served {
  readonly program: Program;
  readonly key: string;
  /** The proxy between the service and its own database, if it has one. */
  readonly proxy?: DatabaseProxy;
  /** The server's current first process. */
  postmaster(): number | Promise<number>;
  /** Stops everything and removes the data. */
  close(): Promise<void>;
}

/** Starts both with empty data. */
export const SERVE = {
  async own(): Promise<Served> {
    const postgres = await startOwnPostgres();
    const program = await startProgram({ env: { DATABASE_URL: postgres.url } });
    return {
      program,
      key: await postgres.issueKey('faults'),
      proxy: postgres.proxy,
      postmaster: postgres.pid,
      async close() {
        await program.stop();
        await postgres.close();
      },
    };
  },

  async embedded(): Promise<Served> {
    const dataDir = await newDataFolder();
    const program = await startProgram({ env: { DATA_DIR: dataDir } });
    return {
      program,
      key: await firstKey(program),
      postmaster: () => postmasterOf(dataDir),
      async close() {
        await program.stop();
        await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
      },
    };
  },
};
