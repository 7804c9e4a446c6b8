import { setTimeout as sleep } from 'node:timers/promises';
import type { WebsiteJson } from '@hitherto/testing/website-json';
import type { Row } from '../row.ts';
import { type ApiResponse, type Client, websiteIn } from '../support/client.ts';
import { findFaketime, makeFakeClock } from '../support/fake-clock.ts';
import { startService } from '../support/service.ts';
import { told } from '../support/told.ts';
import { expectResponses, isGood, startTraffic } from '../support/traffic.ts';

const DAY = 86_400;
const PER_SECOND = 15;
/** The allowance refills by twenty a second: more than the steady load uses. */
const LIMIT_PER_MINUTE = 1_200;
const WEBSITES = 15;
const LIST = '/api/v1/websites?per_page=10';

/**
 * The service's clock jumps a day ahead or back, and later returns, which is a jump too. A create that is repeated a day
 * later by the clock may find its record expired after 24 hours: the response is then a conflict with its own website.
 */
export const clockJumps: Row = {
  name: 'clock-jumps',
  what: 'clock jumps of ±1 day',
  required: 'no error; cursors, ETags and limits remain correct',
  unit: 'jumps',
  full: 6,
  missing: () => (findFaketime() === undefined ? 'libfaketime (Debian: apt install faketime)' : undefined),
  async run(trials) {
    const clock = await trials.open(makeFakeClock());
    const service = await trials.open(startService({ RATE_LIMIT_PER_MINUTE: String(LIMIT_PER_MINUTE), ...clock.env }));
    let responses = 0;
    await trials.each(async ({ index, random, open }) => {
      const loaded = await open(service.openClient());
      const client = await open(service.openClient());
      const limited = await open(service.openClient());
      const traffic = await open(startTraffic(loaded, random, PER_SECOND));

      const before = await prepare(client, random.word(8));
      const exhaustedAt = await exhaust(limited);
      const seconds = index % 2 === 0 ? DAY : -DAY;
      clock.set(seconds);
      await expectClock(client, seconds);
      await expectLimited(limited, exhaustedAt);
      await expectSame(client, before, `${random.word(8)}-there`);
      await sleep(500);
      clock.set(0);
      await expectClock(client, 0);
      await expectSame(client, before, `${random.word(8)}-back`);
      // Nor does a jump delay the refill of an allowance.
      await sleep(1_000);
      expectStatus(await limited.request('GET', LIST), 200, 'An account a second after its limit');

      await traffic.stop();
      expectResponses(traffic.seen, 30_000);
      if (!traffic.seen.every(isGood)) throw new Error('There was a 503 although the database was available.');
      await traffic.check(loaded);
      responses += traffic.seen.length;
    });
    return told`${responses} concurrent requests, all 2xx; pages, ETags, repeated creates, order and limits as without a jump`;
  },
};

/** The state before the jump. */
interface Before {
  readonly ids: readonly string[];
  /** The link to the second page. */
  readonly next: string;
  website: WebsiteJson;
  etag: string;
  readonly idempotent: { readonly url: string; readonly key: string; readonly id: string };
}

async function prepare(client: Client, word: string): Promise<Before> {
  const stored: ApiResponse[] = [];
  for (let n = 0; n < WEBSITES; n += 1) stored.push(await create(client, `https://${word}-${n}.example`));
  const idempotent = { url: `https://${word}-once.example`, key: `once-${word}` };
  const once = websiteIn(await create(client, idempotent.url, idempotent.key));
  const last = stored.at(-1);
  const { ids, next } = await pageAt(client, LIST);
  if (last === undefined || next === null) throw new Error('There is no second page.');
  const all = [once.id, ...stored.map((response) => websiteIn(response).id).reverse()];
  expectEqual(ids, all.slice(0, ids.length), 'The first page');
  const website = websiteIn(last);
  return {
    ids: all.slice(ids.length),
    next,
    website,
    etag: String(last.headers.etag),
    idempotent: { ...idempotent, id: once.id },
  };
}

/** Checks that everything from before the jump reads as before, and that new writes come after it. */
async function expectSame(client: Client, before: Before, word: string): Promise<void> {
  const { next, ids, website, etag, idempotent } = before;
  expectEqual((await pageAt(client, next)).ids, ids, 'The rest of a walk that began before the jump');

  const path = `/api/v1/websites/${website.id}`;
  expectStatus(await client.request('GET', path, { headers: { 'if-none-match': etag } }), 304, 'If-None-Match');
  const change = { headers: { 'if-match': etag }, form: { exclude_params: word } };
  const changed = await client.request('PATCH', path, change);
  expectStatus(changed, 200, 'If-Match');
  before.website = websiteIn(changed);
  before.etag = String(changed.headers.etag);
  if (!(before.website.updated_at > website.updated_at)) {
    throw new Error(`updated_at was ${website.updated_at}, and after a change ${before.website.updated_at}.`);
  }
  expectStatus(await client.request('PATCH', path, change), 412, 'A stale If-Match');

  const again = await create(client, idempotent.url, idempotent.key);
  const { data, existing_id }: { data?: WebsiteJson; existing_id?: string } = JSON.parse(again.text);
  const isReplay = again.status === 201 && again.headers['idempotent-replayed'] === 'true';
  if (!isReplay && again.status !== 409) throw new Error(`A repeated create has ${again.status}: ${again.text}`);
  expectEqual(data?.id ?? existing_id, idempotent.id, 'The website of a repeated create');

  const newest = websiteIn(await create(client, `https://${word}.example`));
  const [first] = (await pageAt(client, LIST)).ids;
  expectEqual(first, newest.id, 'The newest website is not the first of the list, which');
  await remove(client, newest.id);
}

/** Checks the service's clock by the timestamp of a new website. */
async function expectClock(client: Client, seconds: number): Promise<void> {
  const { id, created_at } = websiteIn(await create(client, `https://clock-${Date.now()}.example`));
  const off = (Date.parse(created_at) - Date.now()) / 1_000;
  await remove(client, id);
  if (Math.abs(off - seconds) > 60) throw new Error(`Set to ${seconds} s, the clock is ${Math.round(off)} s off.`);
}

/** Sends requests until the allowance is used up; returns the time of the last one. */
async function exhaust(client: Client): Promise<number> {
  for (;;) {
    const since = performance.now();
    const responses = await Promise.all(Array.from({ length: 50 }, () => client.request('GET', LIST)));
    if (responses.some(({ status }) => status === 429)) return since;
  }
}

/** A jump does not refill an allowance: only real time does. */
async function expectLimited(client: Client, since: number): Promise<void> {
  const responses = await Promise.all(Array.from({ length: 200 }, () => client.request('GET', LIST)));
  const good = responses.filter(({ status }) => status === 200).length;
  const due = (LIMIT_PER_MINUTE / 60_000) * (performance.now() - since);
  if (good > due + 1)
    throw new Error(`An account at its limit had ${good} requests after the jump, ${Math.floor(due)} were due.`);
  const waits = responses.flatMap(({ status, headers }) => (status === 429 ? [Number(headers['retry-after'])] : []));
  if (Math.max(...waits) > 2) throw new Error(`An account at its limit has a Retry-After of ${Math.max(...waits)} s.`);
}

function create(client: Client, url: string, idempotencyKey?: string): Promise<ApiResponse> {
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  return client.request('POST', '/api/v1/websites', { form: { url }, headers });
}

async function remove(client: Client, id: string): Promise<void> {
  expectStatus(await client.request('DELETE', `/api/v1/websites/${id}`), 204, 'delete');
}

async function pageAt(client: Client, path: string): Promise<{ ids: string[]; next: string | null }> {
  const response = await client.request('GET', path);
  expectStatus(response, 200, path);
  const page: { data: WebsiteJson[]; links: { next: string | null } } = JSON.parse(response.text);
  return { ids: page.data.map(({ id }) => id), next: page.links.next };
}

function expectStatus({ status, text }: ApiResponse, expected: number, what: string): void {
  if (status !== expected) throw new Error(`${what}: ${status} instead of ${expected}: ${text}`);
}

function expectEqual(found: unknown, expected: unknown, what: string): void {
  if (JSON.stringify(found) !== JSON.stringify(expected)) {
    throw new Error(`${what} is ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}.`);
  }
}
