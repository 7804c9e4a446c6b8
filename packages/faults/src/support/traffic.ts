import type { Random } from '@hitherto/testing/random';
import type { WebsiteJson } from '@hitherto/testing/website-json';
import { allWebsites, type Client, websiteIn } from './client.ts';
import { canary } from './secrets.ts';

/** The outcome of one request. Times are from `performance.now()`. */
export interface Seen {
  readonly kind: 'read' | 'write';
  readonly sentAt: number;
  readonly endedAt: number;
  /** `undefined` without a response. */
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  /** The text of the response, or the client's error without one. */
  readonly text: string;
}

/** A mix of separate reads and writes, with a record of their outcomes. */
export interface Traffic {
  /** Sends one request, and resolves when it has a response or has failed. */
  send(): Promise<void>;
  readonly seen: readonly Seen[];
  /**
   * Compares the stored data with what was acknowledged. A write without a response, or with 503, is done completely or
   * not at all.
   * @throws if that does not hold
   */
  check(reader: Client): Promise<{ readonly acknowledged: number; readonly unanswered: number }>;
}

/** What is known about a website. Writes to one website never overlap. */
interface Known {
  acknowledged: WebsiteJson | undefined;
  /** The write whose outcome is unknown, if any. */
  open: 'create' | 'update' | undefined;
  readonly params: string;
}

/** One in this many creates has a password: a hash takes more CPU than everything else together. */
const WITH_PASSWORD = 12;

/**
 * Half of the requests write: two creates for each update.
 * @param hasPasswords false if times are compared, which hashing would dominate
 */
export function openTraffic(client: Client, random: Random, hasPasswords = true): Traffic {
  const seen: Seen[] = [];
  const known = new Map<string, Known>();
  const updatable: (Known & { acknowledged: WebsiteJson })[] = [];
  const prefix = random.word(8);

  const ask = async (kind: Seen['kind'], method: string, path: string, form?: Record<string, string>) => {
    const sentAt = performance.now();
    const note = (status: number | undefined, retryAfter: unknown, text: string) =>
      void seen.push({
        kind,
        sentAt,
        endedAt: performance.now(),
        status,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
        text,
      });
    try {
      const response = await client.request(method, path, form === undefined ? {} : { form });
      note(response.status, response.headers['retry-after'], response.text);
      return response;
    } catch (error) {
      note(undefined, undefined, String(error));
      return undefined;
    }
  };

  const read = async () => {
    const some = updatable[random.below(updatable.length)];
    if (some === undefined || random.below(2) === 0) await ask('read', 'GET', '/api/v1/websites?per_page=10');
    else await ask('read', 'GET', `/api/v1/websites/${some.acknowledged.id}`);
  };
  const create = async () => {
    const url = `https://${prefix}-${known.size}.example`;
    const of: Known = { acknowledged: undefined, open: 'create', params: random.word(8) };
    known.set(url, of);
    const response = await ask('write', 'POST', '/api/v1/websites', {
      url,
      exclude_params: of.params,
      ...(hasPasswords && random.below(WITH_PASSWORD) === 0 ? { password: canary() } : {}),
    });
    if (response === undefined || response.status === 503) return;
    of.open = undefined;
    if (response.status !== 201) return;
    of.acknowledged = websiteIn(response);
    updatable.push({ ...of, acknowledged: of.acknowledged });
    known.set(url, of);
  };
  const update = async () => {
    const [last] = updatable.splice(random.below(updatable.length), 1);
    const of = last && known.get(last.acknowledged.url);
    if (last === undefined || of === undefined) return create();
    of.open = 'update';
    const form = { exclude_ips: UPDATED_IP };
    const response = await ask('write', 'PATCH', `/api/v1/websites/${last.acknowledged.id}`, form);
    if (response === undefined || response.status === 503) return;
    of.open = undefined;
    if (response.status === 200) of.acknowledged = websiteIn(response);
  };

  return {
    seen,
    send: () => {
      if (random.below(2) === 0) return read();
      return random.below(3) === 0 ? update() : create();
    },
    async check(reader) {
      const stored = new Map((await allWebsites(reader)).map((website) => [website.url, website]));
      let unanswered = 0;
      for (const [url, of] of known) {
        const website = stored.get(url);
        if (of.open !== undefined) unanswered += 1;
        if (JSON.stringify(website) === JSON.stringify(of.acknowledged)) continue;
        if (website !== undefined && of.open !== undefined && isDone(website, of)) continue;
        throw new Error(
          `${url} is ${JSON.stringify(website)}, acknowledged was ${JSON.stringify(of.acknowledged)}, open: ${of.open}.`,
        );
      }
      const acknowledged = seen.filter(({ kind, status = 0 }) => kind === 'write' && status > 0 && status < 300).length;
      return { acknowledged, unanswered };
    },
  };
}

const UPDATED_IP = '203.0.113.9';

/** Whether the open write was done completely. */
function isDone(website: WebsiteJson, { acknowledged, open, params }: Known): boolean {
  if (open === 'create') return website.exclude_params === params && website.exclude_ips === null;
  const after = { ...acknowledged, exclude_ips: UPDATED_IP, updated_at: website.updated_at };
  return JSON.stringify(website) === JSON.stringify(after);
}

/**
 * Checks that each request got a response in time: 2xx, or 503 with `Retry-After`.
 * @throws with the first request that did not
 */
export function expectResponses(seen: readonly Seen[], withinMs: number): void {
  for (const { kind, status, sentAt, endedAt, retryAfter, text } of seen) {
    const what = `A ${kind} had ${status ?? 'no response'} after ${Math.round(endedAt - sentAt)} ms`;
    if (status === undefined || (status >= 300 && status !== 503)) throw new Error(`${what}: ${text}`);
    if (status === 503 && !/^[1-9]\d*$/.test(retryAfter ?? '')) throw new Error(`${what}, without Retry-After.`);
    if (endedAt - sentAt > withinMs) throw new Error(`${what}; ${withinMs} ms are allowed.`);
  }
}

/** The time of the slowest request, in milliseconds. */
export function slowestOf(seen: readonly Seen[]): number {
  return Math.max(0, ...seen.map(({ sentAt, endedAt }) => endedAt - sentAt));
}

export const isGood = ({ status = 0 }: Seen): boolean => status >= 200 && status < 300;
