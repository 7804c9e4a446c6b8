import { afterAll, describe, expect, test } from 'vitest';
import { SITE, startDummySite } from './site.ts';

const { api, id, inject, query } = await startDummySite();
afterAll(() => api.app.close());

describe('POST /api/v2/query', () => {
  test('knows a site by its host, if one website of the account has it, however many others do', async () => {
    const { id: shop } = await api.createWebsite({ url: 'https://www.shops.example/a' });
    for (const path of ['a', 'b']) {
      await api.createWebsite({ url: `https://www.shops.example/${path}` }, { key: api.otherKey });
    }
    const statusOf = async (site_id: string) => (await query({ site_id })).status;

    expect([await statusOf('shops.example'), await statusOf('www.shops.example')]).toEqual([200, 200]);
    await api.createWebsite({ url: 'https://www.shops.example/b' });
    expect([await statusOf('shops.example'), await statusOf('shops.example/a'), await statusOf(shop)]).toEqual([
      401, 200, 200,
    ]);
  });

  test('knows a site by its alias, its id and its address, with a key of its account alone', async () => {
    const statuses = await Promise.all(
      [SITE, id, id.toUpperCase(), 'dummy.example', 'www.dummy.example'].map(
        async (site_id) => (await query({ site_id })).status,
      ),
    );
    const unknown = await query({ site_id: 'nobody.example' });
    const other = await query({}, api.otherKey);
    const reading = await query({}, api.readKey);
    const none = await inject('POST', '/api/v2/query', {}, null);

    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    expect([unknown.status, other.status, reading.status]).toEqual([401, 401, 200]);
    expect(unknown.body).toEqual(other.body);
    expect([none.status, Object.keys(none.body)]).toEqual([401, ['error']]);
  });
});
