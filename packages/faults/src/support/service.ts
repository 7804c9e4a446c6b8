import { rm } from 'node:fs/promises';
import { newDataFolder } from '@hitherto/testing/data-folder';
import { postmasterOf } from '@hitherto/testing/proc';
import { type Client, create, openClient } from './client.ts';
import type { DatabaseProxy } from './database-proxy.ts';
import { type OwnPostgresOptions, startOwnPostgres } from './own-postgres.ts';
import { firstKey, type Program, startProgram } from './program.ts';

type Env = Readonly<Record<string, string>>;

/** The real program, ready, on its own PostgreSQL. */
export type Service = Awaited<ReturnType<typeof serve>>;
export type OwnService = Awaited<ReturnType<typeof startService>>;
export type HitService = Awaited<ReturnType<typeof startHitService>>;

/** Starts the program with these settings on an external PostgreSQL with empty data. */
export async function startService(env: Env = {}, options: OwnPostgresOptions = {}) {
  const postgres = await startOwnPostgres(options);
  const { pid, issueKey, close, proxy } = postgres;
  return Object.assign(await serve({ DATABASE_URL: postgres.url, ...env }, pid, () => issueKey(), close, proxy), {
    postgres,
  });
}

/** Starts the program on its embedded PostgreSQL with empty data. */
export async function startEmbedded() {
  const dataDir = await newDataFolder();
  const remove = () => rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  let key: Promise<string> | undefined;
  const issueKey = () => {
    key ??= firstKey(service.program);
    return key;
  };
  const service: Service = await serve({ DATA_DIR: dataDir }, () => postmasterOf(dataDir), issueKey, remove);
  return Object.assign(service, { dataDir });
}

/** Starts a service behind a proxy that names clients by `X-Forwarded-For`, with a website that collects hits. */
export async function startHitService(env: Env = {}) {
  const service = await startService({ TRUST_PROXY: '127.0.0.1', ...env });
  const key = await service.postgres.issueKey();
  return Object.assign(service, { key, website: await createWebsite(service, key) });
}

/** Creates a website whose hits are collected; returns its id. */
export async function createWebsite(service: Service, key: string): Promise<string> {
  const client = await service.openClient(key);
  const { id } = await create(client, { url: 'https://example.com', engagement: 1 });
  client.close();
  return id;
}

async function serve(
  env: Env,
  postmaster: () => number,
  issueKey: () => Promise<string>,
  remove: () => Promise<void>,
  proxy?: DatabaseProxy,
) {
  let program = await startProgram({ env });
  return {
    /** Another one after a restart. */
    get program(): Program {
      return program;
    },
    env,
    /** The first process of its PostgreSQL. */
    postmaster,
    /** Before an external PostgreSQL. */
    proxy,
    /** Starts the program again, after it has ended. */
    async restart() {
      program = await startProgram({ env });
    },
    /** A client of the program, also after a restart; by default with a key of a new account. */
    openClient: async (key?: string | null, maxSockets?: number): Promise<Client> =>
      openClient(() => program.url, key === undefined ? await issueKey() : key, maxSockets),
    /** @throws if the program has ended by itself */
    expectAlive() {
      const { exitCode, signalCode } = program.process;
      if (exitCode !== null || signalCode !== null) throw new Error(`The service ended:\n${program.output()}`);
    },
    async close() {
      await program.stop();
      await remove();
    },
  };
}
