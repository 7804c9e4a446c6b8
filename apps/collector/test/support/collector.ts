import type { AccessRepository } from '@hitherto/domain/access';
import { timeZone } from '@hitherto/domain/calendar';
import { type CrawlerHits, createHitNotes, createVisitors, type HitLookups } from '@hitherto/domain/hits';
import type { Website } from '@hitherto/domain/websites';
import { createFailedKeyLimit, createMetrics, createServer } from '@hitherto/http';
import { createInMemoryRepositories } from '@hitherto/memory';
import { aWebsite } from '@hitherto/testing/fixtures';
import inject, { type InjectOptions } from 'light-my-request';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createCollector } from '../../src/collector.ts';
import { createDirectory } from './directory.ts';
import { createFakeHits } from './fake-hits.ts';

export const ID = aWebsite().id;
export const URL_OF_PAGE = 'https://ex.com/page';
/** What a browser sends besides. */
export const BROWSER = { 'user-agent': 'Mozilla/5.0 é', 'accept-language': 'de-CH,de;q=0.9' };

const LOOKUPS: HitLookups = {
  crawlerOf: (userAgent) => (userAgent.includes('bot') ? { operator: userAgent, purpose: 'other' } : undefined),
  deviceOf: () => ({ browser: 'Firefox', os: 'Linux', device: 'desktop' }),
  countryOf: (ip) => (ip.startsWith('198.51.100.') ? 'DE' : null),
  networkOf: (ip) => (ip.startsWith('192.0.2.') ? 'hosting' : null),
  sourceOf: () => undefined,
  sourceNamed: () => undefined,
  isSpamReferrer: (host) => host === 'spam.example',
};

export interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A collector alone on a server, over fakes. `ex.com` is its website unless others are given. */
export async function serveCollector({
  accountId = 'é',
  access = createInMemoryRepositories().access,
  websites = [aWebsite({ url: 'https://ex.com' })],
  isLimited = false,
  trustedProxies = [],
  logLevel = 'info',
  ...paths
}: {
  accountId?: string;
  access?: AccessRepository;
  websites?: readonly Website[];
  isLimited?: boolean;
  trustedProxies?: readonly string[];
  logLevel?: string;
  scriptPaths?: readonly string[];
  hitPaths?: readonly string[];
} = {}) {
  const hits = createFakeHits();
  const crawled: CrawlerHits[] = [];
  const lifecycle = { isPrepared: true, isStopping: false };
  const directory = createDirectory(...websites.map((website) => ({ accountId, website })));
  const lines: string[] = [];
  const logger = pino({ level: logLevel }, { write: (line: string) => lines.push(line) });
  const metrics = createMetrics();
  const collector = createCollector({
    directory,
    hits,
    crawlers: { add: (one) => void crawled.push(one) },
    visitors: createVisitors(
      { saltOf: async (_day, fresh) => fresh, deleteBefore: async () => 0 },
      (size) => new Uint8Array(size),
    ),
    notes: createHitNotes({ add: () => {} }),
    lookups: LOOKUPS,
    zone: timeZone('UTC'),
    lifecycle,
    access,
    failedKeys: createFailedKeyLimit(),
    now: () => new Date('2026-11-20T12:00:00.000Z'),
    metrics,
    rateLimitPerMinute: isLimited ? 600 : 0,
    ...paths,
  });
  const app = await createServer({ logger, metrics, trustedProxies }, [collector]);
  onTestFinished(() => app.close());

  const ask = async (options: InjectOptions): Promise<Sent> => {
    // The server's own listener, before Fastify's.
    const { statusCode, headers, body } = await inject(
      (request, response) => void app.server.emit('request', request, response),
      { remoteAddress: '198.51.100.7', ...options, headers: { ...BROWSER, ...options.headers } },
    );
    return { status: statusCode, headers, text: body };
  };
  /** Sends a hit as the tracker does. */
  const send = (body: object | string, headers: Record<string, string> = {}, more: InjectOptions = {}) =>
    ask({
      method: 'POST',
      url: '/hits',
      payload: typeof body === 'string' ? body : JSON.stringify(body),
      ...more,
      headers: { 'content-type': 'text/plain', ...headers },
    });
  return { app, access, lifecycle, hits, crawled, directory, lines, readMetrics: metrics.text, ask, send };
}
