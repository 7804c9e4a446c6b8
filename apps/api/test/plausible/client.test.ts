import Plausible from 'plausible';
import { expect, onTestFinished, test } from 'vitest';
import { aHit, startSite, TODAY } from './site.ts';

/** A website that nobody else uses. */
async function startDummy(hits: Parameters<typeof startSite>[0]['hits'] = []) {
  const site = await startSite({ name: 'dummy.site', website: { url: 'https://dummy.site' }, hits });
  onTestFinished(() => site.api.app.close());
  return site;
}

test('a client of Plausible’s Stats API from npm reads our numbers, unmodified but for the address', async () => {
  const { api } = await startDummy([
    aHit(1n, TODAY, '12:00', { page: '/a', source: 'Google' }),
    aHit(2n, TODAY, '12:00', { page: '/b' }),
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
  const { api, id, query } = await startDummy();
  const hit = { time: '2026-01-02T12:00:00Z', visitor: '1', host: 'dummy.site', page: '/', channel: 'Direct' };
  const file = `${JSON.stringify({ ...hit, device: 'desktop' })}\n`;
  const headers = { 'content-type': 'application/octet-stream' };
  const { status } = await api.send('POST', `/api/v1/websites/${id}/imports`, { body: file, headers });
  expect(status).toBe(202);
  const metaOf = async (day: string) =>
    (await query({ date_range: [day, day], include: { imports: true } }, api.readKey)).body.meta;

  expect(await metaOf('2026-01-02')).toEqual({ imports_included: true });
  expect(await metaOf('2026-01-03')).toEqual({ imports_included: false, imports_skip_reason: 'no_imported_data' });
});
