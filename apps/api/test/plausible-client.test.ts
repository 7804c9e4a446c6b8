import { aCountedHit } from '@hitherto/domain/testing';
import Plausible from 'plausible';
import { expect, test } from 'vitest';
import { startApiForTest } from './support/api.ts';

test('a client of Plausible’s Stats API from npm reads our numbers, unmodified but for the address', async () => {
  const api = await startApiForTest();
  const { id } = await api.createWebsite({ url: 'https://dummy.site' });
  const now = api.clock.now();
  const hit = { websiteId: id, day: now.toISOString().slice(0, 10), time: now, name: null, props: null };
  await api.hits.add([
    aCountedHit({ ...hit, visitor: 1n, page: '/a', source: 'Google' }),
    aCountedHit({ ...hit, visitor: 2n, page: '/b', source: null }),
  ]);
  const client = new Plausible(api.readKey, 'dummy.site', await api.app.listen({ port: 0, host: '127.0.0.1' }));

  expect(await client.getRealtime()).toBe(2);
  expect(await client.getAggregate('day', 'visitors', true)).toEqual({ value: 2, change: 100 });
  expect(await client.getAggregate('30d', 'visitors', false, 'event:page==/a')).toEqual({ value: 1 });
  expect(await client.getTimeseries('7d', 'visitors', null, 'date')).toHaveLength(7);
  expect(await client.getBreakdown('day', 'visitors', 'visit:source')).toEqual([
    { source: 'Direct / None', visitors: 1 },
    { source: 'Google', visitors: 1 },
  ]);
  await expect(client.getAggregate('day', 'visitors', false, 'visit:city==Bern')).rejects.toThrow('visit:city');
});

test('include.imports says whether numbers of the range were imported', async () => {
  const api = await startApiForTest();
  const { id } = await api.createWebsite({ url: 'https://dummy.site' });
  const hit = { time: '2026-01-02T12:00:00Z', visitor: '1', host: 'dummy.site', page: '/', channel: 'Direct' };
  const file = `${JSON.stringify({ ...hit, device: 'desktop' })}\n`;
  const headers = { 'content-type': 'application/octet-stream' };
  const { status } = await api.send('POST', `/api/v1/websites/${id}/imports`, { body: file, headers });
  expect(status).toBe(202);
  const metaOf = async (day: string) => {
    const payload = {
      site_id: 'dummy.site',
      metrics: ['visitors'],
      date_range: [day, day],
      include: { imports: true },
    };
    const authorization = `Bearer ${api.readKey}`;
    const response = await api.app.inject({
      method: 'POST',
      url: '/api/v2/query',
      headers: { authorization },
      payload,
    });
    return response.json().meta;
  };

  expect(await metaOf('2026-01-02')).toEqual({ imports_included: true });
  expect(await metaOf('2026-01-03')).toEqual({ imports_included: false, imports_skip_reason: 'no_imported_data' });
});
