import { aCountedHit } from '@hitherto/testing/fixtures';
import { beforeAll, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';

// docs/switch/plausible.md: a week that begins before the range has the label of the range's first day. 4 September 2024 is a
// Wednesday.

let api: Api;
let id: string;
beforeAll(async () => {
  api = await startApi();
  ({ id } = await api.createWebsite({ url: 'https://dummy.site' }));
  const days = ['2024-08-28', '2024-09-03', '2024-09-04', '2024-09-08', '2024-09-09', '2024-09-20'];
  await api.hits.add(days.map((day) => aCountedHit({ websiteId: id, time: new Date(`${day}T10:00:00Z`) })));
});

const WEEKS = ['2024-09-04', '2024-09-09', '2024-09-16'];

async function answer(method: 'GET' | 'POST', url: string, payload?: object) {
  const headers = { authorization: `Bearer ${api.readKey}` };
  const response = await api.app.inject({ method, url, headers, ...(payload && { payload }) });
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}
const query = (more: object) =>
  answer('POST', '/api/v2/query', {
    site_id: id,
    metrics: ['visitors'],
    date_range: ['2024-09-04', '2024-09-20'],
    dimensions: ['time:week'],
    ...more,
  });

test('version 2 names the first week by the first day of the range, in rows and labels', async () => {
  const { results, meta } = await query({ include: { time_labels: true } });

  expect(results).toEqual([
    { dimensions: ['2024-09-04'], metrics: [2] },
    { dimensions: ['2024-09-09'], metrics: [1] },
    { dimensions: ['2024-09-16'], metrics: [1] },
  ]);
  expect(meta.time_labels).toEqual(WEEKS);
});

test('comparisons name the weeks of each period so', async () => {
  const custom = { mode: 'custom', date_range: ['2024-08-28', '2024-09-13'] };
  const { results } = await query({ include: { comparisons: custom } });

  expect(results).toMatchObject([
    { dimensions: ['2024-09-04'], metrics: [2], comparison: { dimensions: ['2024-08-28'], metrics: [1] } },
    { dimensions: ['2024-09-09'], metrics: [1], comparison: { dimensions: ['2024-09-02'], metrics: [3] } },
    { dimensions: ['2024-09-16'], metrics: [1], comparison: { dimensions: ['2024-09-09'], metrics: [1] } },
  ]);
});

test('version 1 names weeks likewise', async () => {
  const period = 'period=custom&date=2024-09-04,2024-09-20&interval=week';
  const { results } = await answer('GET', `/api/v1/stats/timeseries?${period}&metrics=visitors&site_id=${id}`);

  expect(results).toEqual([2, 1, 1].map((visitors, index) => ({ date: WEEKS[index], visitors })));
});

test('months have the label of their first day, as with Plausible', async () => {
  const { results, meta } = await query({ dimensions: ['time:month'], include: { time_labels: true } });

  expect(results).toEqual([{ dimensions: ['2024-09-01'], metrics: [4] }]);
  expect(meta.time_labels).toEqual(['2024-09-01']);
});
