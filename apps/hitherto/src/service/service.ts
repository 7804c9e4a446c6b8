import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { createApi } from '@hitherto/api';
import { DomainError, listAccounts } from '@hitherto/domain';
import { createMetrics, createServer, describeError, HTTP_TIMEOUTS, type Tls } from '@hitherto/http';
import closeWithGrace from 'close-with-grace';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Context } from '../cli/context.ts';
import type { Store } from '../cli/store.ts';
import { type Config, ConfigError, loadConfig } from '../config.ts';
import { issueFirstKey } from './first-key.ts';
import { createLogger } from './logger.ts';

const FIRST_RETRY_MS = 250;
/** With the 2 s that a connection may take to fail, a database that comes is found within 3 s. */
const LAST_RETRY_MS = 1_000;
/** How often records of stores are dropped that can no longer be repeated. */
const CLEANING_INTERVAL_MS = 10 * 60_000;

/** Serves until SIGINT or SIGTERM. */
export async function serve(context: Context): Promise<void> {
  const config = loadConfig(context.env, tlsFaults);
  const tls = config.tls && readTls(config.tls);
  const logger = createLogger(config.logLevel);
  const stopping = new AbortController();

  const store = await context.openStore(config, {
    use: 'service',
    log: (level, message, details) => logger[level](details ?? {}, message),
    onProgress: (text) => context.tell(`${text}\n`),
  });
  let app: FastifyInstance | undefined;
  const stop = async () => {
    stopping.abort();
    await app?.close();
    await store.close();
  };

  try {
    let prepared = false;
    const metrics = createMetrics(gaugesOf(context, store));
    const api = createApi({
      ...context,
      ...store,
      metrics,
      isPrepared: () => prepared,
      ping: () => store.ping(),
      rateLimitPerMinute: config.rateLimitPerMinute,
    });
    const { trustedProxies } = config;
    app = await createServer({ logger, metrics, trustedProxies, ...(tls === undefined ? {} : { tls }) }, [api]);
    await listen(app, config);
    closeWithGrace({ delay: HTTP_TIMEOUTS.stop, logger: false }, async ({ err }) => {
      if (err !== undefined) logger.fatal({ error: describeError(err) }, 'stopping after an error');
      await stop();
      logger.flush?.();
      if (err !== undefined) process.exitCode = 1;
    });

    const url = addressOf(app, config);
    await prepare(store, logger, stopping.signal, () =>
      config.databaseUrl === undefined ? welcome(context, store, url) : adviseAccount(store, logger),
    );
    if (stopping.signal.aborted) return;
    prepared = true;
    logger.info({ url }, 'ready');
    void cleanRegularly(store, logger, stopping.signal);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listen(app: FastifyInstance, { host, port, tls }: Config): Promise<void> {
  // Fastify does not see that the server it was given speaks https.
  const listenTextResolver = (url: string) =>
    `listening at ${tls === undefined ? url : url.replace('http:', 'https:')}`;
  try {
    await app.listen({ host, port, listenTextResolver });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown error';
    throw new ConfigError(
      `Cannot listen on HOST ${host}, PORT ${port} (${code}): stop what uses the port, or set PORT or HOST to another.`,
    );
  }
}

/**
 * Brings the database up to date and takes the first steps in it, waiting for it as long as it is away. Anything else that
 * fails is for the operator to mend.
 */
async function prepare(
  store: Store,
  logger: FastifyBaseLogger,
  signal: AbortSignal,
  firstSteps: () => Promise<void>,
): Promise<void> {
  for (let wait = FIRST_RETRY_MS; !signal.aborted; wait = Math.min(2 * wait, LAST_RETRY_MS)) {
    try {
      const applied = await store.migrate();
      if (applied.length > 0) logger.info({ applied }, 'the schema is up to date');
      await firstSteps();
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof DomainError && error.code === 'unavailable')) throw error;
      logger.warn({ error: describeError(error), retry_in_ms: wait }, 'the database cannot be reached yet');
    }
    await sleep(wait, undefined, { signal }).catch(() => {});
  }
}

/** Tells the first key, once and on standard error only: no log ever holds a key. */
async function welcome(context: Context, store: Store, url: string): Promise<void> {
  const first = await issueFirstKey({ ...context, access: store.access });
  if (first === undefined) return;
  context.tell(`
Hitherto made the account "${first.account}" and an API key for it. It is not shown again:

  ${first.key}

Store a first website with it:

  curl -H 'Authorization: Bearer ${first.key}' ${url}/api/v1/websites -d url=https://example.com

`);
}

/** A database of one's own has no first account until it is asked for. */
async function adviseAccount(store: Store, logger: FastifyBaseLogger): Promise<void> {
  if ((await listAccounts(store)).length > 0) return;
  logger.warn('there is no account yet: make one with "accounts create --name NAME", and a key with "keys create"');
}

/** Cleans at once and then again and again: a service that is started often would otherwise never come to it. */
async function cleanRegularly(store: Store, logger: FastifyBaseLogger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await store.websites.deleteExpiredStoreRecords(new Date());
    } catch (error) {
      if (!signal.aborted) logger.warn({ error: describeError(error) }, 'expired records of stores not dropped');
    }
    await sleep(CLEANING_INTERVAL_MS, undefined, { signal }).catch(() => {});
  }
}

function readTls({ certFile, keyFile }: { certFile: string; keyFile: string }): Tls {
  return { cert: readFileSync(certFile), key: readFileSync(keyFile) };
}

/** What is wrong with the files of the certificate and the key. */
function tlsFaults(files: { certFile: string; keyFile: string }): string[] {
  const unread = Object.entries({ TLS_CERT: files.certFile, TLS_KEY: files.keyFile }).flatMap(([name, file]) => {
    try {
      readFileSync(file);
      return [];
    } catch (error) {
      return [`The file that ${name} names cannot be read (${(error as NodeJS.ErrnoException).code}).`];
    }
  });
  if (unread.length > 0) return unread;
  try {
    createSecureContext(readTls(files));
    return [];
  } catch {
    return ['TLS_CERT and TLS_KEY must be a certificate and its private key, both in PEM.'];
  }
}

/** Where a client on this machine finds the service. */
function addressOf(app: FastifyInstance, config: Config): string {
  const { port } = app.server.address() as AddressInfo;
  const isLocal = ['127.0.0.1', '0.0.0.0', '::', '::1'].includes(config.host);
  const host = isLocal ? 'localhost' : config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tls === undefined ? 'http' : 'https'}://${host}:${port}`;
}

function gaugesOf(context: Context, store: Store) {
  return [
    { name: 'hitherto_database_connections', help: 'Connections of the pool.', read: () => store.stats().total },
    {
      name: 'hitherto_database_connections_idle',
      help: 'Idle connections of the pool.',
      read: () => store.stats().idle,
    },
    {
      name: 'hitherto_database_waiting',
      help: 'Requests that wait for a connection.',
      read: () => store.stats().waiting,
    },
    {
      name: 'hitherto_password_hashes_active',
      help: 'Password hashes being made.',
      read: () => context.passwords.load().active,
    },
    {
      name: 'hitherto_password_hashes_waiting',
      help: 'Password hashes that wait.',
      read: () => context.passwords.load().waiting,
    },
  ];
}
