import { rm } from 'node:fs/promises';
import { newDataFolder } from '@hitherto/testing/data-folder';
import type { DatabaseProxy } from './database-proxy.ts';
import { startOwnPostgres } from './own-postgres.ts';
import { postmasterOf } from './postgres-processes.ts';
import { firstKey, type Program, startProgram } from './program.ts';

/** A service that is ready, on an own or on the embedded PostgreSQL, and a key of scope `write`. */
export interface Served {
  readonly program: Program;
  readonly key: string;
  /** Between the service and its database, where that is an own one. */
  readonly proxy?: DatabaseProxy;
  /** The server's first process just now. */
  postmaster(): number | Promise<number>;
  /** Stops everything and removes the data. */
  close(): Promise<void>;
}

/** Starts both on nothing. */
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
