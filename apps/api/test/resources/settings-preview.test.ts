import { createInMemoryRepositories } from '@hitherto/memory';
import { aCountedHit } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';

// cleanups.md: settings tried on the past.

let api: Api;
let path: string;
beforeEach(async () => {
  const repositories = createInMemoryRepositories();
  api = await startApi({ repositories });
  const websiteId = (await api.createWebsite()).id;
  path = `/api/v1/websites/${websiteId}/settings/preview`;
  const pages = ['/list?filter=a', '/list?Filter=b&c=1', '/list?filter=c&c=1', '/list?filter=a', '/a?x', '/old'];
  await repositories.hits.add(
    pages.map((page, index) => {
      const day = page === '/old' ? '2026-10-01' : '2026-11-20';
      const time = new Date(`${day}T10:00:00.000Z`);
      return aCountedHit({ websiteId, page, visitor: BigInt(index), day, time });
    }),
  );
});

const preview = (json: object, key = api.readKey) => api.send('POST', path, { json, key });

describe('a setting tried on the past', () => {
  test('shows which pages of 28 days would have been one, and stores nothing', async () => {
    const response = await preview({ exclude_params: 'filter' });

    expect([response.status, response.json()]).toEqual([
      200,
      {
        data: {
          pages: { before: 4, after: 3 },
          merged: [
            { into: '/list', from: ['/list?filter=a'], count: 1, pageviews: 2 },
            { into: '/list?c=1', from: ['/list?Filter=b&c=1', '/list?filter=c&c=1'], count: 2, pageviews: 2 },
          ],
          unchanged: { visits: 5, pageviews: 5, visitors: 5 },
        },
        meta: { from: '2026-10-24', to: '2026-11-20' },
      },
    ]);
    expect((await preview({ exclude_params: '' })).json()).toMatchObject({
      data: { pages: { before: 4, after: 4 }, merged: [] },
    });
  });

  test.each([
    ['exclude_ips', { exclude_params: '', exclude_ips: '203.0.113.7' }, 'not_allowed'],
    ['exclude_bots', { exclude_params: '', exclude_bots: 0 }, 'not_allowed'],
    ['exclude_params', {}, 'required'],
    ['exclude_params', { exclude_params: 'a=b' }, 'invalid_name'],
  ])('rejects %s of %j', async (field, json, code) => {
    const response = await preview(json);

    expect([response.status, response.json()]).toMatchObject([422, { errors: [{ field, code }] }]);
  });
});
