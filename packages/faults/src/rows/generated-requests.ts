import assert from 'node:assert/strict';
import { contractOf, type OpenApiDocument } from '@hitherto/testing/contract';
import { EXPECTED_STATUSES, type GeneratedRequest, requests } from '@hitherto/testing/requests';
import type { WebsiteJson } from '@hitherto/testing/website-json';
import fc from 'fast-check';
import { row } from '../row.ts';
import { type ApiResponse, type Client, create, type Sent, websiteIn } from '../support/client.ts';
import { startTally, type Tally } from '../support/fuzz.ts';
import { WATCHED_MEMORY } from '../support/memory.ts';
import { createKey } from '../support/program.ts';
import { startService } from '../support/service.ts';

const PER_TRIAL = 500;
const CONCURRENCY = 24;
const GONE = '01997c3e-0000-7000-8000-00000000dead';

const OPTIONS = { small: 1_000, perTrial: PER_TRIAL };

export const generatedRequests = row('generated-requests', 250_000, 'requests', OPTIONS, async (trials) => {
  const service = await trials.open(startService(WATCHED_MEMORY));
  const { postgres, env } = service;
  const tally = startTally(trials, service);
  const open = (key: string | null) => trials.open(service.openClient(key));
  const clients = {
    owner: await open(await postgres.issueKey('owner')),
    reader: await open(await createKey(env, 'owner', '--scope', 'read')),
    other: await open(await postgres.issueKey()),
    nobody: await open(null),
    bad: await open('hto_x'),
  };
  const document: OpenApiDocument = JSON.parse((await clients.nobody.request('GET', '/openapi.json')).text);
  const perform = performerOf(clients, contractOf(document), tally);
  await trials.each(async ({ index, random }) => {
    await perform(fc.sample(requests, { numRuns: PER_TRIAL, seed: random.below(2 ** 31) }));
    tally.endTrial(index);
  });
  if (trials.isFull) {
    const missing = EXPECTED_STATUSES.filter((status) => !tally.statuses.has(status));
    assert.deepEqual(missing, [], 'statuses that no response had');
  }
  return tally.found();
});

type Clients = Readonly<Record<GeneratedRequest['who'], Client>>;

/** Sends requests in concurrent batches, and checks every response. */
function performerOf(clients: Clients, contract: ReturnType<typeof contractOf>, tally: Pick<Tally, 'count'>) {
  let kept = GONE;
  let etag = '"x"';
  /** The owner's websites, which no other account may ever see. */
  const owned = new Set<string>();
  const send = async (client: Client, method: string, path: string, sent: Sent) => {
    const response = await client.request(method, path, sent);
    contract(method, path, response);
    if (response.status >= 500) throw new Error(`${method} ${path} gets ${response.status}: ${response.text}`);
    tally.count(response);
    return response;
  };
  /** A created website reads the same when it is shown and when it is sent back. */
  const checkRoundTrip = async (website: WebsiteJson) => {
    const path = `/api/v1/websites/${website.id}`;
    const { id: _, has_password: _p, created_at: _c, updated_at: _u, ...json } = website;
    const shown = await send(clients.owner, 'GET', path, {});
    const sentBack = await send(clients.owner, 'PUT', path, { json });
    // A repeated create gets the first response, even if the website has changed since.
    for (const response of [shown, sentBack]) if (response.status < 300) assert.deepEqual(websiteIn(response), website);
  };
  let others = 0;
  /** Replaces a deleted website, so that there is always one to request. */
  const createAnother = async () => {
    others += 1;
    const { id } = await create(clients.owner, { url: `https://another-${others}.example` });
    owned.add(id);
    return id;
  };
  const perform = async ({ operation, query, headers, body, who }: GeneratedRequest) => {
    const [method = '', pattern = ''] = operation.split(' ');
    const path = `${pattern}${query}`.replace('ID', kept).replace('GONE', GONE);
    const filled = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('ETAG', etag)]),
    );
    const response = await send(clients[who], method, path, { ...body, headers: { ...filled, ...body.headers } });
    if (who === 'other') expectNothingOf(owned, { method, path, response });
    if (typeof response.headers.etag === 'string') etag = response.headers.etag;
    if (response.status === 204 && method === 'DELETE') kept = await createAnother();
    if (response.status !== 201 || who !== 'owner') return;
    const website = websiteIn(response);
    // Other requests may change this website, so it is checked before they know of it.
    owned.add(website.id);
    if (response.headers['idempotent-replayed'] === undefined) await checkRoundTrip(website);
    kept = website.id;
  };
  return async (batch: readonly GeneratedRequest[]) => {
    if (kept === GONE) kept = await createAnother();
    const left = batch[Symbol.iterator]();
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (const request of left) await perform(request);
      }),
    );
  };
}

/** A key reaches only its account: another account's website is not found, and no response reveals it. */
export function expectNothingOf(
  owned: ReadonlySet<string>,
  { method, path, response }: { method: string; path: string; response: ApiResponse },
): void {
  const [named] = /[0-9a-f-]{36}/.exec(path) ?? [];
  // OPTIONS depends on the path alone.
  const isReached = method !== 'OPTIONS' && named !== undefined && owned.has(named) && response.status < 400;
  // The error response may repeat ids from the request.
  const shown = response.text.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g)?.find((id) => id !== named && owned.has(id));
  if (isReached || shown !== undefined) {
    throw new Error(`${method} ${path} of another account gets ${response.status}: ${response.text}`);
  }
}
