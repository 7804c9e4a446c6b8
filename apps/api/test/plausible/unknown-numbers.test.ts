import { aCountedHit } from '@hitherto/testing/fixtures';
import { beforeAll, expect, test } from 'vitest';
import { startImports } from '../support/imports.ts';

// docs/switch/plausible.md: numbers that are not known are null in version 1 as in version 2.

let imports: Awaited<ReturnType<typeof startImports>>;
beforeAll(async () => {
  imports = await startImports();
  const { api, id, upload } = imports;
  // Fathom does not count visits.
  const days = ['2023-01-02', '2023-01-03'].map((day) => `${day} 00:00:00,4,2,DE\n`);
  const imported = await upload(`datetime,pageviews,visitors,country_code\n${days.join('')}`);
  expect(imported.status).toBe('done');
  await api.hits.add([aCountedHit({ websiteId: id, time: new Date('2023-01-05T10:00:00Z'), country: 'DE' })]);
});

const METRICS = 'visitors,visits,pageviews,views_per_visit,bounce_rate,visit_duration';

async function resultsOf(path: string) {
  const { api, id } = imports;
  const url = `/api/v1/stats/${path}&period=custom&metrics=${METRICS}&site_id=${id}`;
  const response = await api.app.inject({ url, headers: { authorization: `Bearer ${api.readKey}` } });
  expect(response.statusCode, response.body).toBe(200);
  return response.json().results;
}

test('totals of a period with visits that are not known have null', async () => {
  expect(await resultsOf('aggregate?date=2023-01-02,2023-01-05')).toStrictEqual({
    visitors: { value: 5 },
    visits: { value: null },
    pageviews: { value: 9 },
    views_per_visit: { value: null },
    bounce_rate: { value: null },
    visit_duration: { value: null },
  });
});

test('a change against numbers that are not known is null', async () => {
  expect(await resultsOf('aggregate?date=2023-01-05,2023-01-06&compare=previous_period')).toStrictEqual({
    visitors: { value: 1, change: -50 },
    visits: { value: 1, change: null },
    pageviews: { value: 1, change: -75 },
    views_per_visit: { value: 1, change: null },
    bounce_rate: { value: 100, change: null },
    visit_duration: { value: 0, change: null },
  });
});

test('days have null where visits are not known, and empty days where Plausible has it', async () => {
  const unknown = { visits: null, views_per_visit: null, bounce_rate: null, visit_duration: null };

  expect(await resultsOf('timeseries?date=2023-01-03,2023-01-05&interval=date')).toStrictEqual([
    { date: '2023-01-03', visitors: 2, pageviews: 4, ...unknown },
    {
      date: '2023-01-04',
      visitors: 0,
      visits: 0,
      pageviews: 0,
      views_per_visit: 0,
      bounce_rate: null,
      visit_duration: null,
    },
    {
      date: '2023-01-05',
      visitors: 1,
      visits: 1,
      pageviews: 1,
      views_per_visit: 1,
      bounce_rate: 100,
      visit_duration: 0,
    },
  ]);
});

test('values have null where visits are not known', async () => {
  expect(await resultsOf('breakdown?date=2023-01-02,2023-01-05&property=visit:country')).toStrictEqual([
    {
      country: 'DE',
      visitors: 5,
      visits: null,
      pageviews: 9,
      views_per_visit: null,
      bounce_rate: null,
      visit_duration: null,
    },
  ]);
});
