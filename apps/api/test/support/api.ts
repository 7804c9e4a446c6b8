import { randomBytes } from 'node:crypto';
import { type AccessRepository, createAccount, issueKey, type KeyOptions } from '@hitherto/domain/access';
import { type TimeZone, timeZone } from '@hitherto/domain/calendar';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import type { StatisticsEngine } from '@hitherto/domain/engine';
import { type CrawlerRepository, createHitNotes, createVisitors, type HitRepository } from '@hitherto/domain/hits';
import { createImporter } from '@hitherto/domain/imports';
import { createCoverageReader } from '@hitherto/domain/insight';
import type { Repositories } from '@hitherto/domain/repositories';
import type { WebhookClient } from '@hitherto/domain/webhooks';
import type { WebsiteRepository } from '@hitherto/domain/websites';
import { openFile } from '@hitherto/files/open-file';
import { createFailedKeyLimit, createMetrics, createServer, type GaugeToRead, type Tls } from '@hitherto/http';
import { createInMemoryRepositories } from '@hitherto/memory';
import { openHitLookups } from '@hitherto/outside/lookups';
import { newId as newRandomId } from '@hitherto/outside/system';
import { type Contract, contractOf, type OpenApiDocument } from '@hitherto/testing/contract';
import { aDelivery, fixedClock } from '@hitherto/testing/fixtures';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import type { WebsiteJson } from '@hitherto/testing/website-json';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { type ApiDependencies, createApi } from '../../src/api.ts';
import { type ApiResponse, readable } from './response.ts';

export interface Sent {
  /** The key to send; `null` for none. The account's own of scope `write` unless said otherwise. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly form?: string | Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: string | Buffer;
  readonly remoteAddress?: string;
}

/** A key that was issued for a test. */
interface Issued {
  readonly text: string;
  readonly id: string;
  readonly accountId: string;
}

export interface Api {
  readonly app: FastifyInstance;
  readonly document: OpenApiDocument;
  readonly contract: Contract;
  readonly clock: ReturnType<typeof fixedClock>;
  readonly access: AccessRepository;
  readonly websites: WebsiteRepository;
  readonly hits: HitRepository;
  readonly crawlers: CrawlerRepository;
  readonly accountId: string;
  /** Of scope `write`. */
  readonly key: string;
  /** Of scope `read`, of the same account. */
  readonly readKey: string;
  /** Of scope `write`, of another account. */
  readonly otherKey: string;
  /** What the service has logged so far. */
  log(): string;
  createAccount(name: string): Promise<unknown>;
  issue(account: string, options?: KeyOptions): Promise<Issued>;
  send(method: string, path: string, sent?: Sent): Promise<ApiResponse>;
  /** Creates a website; its url is another one each time unless said otherwise. */
  createWebsite(fields?: Readonly<Record<string, unknown>>, sent?: Sent): Promise<WebsiteJson>;
}

export interface Overrides extends Partial<Omit<ApiDependencies, 'websites' | 'access' | 'hits' | 'now' | 'metrics'>> {
  /** In place of the in-memory adapter; the caller closes them. */
  readonly repositories?: Repositories & StatisticsEngine;
  readonly clock?: ReturnType<typeof fixedClock>;
  /** The names of its two accounts. */
  readonly accounts?: readonly [string, string];
  readonly trustedProxies?: readonly string[];
  readonly tls?: Tls;
  readonly gauges?: readonly GaugeToRead[];
  /** Puts something around the repositories. */
  readonly access?: (real: AccessRepository) => AccessRepository;
  readonly websites?: (real: WebsiteRepository) => WebsiteRepository;
  readonly logLevel?: string;
  readonly zone?: TimeZone;
  readonly hits?: (real: HitRepository) => HitRepository;
  /** Accepts all deliveries unless given. */
  readonly webhookClient?: WebhookClient | undefined;
}

const lookups = await openHitLookups();

/** The service on the in-memory adapter, with two accounts; it is closed when the test ends unless `shared`. */
export async function startApi(overrides: Overrides = {}): Promise<Api> {
  const {
    access: wrapAccess,
    websites: wrapWebsites,
    logLevel,
    trustedProxies = [],
    tls,
    gauges = [],
    zone = timeZone('UTC'),
    hits: wrapHits,
    webhookClient,
    repositories = createInMemoryRepositories(zone),
    clock = fixedClock(),
    accounts: [accountName, otherName] = ['Ægir & Söhne 🦊', 'other'],
    newId = newRandomId,
    ...rest
  } = overrides;
  const lines: string[] = [];
  const access = wrapAccess?.(repositories.access) ?? repositories.access;
  const websites = wrapWebsites?.(repositories.websites) ?? repositories.websites;
  const hits = wrapHits?.(repositories.hits) ?? repositories.hits;
  const metrics = createMetrics();
  for (const gauge of gauges) metrics.gauge(gauge);
  const logger = pino({ level: logLevel ?? 'trace' }, { write: (line: string) => lines.push(line) });
  const reading = {
    ...repositories,
    websites,
    // The program reads files in a process of their own, which takes longer to start than most tests.
    importFiles: { open: openFile },
    lookups,
    zone,
    now: clock.now,
    newId,
    randomBytes,
  };
  const api = createApi({
    imports: repositories.imports,
    staging: repositories.staging,
    importer: createImporter(reading),
    coverageReader: createCoverageReader(reading),
    coverages: repositories.coverages,
    releases: repositories.releases,
    access,
    websites,
    audit: repositories.audit,
    idempotency: repositories.idempotency,
    definitions: repositories.definitions,
    links: repositories.links,
    annotations: repositories.annotations,
    cleanups: repositories.cleanups,
    recipients: repositories.recipients,
    maintenance: repositories.maintenance,
    directory: repositories.directory,
    passwords: quickHasher,
    now: clock.now,
    newId,
    randomBytes,
    metrics,
    version: '0.0.0-test',
    documented: [],
    lifecycle: { isPrepared: true, isStopping: false },
    ping: async () => {},
    failedKeys: createFailedKeyLimit(),
    rateLimitPerMinute: 0,
    statistics: repositories.statistics,
    droppedHits: repositories.droppedHits,
    crawlers: repositories.crawlers,
    zone,
    hits,
    batches: repositories.batches,
    visitors: createVisitors(repositories.salts, randomBytes),
    notes: createHitNotes(repositories.notedHits),
    lookups,
    alerts: repositories.alerts,
    findings: repositories.findings,
    webhooks: repositories.webhooks,
    webhookOutbox: repositories.webhookOutbox,
    deliveries: aDelivery(repositories, clock.now, webhookClient),
    ...rest,
  });
  const app = await createServer({ logger, metrics, trustedProxies, ...(tls === undefined ? {} : { tls }) }, [api]);

  const issuing = { ...repositories, now: clock.now, newId, randomBytes, author: COMMAND_LINE };
  const issue = async (account: string, options?: KeyOptions): Promise<Issued> => {
    const { text, key } = await issueKey(issuing, account, options);
    return { text, id: key.id, accountId: key.accountId };
  };
  const account = await createAccount(issuing, accountName);
  await createAccount(issuing, otherName);
  const [write, read, other] = await Promise.all([
    issue(account.id),
    issue(account.id, { scope: 'read' }),
    issue(otherName),
  ]);
  shared ??= describeApi(app);
  const { document, contract } = await shared;

  const send = async (method: string, path: string, sent: Sent = {}): Promise<ApiResponse> => {
    const { key = write.text } = sent;
    const [type, payload] = payloadOf(sent);
    const response = await app.inject({
      method: method as NonNullable<InjectOptions['method']>,
      url: path,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(type === undefined ? {} : { 'content-type': type }),
        ...sent.headers,
      },
      ...(payload === undefined ? {} : { payload }),
      ...(sent.remoteAddress === undefined ? {} : { remoteAddress: sent.remoteAddress }),
    });
    const raw = { status: response.statusCode, headers: response.headers, text: response.body };
    contract(method, path, raw);
    return readable(raw);
  };

  let count = 0;
  return {
    app,
    document,
    contract,
    clock,
    hits: repositories.hits,
    crawlers: repositories.crawlers,
    access: repositories.access,
    websites: repositories.websites,
    accountId: account.id,
    key: write.text,
    readKey: read.text,
    otherKey: other.text,
    log: () => lines.join(''),
    createAccount: (name) => createAccount(issuing, name),
    issue,
    send,
    createWebsite: async (fields = {}, sent = {}) => {
      count += 1;
      const json = { url: `https://site-${count}.example/é 🦊`.replace(' ', '%20'), ...fields };
      const response = await send('POST', '/api/v1/websites', { json, ...sent });
      expect(response.status, response.text).toBe(201);
      return response.website();
    },
  };
}

/** As `startApi`, closed when the test ends. */
export async function startApiForTest(overrides?: Overrides): Promise<Api> {
  const api = await startApi(overrides);
  onTestFinished(() => api.app.close());
  return api;
}

/** The document that every app serves, and the contract compiled from it: neither depends on what differs between apps. */
let shared: Promise<Pick<Api, 'document' | 'contract'>> | undefined;

async function describeApi(app: FastifyInstance): Promise<Pick<Api, 'document' | 'contract'>> {
  const { body } = await app.inject({ method: 'GET', url: '/openapi.json' });
  const document: OpenApiDocument = JSON.parse(body);
  return { document, contract: contractOf(document) };
}

function payloadOf({ form, json, body }: Sent): [string | undefined, string | Buffer | undefined] {
  if (form !== undefined) {
    const text = typeof form === 'string' ? form : new URLSearchParams(form).toString();
    return ['application/x-www-form-urlencoded', text];
  }
  if (json !== undefined) return ['application/json', JSON.stringify(json)];
  return [undefined, body];
}
