import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebsiteJson } from '@hitherto/testing/website-json';
import { row } from '../row.ts';
import { type ApiResponse, type Client, create, websiteIn } from '../support/client.ts';
import { findFaketime, makeFakeClock } from '../support/fake-clock.ts';
import { withNumbers } from '../support/numbers-text.ts';
import { startService } from '../support/service.ts';
import { expectResponses, isGood, startTraffic } from '../support/traffic.ts';

const DAY = 86_400;
const PER_SECOND = 15;
/** The allowance refills by twenty a second: more than the steady load uses. */
const LIMIT_PER_MINUTE = 1_200;
const WEBSITES = 15;
const LIST = '/api/v1/websites?per_page=10';

const missing = () => (findFaketime() === undefined ? 'libfaketime (Debian: apt install faketime)' : undefined);

/**
 * The service's clock jumps a day ahead or back, and later returns, which is a jump too. A create that is repeated a day
 * later by the clock may find its record expired after 24 hours: the response is then a conflict with its own website.
 */
export const clockJumps = row('clock-jumps', 6, 'jumps', { missing }, async (trials) => {
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
    await limited.request('GET', LIST, { expects: 200 });

    await traffic.stop();
    expectResponses(traffic.seen, 30_000);
    if (!traffic.seen.every(isGood)) throw new Error('There was a 503 although the database was available.');
    await traffic.check(loaded);
    responses += traffic.seen.length;
  });
  return withNumbers`${responses} concurrent requests, all 2xx; pages, ETags, repeated creates, order and limits as without a jump`;
});

/** The state before the jump. */
interface Before {
  /** All websites except the first page of them, and the link to the second page. */
  readonly ids: readonly string[];
  readonly next: string;
  readonly path: string;
  version: { readonly etag: string; readonly updatedAt: string };
  readonly once: () => Promise<ApiResponse>;
  readonly onceId: string;
}

const versionIn = (response: ApiResponse) => ({
  etag: String(response.headers.etag),
  updatedAt: websiteIn(response).updated_at,
});

async function prepare(client: Client, word: string): Promise<Before> {
  const ids: string[] = [];
  for (let n = 0; n < WEBSITES; n += 1) ids.unshift((await create(client, { url: `https://${word}-${n}.example` })).id);
  const path = `/api/v1/websites/${ids[0]}`;
  const sent = { form: { url: `https://${word}-once.example` }, headers: { 'idempotency-key': `once-${word}` } };
  const once = () => client.request('POST', '/api/v1/websites', sent);
  const { id: onceId } = websiteIn(await once());
  const { ids: first, next } = await pageAt(client, LIST);
  const all = [onceId, ...ids];
  assert.deepEqual(first, all.slice(0, first.length));
  assert.ok(next, 'There is no second page.');
  const version = versionIn(await client.request('GET', path));
  return { ids: all.slice(first.length), next, path, version, once, onceId };
}

/** Checks that everything from before the jump reads as before, and that new writes come after it. */
async function expectSame(client: Client, before: Before, word: string): Promise<void> {
  const { next, ids, path, version, once, onceId } = before;
  assert.deepEqual((await pageAt(client, next)).ids, ids, 'the rest of a walk that began before the jump');
  await client.request('GET', path, { headers: { 'if-none-match': version.etag }, expects: 304 });
  const change = { headers: { 'if-match': version.etag }, form: { exclude_params: word } };
  before.version = versionIn(await client.request('PATCH', path, { ...change, expects: 200 }));
  assert.ok(before.version.updatedAt > version.updatedAt, 'updated_at went back');
  await client.request('PATCH', path, { ...change, expects: 412 });

  const again = await once();
  const { data, existing_id }: { data?: WebsiteJson; existing_id?: string } = JSON.parse(again.text);
  const isReplay = again.status === 201 && again.headers['idempotent-replayed'] === 'true';
  if (!isReplay && again.status !== 409) throw new Error(`A repeated create has ${again.status}: ${again.text}`);
  assert.equal(data?.id ?? existing_id, onceId, 'the website of a repeated create');

  const newest = await create(client, { url: `https://${word}.example` });
  assert.equal((await pageAt(client, LIST)).ids[0], newest.id, 'the first website of the list');
  await client.request('DELETE', `/api/v1/websites/${newest.id}`, { expects: 204 });
}

/** Checks the service's clock by the timestamp of a new website. */
async function expectClock(client: Client, seconds: number): Promise<void> {
  const { id, created_at } = await create(client, { url: `https://clock-${Date.now()}.example` });
  const off = (Date.parse(created_at) - Date.now()) / 1_000;
  await client.request('DELETE', `/api/v1/websites/${id}`, { expects: 204 });
  if (Math.abs(off - seconds) > 60) throw new Error(`Set to ${seconds} s, the clock is ${Math.round(off)} s off.`);
}

const listAtOnce = (client: Client, times: number) =>
  Promise.all(Array.from({ length: times }, () => client.request('GET', LIST)));

/** Sends requests until the allowance is used up; returns the time of the last one. */
async function exhaust(client: Client): Promise<number> {
  for (;;) {
    const since = performance.now();
    if ((await listAtOnce(client, 50)).some(({ status }) => status === 429)) return since;
  }
}

/** A jump does not refill an allowance: only real time does. */
async function expectLimited(client: Client, since: number): Promise<void> {
  const responses = await listAtOnce(client, 200);
  const good = responses.filter(({ status }) => status === 200).length;
  const due = (LIMIT_PER_MINUTE / 60_000) * (performance.now() - since);
  if (good > due + 1) throw new Error(`An account at its limit had ${good} requests, ${Math.floor(due)} were due.`);
  const waits = responses.flatMap(({ status, headers }) => (status === 429 ? [Number(headers['retry-after'])] : []));
  if (Math.max(...waits) > 2) throw new Error(`An account at its limit has a Retry-After of ${Math.max(...waits)} s.`);
}

async function pageAt(client: Client, path: string): Promise<{ ids: string[]; next: string | null }> {
  const { text } = await client.request('GET', path, { expects: 200 });
  const page: { data: WebsiteJson[]; links: { next: string | null } } = JSON.parse(text);
  return { ids: page.data.map(({ id }) => id), next: page.links.next };
}
