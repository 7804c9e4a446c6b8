import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';

// tracker.md: Idempotency-Key of POST /api/v1/hits.

let api: Api;
let id: string;
beforeAll(async () => {
  api = await startApi();
  id = (await api.createWebsite({ url: 'https://ex.com' })).id;
});
afterAll(() => api.app.close());

const aHit = (fields: object = {}) => ({ website: id, url: 'https://ex.com/a', ip: '192.0.2.1', ...fields });
const collect = (key: string, hits: readonly object[], sender = api.key) =>
  api.send('POST', '/api/v1/hits', { json: { hits }, headers: { 'idempotency-key': key }, key: sender });
const pageviews = async () => {
  const response = await api.send('GET', `/api/v1/websites/${id}/statistics`);
  return response.json<{ data: { pageviews: number } }>().data.pageviews;
};

describe('POST /api/v1/hits with an Idempotency-Key', () => {
  test('counts once; a repeat gets the first response even after the settings changed', async () => {
    const before = await pageviews();
    const hits = [aHit(), aHit({ automated: true }), aHit({ name: 'Signup', props: { a: 1, b: 'x' } })];

    const counted = await collect('a-key', hits);
    await api.send('PATCH', `/api/v1/websites/${id}`, { json: { exclude_ips: '192.0.2.1' } });
    const repeat = await collect('a-key', [
      aHit({ referrer: null, website: id.toUpperCase() }),
      aHit({ automated: true }),
      aHit({ props: { b: 'x', a: 1 }, name: 'Signup' }),
    ]);
    await api.send('PATCH', `/api/v1/websites/${id}`, { json: { exclude_ips: null } });

    expect(counted.text).toBe('{"data":{"counted":2,"dropped":[{"index":1,"reason":"bot"}]}}');
    expect(counted.header('idempotent-replayed')).toBeUndefined();
    expect(repeat.status).toBe(202);
    expect(repeat.text).toBe(counted.text);
    expect(repeat.header('idempotent-replayed')).toBe('true');
    expect(await pageviews()).toBe(before + 1);
  });

  test('appears once in the metrics, by outcome', async () => {
    const own = await startApi();
    onTestFinished(() => own.app.close());
    const website = (await own.createWebsite({ url: 'https://ex.com' })).id;
    const hits = [aHit({ website }), aHit({ website, automated: true }), aHit({ website })];

    for (const key of ['a-key', 'a-key']) {
      await own.send('POST', '/api/v1/hits', { json: { hits }, headers: { 'idempotency-key': key } });
    }

    const { text } = await own.send('GET', '/metrics');
    expect(text).toContain('hitherto_hits_total{outcome="counted",reason=""} 2\n');
    expect(text).toContain('hitherto_hits_total{outcome="dropped",reason="bot"} 1\n');
  });

  test('a key that is not visible ASCII is 400', async () => {
    expect((await collect('a key', [aHit()])).status).toBe(400);
  });

  test('other hits under the same key are 422', async () => {
    await collect('reused', [aHit()]);

    const other = await collect('reused', [aHit({ url: 'https://ex.com/b' })]);

    expect([other.status, other.problem().code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('the same key sent by another account is a different key', async () => {
    await collect('shared', [aHit()]);

    expect((await collect('shared', [aHit()], api.otherKey)).faults()).toEqual(['hits.0.website unknown_website']);
  });

  test('a refused batch can be corrected and sent again under its key', async () => {
    await collect('corrected', [aHit({ website: 'nonsense' })]);

    expect((await collect('corrected', [aHit()])).status).toBe(202);
  });

  test('a repeat gets the first response even if its hits are too old by then', async () => {
    const hits = [aHit({ time: api.clock.now().toISOString() })];
    const first = await collect('old', hits);
    api.clock.advance(25 * 3_600_000);

    const repeat = await collect('old', hits);
    const another = await collect('new', hits);

    expect([repeat.status, repeat.text]).toEqual([202, first.text]);
    expect(another.faults()).toEqual(['hits.0.time not_allowed']);
  });

  test('a repeat after 48 hours counts again', async () => {
    const before = await pageviews();
    await collect('later', [aHit()]);
    api.clock.advance(48 * 3_600_000);

    const again = await collect('later', [aHit()]);

    expect(again.header('idempotent-replayed')).toBeUndefined();
    expect(await pageviews()).toBe(before + 2);
  });
});
