import { expect, test } from 'vitest';
import { startPagesForTest } from './support/pages.ts';

test('shows the five numbers as the API counts them', async () => {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'public' });
  const at = (seconds: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + seconds * 1000);
  await pages.addHits(website, [
    { visitor: 1n, page: '/', time: at(0) },
    { visitor: 1n, page: '/a', time: at(61) },
    { visitor: 2n, page: '/a', time: at(0) },
    { visitor: 3n, page: '/', time: at(5) },
  ]);

  const { status, text } = await pages.send('GET', `/statistics/${website.id}`);

  expect(status).toBe(200);
  const values = [...text.matchAll(/data-metric="(\w+)" data-value="([^"]*)"/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  expect(values).toEqual([
    ['visitors', '3'],
    ['visits', '3'],
    ['pageviews', '4'],
    ['bounce_rate', '0.6667'],
    ['visit_duration', '20.3'],
  ]);
});
