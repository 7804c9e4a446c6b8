import { expect, test } from 'vitest';
import { startPagesForTest } from './support/pages.ts';

// The map of the statistics page (pages.md).

test('countries are tinted by their share of the visitors, and named for whoever cannot see the map', async () => {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'public' });
  const countries = [...Array<string>(9).fill('DE'), 'FR', 'XX', null];
  await pages.addHits(
    website,
    countries.map((country, index) => ({ visitor: BigInt(index), country })),
  );
  const show = async (query = '') => (await pages.send('GET', `/statistics/${website.id}${query}`)).text;

  const [, map = ''] = /<svg class="map"(.*?)<\/svg>/s.exec(await show()) ?? [];

  expect(map).toContain('<desc id="map-text">Germany 75\u00a0%, France 8\u00a0%</desc>');
  expect([...map.matchAll(/<path class="(m\d)"[^>]*><title>(\w+)/g)].map(([, step, name]) => [step, name])).toEqual([
    ['m3', 'Germany'],
    ['m2', 'France'],
  ]);
  const [land = ''] = /\/assets\/land-\w+\.svg/.exec(map) ?? [];
  expect((await pages.send('GET', land)).headers).toMatchObject({
    'content-type': 'image/svg+xml',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  expect(await show('?list=language')).not.toContain('class="map"');
});
