import type { Random } from '@hitherto/testing/random';
import type { WebsiteJson } from '@hitherto/testing/website-json';
import { type ApiResponse, allWebsites, type Client, websiteIn } from './client.ts';
import { startPace } from './pace.ts';
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

type Traffic = ReturnType<typeof openTraffic>;

/** The parts of the requests that read, and of the creates that set a password. */
interface Mix {
  readonly reads?: number;
  /** Hashing a password takes more CPU than everything else together: none where times are compared. */
  readonly passwords?: number;
}

/** A website as its writes show it. Writes to one website never overlap. */
interface Known {
  readonly url: string;
  /** `undefined` if it was deleted, or is not known to exist. */
  acknowledged: WebsiteJson | undefined;
  /** Its expected state after the write whose outcome is unknown: `undefined` if that was a delete. */
  open?: { readonly expected: Partial<WebsiteJson> | undefined };
}

/** Sends a mix of reads and writes, and records their outcomes. */
export function openTraffic(client: Client, random: Random, { reads = 0.5, passwords = 1 / 12 }: Mix = {}) {
  const seen: Seen[] = [];
  const known: Known[] = [];
  /** Websites without a write under way, or of unknown outcome. */
  const free: (Known & { acknowledged: WebsiteJson })[] = [];
  const prefix = random.word(8);
  let acknowledged = 0;

  const ask = async (kind: Seen['kind'], method: string, path: string, form?: Record<string, string>) => {
    const sentAt = performance.now();
    const response: ApiResponse | { readonly error: unknown } = await client
      .request(method, path, form === undefined ? {} : { form })
      .catch((error: unknown) => ({ error }));
    const outcome =
      'error' in response
        ? { status: undefined, retryAfter: undefined, text: String(response.error) }
        : { status: response.status, retryAfter: retryAfterOf(response), text: response.text };
    seen.push({ kind, sentAt, endedAt: performance.now(), ...outcome });
    return 'error' in response ? undefined : response;
  };
  const read = async () => {
    const some = free[random.below(free.length)];
    const isList = some === undefined || random.below(2) === 0;
    await ask('read', 'GET', `/api/v1/websites${isList ? '?per_page=10' : `/${some.acknowledged.id}`}`);
  };
  /** Sends a write that leads to the expected state. */
  const write = async (
    of: Known,
    [method, path]: readonly [string, string],
    expected: Partial<WebsiteJson> | undefined,
    form?: Record<string, string>,
  ) => {
    of.open = { expected };
    const response = await ask('write', method, path, form);
    // A 503 may come after the database has done the write.
    if (response === undefined || response.status === 503) return;
    delete of.open;
    if (response.status >= 300) return;
    acknowledged += 1;
    of.acknowledged = response.status === 204 ? undefined : websiteIn(response);
    if (isStored(of)) free.push(of);
  };
  const create = () => {
    const of: Known = { url: `https://${prefix}-${known.length}.example`, acknowledged: undefined };
    known.push(of);
    const password = random.next() < passwords ? { password: canary() } : {};
    const fields = { url: of.url, exclude_params: random.word(8) };
    const expected = { ...fields, exclude_ips: null, has_password: 'password' in password };
    return write(of, ['POST', '/api/v1/websites'], expected, { ...fields, ...password });
  };
  const change = () => {
    const [of] = free.splice(random.below(free.length), 1);
    if (of === undefined) return create();
    const path = `/api/v1/websites/${of.acknowledged.id}`;
    // A read could meet a deleted website.
    if (reads === 0 && random.below(3) === 0) return write(of, ['DELETE', path], undefined);
    const form = { exclude_params: random.word(8), exclude_ips: `203.0.113.${random.below(200)}` };
    const { updated_at: _, ...before } = of.acknowledged;
    return write(of, ['PATCH', path], { ...before, ...form }, form);
  };
  return {
    seen,
    /** How many writes have been acknowledged so far. */
    acknowledged: () => acknowledged,
    /** Sends one request, and resolves when it has a response or has failed. */
    send: () => (random.next() < reads ? read() : random.below(2) === 0 ? create() : change()),
    /**
     * Compares the stored data with the acknowledged writes. A write without a response, or with 503, is done completely or
     * not at all; a response other than 2xx and 503 means that nothing was done. Returns how many writes were acknowledged, how
     * many had no response, and how many of unknown outcome were done.
     * @throws if that does not hold
     */
    async check(reader: Client) {
      const stored = new Map((await allWebsites(reader)).map((website) => [website.url, website]));
      let happened = 0;
      for (const of of known) {
        const website = stored.get(of.url);
        if (JSON.stringify(website) === JSON.stringify(of.acknowledged)) continue;
        if (of.open === undefined || !isAs(website, of.open.expected)) {
          throw new Error(`${of.url} is ${JSON.stringify(website)}, and was known as ${JSON.stringify(of)}.`);
        }
        happened += 1;
      }
      const withoutResponse = seen.filter(({ kind, status }) => kind === 'write' && status === undefined).length;
      return { acknowledged, withoutResponse, happened };
    },
  };
}

function isStored(of: Known): of is Known & { acknowledged: WebsiteJson } {
  return of.acknowledged !== undefined;
}

/** Whether a website is in the state after a complete write. */
function isAs(website: WebsiteJson | undefined, expected: Partial<WebsiteJson> | undefined): boolean {
  if (website === undefined || expected === undefined) return website === expected;
  return JSON.stringify({ ...website, ...expected }) === JSON.stringify(website);
}

const retryAfterOf = ({ headers }: ApiResponse) =>
  typeof headers['retry-after'] === 'string' ? headers['retry-after'] : undefined;

/** Traffic that goes on, from a number of clients or at a rate, until it is stopped. */
export interface RunningTraffic extends Traffic {
  stop(): Promise<void>;
  /** Stops, without waiting for anything that has failed. */
  close(): Promise<void>;
}

/** Sends writes alone, from this many clients, each one request after the other. */
export function startWriters(client: Client, random: Random, count = 6): RunningTraffic {
  const traffic = openTraffic(client, random, { reads: 0, passwords: 1 });
  let isOver = false;
  const work = async () => {
    while (!isOver) await traffic.send();
  };
  const running = Promise.all(Array.from({ length: count }, work));
  const stop = async () => {
    isOver = true;
    await running;
  };
  return { ...traffic, stop, close: stop };
}

/** Sends requests at a steady rate. */
export function startTraffic(client: Client, random: Random, perSecond: number): RunningTraffic {
  const traffic = openTraffic(client, random);
  const pace = startPace(perSecond, traffic.send);
  return { ...traffic, stop: pace.stop, close: () => pace.stop().catch(() => {}) };
}

/**
 * Checks that each request got a response in time: 2xx, or 503 with `Retry-After`.
 * @throws with the first request that did not
 */
export function expectResponses(seen: readonly Seen[], withinMs = Number.POSITIVE_INFINITY): void {
  for (const { kind, status, sentAt, endedAt, retryAfter, text } of seen) {
    const what = `A ${kind} had ${status ?? 'no response'} after ${Math.round(endedAt - sentAt)} ms`;
    if (status === undefined || (status >= 300 && status !== 503)) throw new Error(`${what}: ${text}`);
    if (status === 503 && !/^[1-9]\d*$/.test(retryAfter ?? '')) throw new Error(`${what}, without Retry-After.`);
    if (endedAt - sentAt > withinMs) throw new Error(`${what}; ${withinMs} ms are allowed.`);
  }
}

export const isGood = ({ status = 0 }: Seen): boolean => status >= 200 && status < 300;

/** How many requests were done and how many were not, and the time of the slowest. */
export function outcomesOf(seen: readonly Seen[]) {
  const good = seen.filter(isGood).length;
  const slowestMs = Math.max(0, ...seen.map(({ sentAt, endedAt }) => endedAt - sentAt));
  return { good, unavailable: seen.length - good, slowestMs };
}
