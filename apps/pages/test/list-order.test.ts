import type { CountedHit } from '@hitherto/domain/hits';
import { describe, expect, test } from 'vitest';
import { startPagesForTest } from './support/pages.ts';

// The clock stands still at 2026-11-20, 12:00 UTC.

const hits = (source: string | null, visitors: number, first: number, hit: Partial<CountedHit> = {}) =>
  Array.from({ length: visitors }, (_, index) => ({ visitor: BigInt(first + index), source, ...hit }));
const DAY_BEFORE = { day: '2026-11-19', time: new Date('2026-11-19T08:00:00Z') };

async function start(all: readonly Partial<CountedHit>[]) {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'public' });
  await pages.addHits(website, all);
  const path = `/statistics/${website.id}/by/source`;
  const show = async (address: string) => (await pages.send('GET', address)).text;
  return { path, show };
}

const valuesIn = (text: string) => [...text.matchAll(/<tr data-value(?:="([^"]*)")?>/g)].map(([, value = '']) => value);
const linkIn = (text: string, name: string) =>
  new RegExp(`<a href="([^"]*)">${name}</a>`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
const sortedIn = (text: string) =>
  /<th scope="col"[^>]*aria-sort="(\w+)"[^>]*><a href="[^"]*">([^<]*)</.exec(text)?.slice(1, 3);

describe('the order of a list', () => {
  test('is that of the column whose head was clicked, and the other way round after a second click', async () => {
    const { path, show } = await start([
      ...hits('b', 3, 1),
      ...hits('a', 1, 10, { time: new Date('2026-11-20T10:00:00Z') }),
      ...hits('a', 1, 10, { time: new Date('2026-11-20T10:10:00Z') }),
      ...hits('C', 2, 20),
    ]);

    const usual = await show(path);
    const byDuration = await show(linkIn(usual, 'Duration'));
    const shortest = await show(linkIn(byDuration, 'Duration'));
    const byName = await show(linkIn(usual, 'Source'));

    expect([valuesIn(usual), sortedIn(usual)]).toEqual([
      ['b', 'C', 'a'],
      ['descending', 'Visitors'],
    ]);
    expect([valuesIn(byDuration), sortedIn(byDuration)]).toEqual([
      ['a', 'C', 'b'],
      ['descending', 'Duration'],
    ]);
    expect([valuesIn(shortest), sortedIn(shortest)]).toEqual([
      ['C', 'b', 'a'],
      ['ascending', 'Duration'],
    ]);
    expect([valuesIn(byName), sortedIn(byName)]).toEqual([
      ['a', 'b', 'C'],
      ['ascending', 'Source'],
    ]);
  });

  test('can be that of the change', async () => {
    const { path, show } = await start([
      ...hits('rose', 3, 1),
      ...hits('fell', 5, 10),
      ...hits('rose', 1, 20, DAY_BEFORE),
      ...hits('fell', 7, 30, DAY_BEFORE),
    ]);

    const text = await show(`${path}?period=today&sort=change`);

    expect(valuesIn(text)).toEqual(['rose', 'fell']);
    expect(valuesIn(await show(`${path}?period=today&sort=change&compare=none`))).toEqual(['fell', 'rose']);
  });

  test('stays in its pages, and faulty parameters are ignored', async () => {
    const many = Array.from({ length: 150 }, (_, index) => hits(`s${String(index).padStart(3, '0')}`, 1, index)).flat();
    const { path, show } = await start(many);

    const first = await show(`${path}?sort=value&order=desc`);
    const second = await show(linkIn(first, 'Next'));
    const back = await show(linkIn(second, 'Previous'));

    expect([valuesIn(first)[0], valuesIn(first).length]).toEqual(['s149', 100]);
    expect([valuesIn(second)[0], valuesIn(second).length, linkIn(second, 'Next')]).toEqual(['s049', 50, '']);
    expect(valuesIn(back)).toEqual(valuesIn(first));
    expect(valuesIn(await show(`${path}?sort=x&order=x&cursor=x`))[0]).toBe('s000');
  });
});

describe('the search in a list', () => {
  test('finds values by what people read, and keeps period, filters and order', async () => {
    const { path, show } = await start([...hits('Google', 2, 1), ...hits('Bing', 1, 10), ...hits(null, 1, 20)]);

    const found = await show(`${path}?period=today&sort=visits&search=%20oOg`);
    const direct = await show(`${path}?search=direct`);
    const nothing = await show(`${path}?search=x%3C`);

    expect(valuesIn(found)).toEqual(['Google']);
    expect(found).toContain('<p class="now">1 source</p>');
    expect(found).toContain('<input type="hidden" name="period" value="today"/>');
    expect(found).toContain('<input type="hidden" name="sort" value="visits"/>');
    expect(found).toContain('name="search" value="oOg"');
    expect(valuesIn(direct)).toEqual(['']);
    expect(nothing).toContain('Nothing contains that.');
    expect(nothing).toContain('value="x&lt;"');
  });
});
