import { setTimeout as sleep } from 'node:timers/promises';
import type { StatisticsEngine } from '@hitherto/domain/engine';
import type { CountedHit } from '@hitherto/domain/hits';
import { openPostgres } from '@hitherto/postgres';
import type { Random } from '@hitherto/testing/random';
import { type ApiResponse, type Client, openClient } from './client.ts';
import type { HitService } from './service.ts';
import { until } from './until.ts';

export const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
/** Counts the stored hits of each page that starts with `prefix`. */
export type StoredHits = (prefix: string) => Promise<readonly { readonly page: string; readonly hits: number }[]>;

/** The part of a service that senders need. */
type SentTo = Pick<HitService, 'website'> & {
  readonly program: Pick<HitService['program'], 'url'>;
  readonly postgres: Pick<HitService['postgres'], 'url'>;
};

export type HitSenders = ReturnType<typeof startHitSenders>;

const SENDERS = 16;
/** The engaged seconds of each measured hit. */
const SECONDS = 7;
const AGAIN_MS = 10;
const LONGEST_MS = 20_000;

/**
 * Starts senders of hits. Each hit has its own page, so that each stored hit can be counted. A hit is sent again only if that
 * is safe: after a refused connection, or a 503 with `Retry-After` (tracker.md). A trial opens them, so that they
 * end with it, also if it fails.
 *
 * @param storedHits counts the stored hits of each page that starts with `prefix`
 * @param pauseMs how long each sender pauses after a hit
 * @param isMeasured whether each acknowledged hit is measured, twice with the same numbers
 */
export function startHitSenders(
  service: SentTo,
  random: Random,
  storedHits = hitsInPostgres(service),
  pauseMs = 0,
  isMeasured = false,
) {
  const { website } = service;
  const client = openClient(() => service.program.url, null);
  const prefix = `/${random.word(12)}-`;
  const acknowledged = new Set<string>();
  const measured = new Set<number>();
  const firstView = 1 + random.below(2 ** 30);
  let sent = 0;
  let unavailable = 0;
  let refused = 0;
  let strange: string | undefined;
  let isOver = false;

  /** Whether it may be sent again. */
  const judge = (page: string, response: ApiResponse, onAcknowledged: () => void): boolean => {
    if (response.status === 202 && response.headers['hitherto-dropped'] === undefined) onAcknowledged();
    else if (response.status === 503) unavailable += 1;
    else strange ??= `${page} gets ${response.status} ${response.text}`;
    return response.status === 503 && response.headers['retry-after'] !== undefined;
  };
  const send = async (page: string, address: string, fields: object, onAcknowledged: () => void) => {
    const body = JSON.stringify({ website, ...fields });
    const headers = { 'content-type': 'text/plain', 'user-agent': BROWSER, 'x-forwarded-for': address };
    for (let again = true; again; ) {
      try {
        again = judge(page, await client.request('POST', '/hits', { body, headers }), onAcknowledged);
      } catch (error) {
        again = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
        if (again) refused += 1;
      }
      if (again && isOver) return;
      if (again) await sleep(AGAIN_MS);
    }
  };
  const work = async () => {
    while (!isOver) {
      sent += 1;
      const [view, page, address] = [firstView + sent, `${prefix}${sent}`, `198.51.100.${random.below(250) + 1}`];
      await send(page, address, { url: `https://example.com${page}`, view }, () => acknowledged.add(page));
      const measure = { view, seconds: SECONDS, scroll: 50, age: 0 };
      // Sent again, it counts once.
      for (let times = 0; isMeasured && acknowledged.has(page) && times < 2; times += 1) {
        await send(page, address, measure, () => measured.add(view));
      }
      if (pauseMs > 0) await sleep(pauseMs);
    }
  };
  const running = Array.from({ length: SENDERS }, work);

  return {
    /** How many hits are acknowledged so far. */
    acknowledged: () => acknowledged.size,
    /** How many responses were 503. */
    unavailable: () => unavailable,
    /** How many connections were refused. */
    refused: () => refused,
    /** Waits until this many are acknowledged; returns the milliseconds that took. */
    reach: (hits: number) => {
      const complaint = () => `only ${acknowledged.size} hits were acknowledged, ${unavailable} unavailable.`;
      return until(complaint, LONGEST_MS, () => acknowledged.size >= hits);
    },
    /** Ends them once each has its response. */
    async close() {
      isOver = true;
      await Promise.all(running);
      client.close();
    },
    /**
     * Compares the stored hits with the acknowledged ones. Returns how many were acknowledged, how many neither were acknowledged
     * nor certainly failed, and how many of these are stored.
     * @throws if one was lost, stored twice, or never sent
     */
    async check() {
      const rows = await storedHits(prefix);
      const stored = new Set(rows.map(({ page }) => page));
      const lost = [...acknowledged].filter((page) => !stored.has(page));
      const twice = rows.filter(({ hits }) => hits > 1);
      if (lost.length > 0) throw new Error(`${lost.length} acknowledged hits are lost, the first: ${lost[0]}`);
      if (twice.length > 0) throw new Error(`${twice.length} hits are stored more than once: ${twice[0]?.page}`);
      if (strange !== undefined) throw new Error(strange);
      const known = acknowledged.size;
      return { acknowledged: known, unknown: sent - known, stored: stored.size - known };
    },
    /**
     * Compares the measures that PostgreSQL stores, and the mean that is read, with what was acknowledged.
     * @throws if one was lost, or counts twice
     */
    async checkMeasures(reader: Pick<Client, 'request'>) {
      const hits = await storedInPostgres(service);
      const stored = new Set(hits.flatMap(({ view, measure }) => (measure === undefined ? [] : view)));
      const lost = [...measured].filter((view) => !stored.has(view));
      if (lost.length > 0)
        throw new Error(`${lost.length} acknowledged measures are lost, the first of view ${lost[0]}`);
      const { text } = await reader.request('GET', `/api/v1/websites/${website}/statistics`, { expects: 200 });
      const { engaged_seconds: mean, measured: read } = JSON.parse(text).data;
      if (mean !== SECONDS || read !== stored.size)
        throw new Error(`${read} of ${stored.size} measures count ${mean} s.`);
    },
  };
}

function hitsInPostgres(service: SentTo): StoredHits {
  return async (prefix) => pagesOf(await storedInPostgres(service), prefix);
}

/** All hits and measures. */
async function storedInPostgres({ postgres, website }: SentTo): Promise<CountedHit[]> {
  const ports = openPostgres({ connection: postgres.url, log: () => {} });
  try {
    return await hitsOf(ports, website);
  } finally {
    await ports.close();
  }
}

/** All hits of a website. */
export async function hitsOf({ staging }: Pick<StatisticsEngine, 'staging'>, websiteId: string): Promise<CountedHit[]> {
  const hits: CountedHit[] = [];
  for await (const hit of staging.hits(websiteId)) hits.push(hit);
  return hits;
}

/** Counts the hits of each page that starts with `prefix`. */
export function pagesOf(all: readonly CountedHit[], prefix: string) {
  const pages = new Map<string, number>();
  for (const { page } of all) if (page.startsWith(prefix)) pages.set(page, (pages.get(page) ?? 0) + 1);
  return [...pages].map(([page, hits]) => ({ page, hits }));
}
