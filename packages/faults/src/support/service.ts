import { rm } from 'node:fs/promises';
import { newDataFolder } from '@hitherto/testing/data-folder';
import { type Client, openClient, websiteIn } from './client.ts';
import type { DatabaseProxy } from './database-proxy.ts';
import { type OwnPostgres, type OwnPostgresOptions, startOwnPostgres } from './own-postgres.ts';
import { postmasterOf } from './processes.ts';
import { firstKey, type Program, startProgram } from './program.ts';

/** The real program, ready, on a PostgreSQL of its own. */
export interface Service {
  /** Another one after a restart. */
  readonly program: Program;
  readonly env: Readonly<Record<string, string>>;
  /** Starts the program again, after it has ended. */
  restart(): Promise<void>;
  /** A client of the program, also after a restart; by default with a key of a new account. */
  openClient(key?: string | null, maxSockets?: number): Promise<Client>;
  /** Before an external PostgreSQL. */
  readonly proxy?: DatabaseProxy;
  /** The first process of its PostgreSQL. */
  postmaster(): number;
  /** @throws if the program has ended by itself */
  expectAlive(): void;
  close(): Promise<void>;
}

/** A service on an external PostgreSQL. */
export interface OwnService extends Service {
  readonly postgres: OwnPostgres;
}

/** Starts the program with these settings on an external PostgreSQL with empty data. */
export async function startService(
  env: Readonly<Record<string, string>> = {},
  options: OwnPostgresOptions = {},
): Promise<OwnService> {
  const postgres = await startOwnPostgres(options);
  const settings = { DATABASE_URL: postgres.url, ...env };
  const service = await serve(settings, postgres.pid, () => postgres.issueKey(), postgres.close);
  return Object.assign(service, { postgres, proxy: postgres.proxy });
}

/** Starts the program on its embedded PostgreSQL with empty data. */
export async function startEmbedded(): Promise<Service & { readonly dataDir: string }> {
  const dataDir = await newDataFolder();
  const remove = () => rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  let key: string | undefined;
  const service: Service = await serve(
    { DATA_DIR: dataDir },
    () => postmasterOf(dataDir),
    async () => {
      key ??= await firstKey(service.program);
      return key;
    },
    remove,
  );
  return Object.assign(service, { dataDir });
}

/** A service behind a proxy that names clients by `X-Forwarded-For`, with a website that collects hits. */
export interface HitService extends OwnService {
  readonly key: string;
  readonly website: string;
}

export async function startHitService(env: Readonly<Record<string, string>> = {}): Promise<HitService> {
  const service = await startService({ TRUST_PROXY: '127.0.0.1', ...env });
  const key = await service.postgres.issueKey();
  return Object.assign(service, { key, website: await createWebsite(service, key) });
}

/** Creates a website whose hits are collected; returns its id. */
export async function createWebsite(service: Service, key: string): Promise<string> {
  const client = await service.openClient(key);
  const response = await client.request('POST', '/api/v1/websites', { json: { url: 'https://example.com' } });
  client.close();
  return websiteIn(response).id;
}

async function serve(
  env: Readonly<Record<string, string>>,
  postmaster: () => number,
  issueKey: () => Promise<string>,
  remove: () => Promise<void>,
): Promise<Service> {
  let program = await startProgram({ env });
  return {
    get program() {
      return program;
    },
    env,
    postmaster,
    async restart() {
      program = await startProgram({ env });
    },
    openClient: async (key, maxSockets) =>
      openClient(() => program.url, key === undefined ? await issueKey() : key, maxSockets),
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
