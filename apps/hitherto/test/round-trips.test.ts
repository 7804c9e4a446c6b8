import { randomBytes } from 'node:crypto';
import { createApi } from '@hitherto/api';
import { createAccount, issueKey } from '@hitherto/domain/access';
import { timeZone } from '@hitherto/domain/calendar';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import { createHitNotes, createVisitors } from '@hitherto/domain/hits';
import { createImporter } from '@hitherto/domain/imports';
import { createCoverageReader } from '@hitherto/domain/insight';
import { openFile } from '@hitherto/files/open-file';
import { createFailedKeyLimit, createMetrics, createServer } from '@hitherto/http';
import { openHitLookups } from '@hitherto/outside/lookups';
import { newId, now } from '@hitherto/outside/system';
import { openPostgres, type PostgresRepositories } from '@hitherto/postgres';
import { aCountedHit, aDelivery } from '@hitherto/testing/fixtures';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CountedDatabase, startCountedDatabase } from './support/counted-database.ts';

let database: CountedDatabase;
let repositories: PostgresRepositories;
let app: FastifyInstance;
let authorization: string;
/** Lookups of a key. How many there are depends on how long ago the last one was. */
let keyLookups = 0;

beforeAll(async () => {
  database = await startCountedDatabase();
  repositories = openPostgres({ connection: database.url, log: () => {} });
  await repositories.migrate();
  const issuing = { ...repositories, now, newId, randomBytes, author: COMMAND_LINE };
  const account = await createAccount(issuing, 'counted');
  authorization = `Bearer ${(await issueKey(issuing, account.id)).text}`;
  const metrics = createMetrics();
  const lookups = await openHitLookups();
  const zone = timeZone('UTC');
  const reading = { ...repositories, importFiles: { open: openFile }, lookups, zone, now, newId, randomBytes };
  const api = createApi({
    ...repositories,
    deliveries: aDelivery(repositories, now),
    importer: createImporter(reading),
    coverageReader: createCoverageReader(reading),
    access: {
      ...repositories.access,
      findKeyByHash: (hash) => {
        keyLookups += 1;
        return repositories.access.findKeyByHash(hash);
      },
    },
    visitors: createVisitors(repositories.salts, randomBytes),
    notes: createHitNotes(repositories.notedHits),
    lookups,
    zone,
    passwords: quickHasher,
    now,
    newId,
    randomBytes,
    metrics,
    version: '0.0.0-test',
    documented: [],
    lifecycle: { isPrepared: true, isStopping: false },
    failedKeys: createFailedKeyLimit(),
    rateLimitPerMinute: 600,
  });
  app = await createServer({ logger: pino({ level: 'silent' }), metrics, trustedProxies: [] }, [api]);
});

afterAll(async () => {
  await app?.close();
  await repositories?.close();
  await database?.close();
});

async function send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, more: InjectOptions = {}) {
  const response = await app.inject({ method, url, ...more, headers: { authorization, ...more.headers } });
  expect(response.statusCode, response.body).toBeLessThan(300);
  return response;
}

/** How often the work waits for the database, key lookups aside. It runs once before, so that everything is connected. */
async function roundTrips(work: () => Promise<unknown>): Promise<number> {
  await work();
  const [responses, lookedUp] = [database.readyCount(), keyLookups];
  await work();
  return database.readyCount() - responses - (keyLookups - lookedUp);
}

async function storedId(): Promise<string> {
  const response = await send('POST', '/api/v1/websites', { payload: { url: `https://${newId()}.example` } });
  return response.json<{ data: { id: string } }>().data.id;
}

describe('round trips to the database', () => {
  it('one to show a website', async () => {
    const id = await storedId();

    expect(await roundTrips(() => send('GET', `/api/v1/websites/${id}`))).toBe(1);
  });

  it('one for a page with its total, and one for a search in a small account', async () => {
    await storedId();

    expect(await roundTrips(() => send('GET', '/api/v1/websites?per_page=25'))).toBe(1);
    expect(await roundTrips(() => send('GET', '/api/v1/websites?search=example&sort=asc'))).toBe(1);
  });

  it('one for a create, and two with an Idempotency-Key', async () => {
    const headers = () => ({ 'idempotency-key': newId() });
    const payload = () => ({ url: `https://${newId()}.example` });

    expect(await roundTrips(storedId)).toBe(1);
    expect(await roundTrips(() => send('POST', '/api/v1/websites', { headers: headers(), payload: payload() }))).toBe(
      2,
    );
  });

  it('two for an update, and one if it changes nothing', async () => {
    const id = await storedId();
    const update = (name: string) => send('PATCH', `/api/v1/websites/${id}`, { payload: { exclude_params: name } });

    expect(await roundTrips(() => update(newId()))).toBe(2);
    expect(await roundTrips(() => update('same'))).toBe(1);
  });

  it('two for a delete', async () => {
    const ids = [await storedId(), await storedId()];

    expect(await roundTrips(() => send('DELETE', `/api/v1/websites/${ids.pop()}`))).toBe(2);
  });

  it('one for a batch of hits of any size', async () => {
    const websiteId = await storedId();
    const batchOf = (size: number) =>
      Array.from({ length: size }, (_, n) => aCountedHit({ websiteId, visitor: BigInt(n) }));

    expect(await roundTrips(() => repositories.hits.add(batchOf(1)))).toBe(1);
    expect(await roundTrips(() => repositories.hits.add(batchOf(2_000)))).toBe(1);
  });

  it('at most one for a key, however many concurrent requests use it', async () => {
    const id = await storedId();
    const lookedUp = keyLookups;

    await Promise.all(Array.from({ length: 20 }, () => send('GET', `/api/v1/websites/${id}`)));

    expect(keyLookups - lookedUp).toBeLessThanOrEqual(1);
  });
});
