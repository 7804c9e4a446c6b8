import { EXPECTED_STATUSES, requests } from '@hitherto/testing/requests';
import { runs } from '@hitherto/testing/runs';
import type { WebsiteJson } from '@hitherto/testing/website-json';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Api, startApiForTest } from './support/api.ts';

// Whatever is sent, the service responds, and every response conforms to the contract; `send` checks that. The seed is
// printed, so that a failure can be repeated: FUZZ_SEED=… in front of the command.

const REQUESTS = runs(600, 20_000);
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`${REQUESTS} generated requests: no 5xx, and every response conforms to the contract (seed ${seed})`, {
  timeout: 120_000,
}, async () => {
  const api = await startApiForTest({ logLevel: 'silent' });
  const keys: Readonly<Record<string, string | null>> = {
    owner: api.key,
    reader: api.readKey,
    other: api.otherKey,
    nobody: null,
    bad: 'hto_x',
  };
  const statuses = new Map<number, number>();
  let kept = await api.createWebsite();
  let etag = '';
  /** The owner's websites, which no other account may see. */
  const owned = new Set<string>();

  await fc.assert(
    fc.asyncProperty(requests, async (generated) => {
      const [method = '', path = ''] = generated.operation.split(' ');
      const filled = `${path}${generated.query}`
        .replace('ID', kept.id)
        .replace('GONE', '01997c3e-0000-7000-8000-00000000dead');
      const sentHeaders = Object.fromEntries(
        Object.entries(generated.headers).map(([name, value]) => [name, value.replace('ETAG', etag)]),
      );
      const response = await api.send(method, filled, {
        ...generated.body,
        headers: { ...sentHeaders, ...generated.body.headers },
        key: keys[generated.who] ?? null,
      });

      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      expect(response.status, response.text).toBeLessThan(500);
      owned.add(kept.id);
      if (generated.who === 'other') {
        const [named = ''] = /[0-9a-f-]{36}/.exec(filled) ?? [];
        // OPTIONS is about the path only, whether a website is there or not.
        if (owned.has(named) && method !== 'OPTIONS') {
          expect(response.status, response.text).toBeGreaterThanOrEqual(400);
        }
        // An error response may repeat the ids of its request.
        const shown = response.text.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g)?.filter((id) => id !== named && owned.has(id));
        expect(shown ?? [], response.text).toEqual([]);
      }
      etag = response.header('etag') ?? etag;
      if (response.status === 201 && generated.who === 'owner') kept = await checked(api, response.website());
      if (response.status === 204 && method === 'DELETE') kept = await api.createWebsite();
    }),
    { numRuns: REQUESTS, seed, endOnFailure: true, skipAllAfterTimeLimit: 100_000 },
  );

  const spread = Object.fromEntries([...statuses].sort(([a], [b]) => a - b));
  console.log(`fuzz: seed ${seed}, responses by status ${JSON.stringify(spread)}`);
  for (const status of EXPECTED_STATUSES) {
    expect(spread, `no response was ${status}`).toHaveProperty(String(status));
  }
});

/** Expects that the website is shown unchanged, and that sending it back changes nothing. */
async function checked(api: Api, website: WebsiteJson): Promise<WebsiteJson> {
  const path = `/api/v1/websites/${website.id}`;
  const { id: _, has_password: _p, created_at: _c, updated_at: _u, ...fields } = website;
  const shown = await api.send('GET', path);
  const sentBack = await api.send('PUT', path, { json: fields });

  if (shown.status === 200) expect(shown.website()).toEqual(website);
  expect(sentBack.website()).toEqual(website);
  return website;
}
