import type { CountedHit } from '@hitherto/domain/hits';
import { describe, expect, test } from 'vitest';
import { startPagesForTest } from './support/pages.ts';

// The clock stands still at 2026-11-20, 12:00 UTC.

async function start(hits: readonly Partial<CountedHit>[], timeZone = 'UTC') {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'public', timeZone });
  await pages.addHits(website, hits);
  const show = async (query = '') => (await pages.send('GET', `/statistics/${website.id}${query}`)).text;
  return { pages, website, show };
}

const hitAt = (time: string, visitor = 1n, page = '/'): Partial<CountedHit> => ({
  time: new Date(`${time}Z`),
  day: time.slice(0, 10),
  visitor,
  page,
});

/** Two visitors in the morning of each day, and eight in the evening of each day before today. */
const DAYS = ['2026-11-18', '2026-11-19', '2026-11-20'];
const MORNINGS = DAYS.flatMap((day) => [hitAt(`${day}T08:00:00`, 1n), hitAt(`${day}T11:59:59`, 2n)]);
const EVENINGS = ['2026-11-18', '2026-11-19'].flatMap((day) =>
  Array.from({ length: 8 }, (_, index) => hitAt(`${day}T12:00:00`, BigInt(index + 10))),
);

const changesIn = (text: string) =>
  [...text.matchAll(/<span class="change[^"]*"><span aria-hidden="true">([^<]*)</g)].map(([, change]) => change);
const sentenceIn = (text: string) => /<div class="hint compared">([^<]+)</.exec(text)?.[1];
const choicesIn = (text: string) =>
  [
    ...(/<summary>Compare with<\/summary><ul>(.*?)<\/ul>/.exec(text)?.[1] ?? '').matchAll(
      /<a href="([^"]*)"([^>]*)>([^<]*)</g,
    ),
  ].map(([, href, rest, name]) => ({ name, href: href?.replaceAll('&amp;', '&'), isChosen: rest !== '' }));

describe('the numbers of a period that is not over', () => {
  test('are compared with the days before until the same time', async () => {
    const { show } = await start([...MORNINGS, ...EVENINGS]);

    const today = await show('?period=today');
    const days = await show('?from=2026-11-20&to=2026-11-30');

    expect(sentenceIn(today)).toBe('Compared with 19 Nov, until 12:00.');
    expect(changesIn(today)).toEqual(Array.from({ length: 4 }, () => 'as before'));
    expect(sentenceIn(days)).toBe(undefined);
    expect(sentenceIn(await show('?from=2026-11-19&to=2026-11-20'))).toBe('Compared with 17 Nov to 18 Nov at 12:00.');
  });

  test('are compared in the time zone of the website', async () => {
    const { show } = await start([...MORNINGS, ...EVENINGS], 'Asia/Kathmandu');

    expect(sentenceIn(await show('?period=today'))).toBe('Compared with 19 Nov, until 17:45.');
  });

  test('say what changed beside them, and in words to those who cannot see it', async () => {
    const { show } = await start([...MORNINGS, ...EVENINGS, hitAt('2026-11-20T09:00:00', 3n)]);

    const text = await show('?period=today');

    expect(changesIn(text)[0]).toBe('↑\u00a050\u00a0%');
    expect(text).toContain('<span class="unseen">50\u00a0% more</span>');
  });

  test('are compared with filters too', async () => {
    const { show } = await start([...MORNINGS, ...EVENINGS, hitAt('2026-11-19T11:00:00', 5n, '/b')]);

    const text = await show('?period=today&page=/');

    expect(changesIn(text)[0]).toBe('as before');
  });

  test('are not compared with a day of which only sums are known', async () => {
    const { pages, show } = await start([...MORNINGS, ...EVENINGS]);
    await pages.repositories.maintenance.deleteHitsBefore('2026-11-20');

    const text = await show('?period=today');

    expect(sentenceIn(text)).toBe('Not compared: the hours of 19 Nov are not known.');
    expect(changesIn(text)).toEqual([]);
  });
});

describe('the numbers of a period that is over', () => {
  test('are compared with whole days', async () => {
    const { show } = await start([...MORNINGS, ...EVENINGS]);

    const text = await show('?period=yesterday');

    expect(sentenceIn(text)).toBe('Compared with 18 Nov.');
    expect(changesIn(text)[0]).toBe('as before');
  });
});

describe('a website that was not counted before', () => {
  test('has no comparison, neither with its numbers nor in its chart', async () => {
    const { show } = await start(MORNINGS);

    const text = await show('?period=12m');

    expect(sentenceIn(text)).toBe(undefined);
    expect(changesIn(text)).toEqual([]);
    expect(text).not.toMatch(/class="key before"|days before|none before|no comparison/);
  });
});

describe('a row of a list', () => {
  const rowIn = (text: string, value: string) =>
    new RegExp(`<tr data-value="${value}">.*?</tr>`)
      .exec(text)?.[0]
      .match(/<td class="(change[^"]*)"[^>]*>(.*?)<\/td>/);
  const HITS = [
    ...MORNINGS,
    ...EVENINGS,
    hitAt('2026-11-20T09:00:00', 3n),
    hitAt('2026-11-20T09:00:00', 4n, '/new'),
    hitAt('2026-11-19T09:00:00', 5n, '/less'),
    hitAt('2026-11-19T09:00:00', 6n, '/less'),
    hitAt('2026-11-20T09:00:00', 7n, '/less'),
  ];

  test('says how its visitors changed until the same time, as the numbers do', async () => {
    const { show } = await start(HITS);

    const text = await show('?period=today');

    expect(rowIn(text, '/')?.[1]).toBe('change good');
    expect(rowIn(text, '/')?.[2]).toBe(
      '<span aria-hidden="true">↑\u00a050\u00a0%</span><span class="unseen">50\u00a0% more</span>',
    );
    expect(rowIn(text, '/less')?.[1]).toBe('change bad');
    expect(rowIn(text, '/new')?.[2]).toBe('new');
  });

  test('says the same in the list in full, and with a filter', async () => {
    const { show } = await start(HITS);

    const list = await show('/by/page?period=today');

    expect(rowIn(list, '/')?.[2]).toContain('50\u00a0% more');
    expect(list).toContain('<p class="hint">Compared with 19 Nov, until 12:00.</p>');
    expect(rowIn(await show('?period=today&page=/less'), '/less')?.[2]).toContain('50\u00a0% less');
  });

  test('says nothing where the page compares nothing', async () => {
    const { show } = await start(HITS);

    for (const query of ['?period=today&compare=none', '?period=12m', '/by/page?period=today&compare=none']) {
      const text = await show(query);
      expect(text, query).not.toContain('<td class="change');
      expect(text, query).not.toContain('What changed');
    }
  });
});

describe('what changed', () => {
  const changesOf = (text: string) =>
    [...(/<section class="what-changed".*?<\/section>/.exec(text)?.[0] ?? '').matchAll(/<li[^>]*>(.*?)<\/li>/g)].map(
      ([, item = '']) => ({
        href: /href="([^"]*)"/.exec(item)?.[1]?.replaceAll('&amp;', '&'),
        label: /<bdi>(.*?)<\/bdi>/.exec(item)?.[1],
        change: /<span aria-hidden="true">(.*?)<\/span>/.exec(item)?.[1],
      }),
    );
  const visitsOf = (day: string, first: number, count: number, page: string, source: string | null) =>
    Array.from({ length: count }, (_, index) => ({
      ...hitAt(`${day}T08:00:00`, BigInt(first + index), page),
      source,
      country: 'DE',
    }));

  test('names the three largest rises and the largest fall of sources, pages and countries, with links', async () => {
    const { website, show } = await start([
      ...visitsOf('2026-11-19', 1, 1, '/a', 'x'),
      ...visitsOf('2026-11-19', 10, 5, '/gone', 'y'),
      ...visitsOf('2026-11-20', 1, 9, '/a', 'x'),
      ...visitsOf('2026-11-20', 20, 2, '/b', 'z'),
    ]);
    const path = `/statistics/${website.id}?period=today`;

    const text = await show('?period=today');

    expect(changesOf(text)).toEqual([
      { label: 'x', href: `${path}&source=x`, change: '+8' },
      { label: '/a', href: `${path}&page=%2Fa`, change: '+8' },
      { label: 'Germany', href: `${path}&country=DE`, change: '+5' },
      { label: 'y', href: `${path}&source=y`, change: '\u22125' },
    ]);
    expect(text).toContain('<span class="unseen">8 more</span>');
    expect(text).toContain(`/statistics/${website.id}/change?period=today">Why it changed</a></section>`);
    expect(changesOf(await show('?period=today&source=x')).map(({ label }) => label)).toEqual(['/a', 'Germany']);
  });
});

describe('the menu of comparisons', () => {
  const HITS = [...MORNINGS, hitAt('2025-11-19T08:00:00', 1n), hitAt('2025-11-20T08:00:00', 1n)];

  test('leads to the days before, the same days a year earlier, and no comparison', async () => {
    const { website, show } = await start(HITS);
    const path = `/statistics/${website.id}?period=yesterday`;

    expect(choicesIn(await show('?period=yesterday&compare=year'))).toEqual([
      { name: 'The days before', href: path, isChosen: false },
      { name: 'A year earlier', href: `${path}&compare=year`, isChosen: true },
      { name: 'Nothing', href: `${path}&compare=none`, isChosen: false },
    ]);
  });

  test('compares with the same days a year earlier until the same time', async () => {
    const { show } = await start(HITS);

    const text = await show('?from=2026-11-19&to=2026-11-20&compare=year');

    expect(sentenceIn(text)).toBe('Compared with 19 Nov to 20 Nov 2025 at 12:00.');
    expect(changesIn(text)[0]).toBe('↑\u00a0100\u00a0%');
    expect(text).toContain('100\u00a0% more</strong> than a year earlier.');
    expect(text).toContain('<span class="key before">a year earlier</span>');
  });

  test('compares each day with the same date, across a 29 February', async () => {
    const { show } = await start([...MORNINGS, hitAt('2023-03-02T08:00:00'), hitAt('2023-02-28T08:00:00')]);

    const text = await show('?from=2024-02-27&to=2024-03-02&compare=year');

    const rows = [...text.matchAll(/<th scope="row">(?:<a[^>]*>)?([^<]*)(?:<\/a>)?<\/th><td>[^<]*<\/td><td>([^<]*)</g)];
    expect(rows.slice(0, 5).map(([, day, before]) => [day, before])).toEqual([
      ['Tue 27 Feb', '0'],
      ['Wed 28 Feb', '1'],
      ['Thu 29 Feb', '1'],
      ['Fri 1 Mar', '0'],
      ['Sat 2 Mar', '1'],
    ]);
  });

  test('takes the comparison away, and stays', async () => {
    const { show } = await start(HITS);

    const text = await show('?period=yesterday&compare=none');

    expect([sentenceIn(text), changesIn(text)]).toEqual([undefined, []]);
    expect(text).not.toMatch(/class="key before"|than before|Why it changed/);
    expect(choicesIn(text).map(({ isChosen }) => isChosen)).toEqual([false, false, true]);
  });

  test('stays chosen in the links of the page, and on the page that explains the change', async () => {
    const { website, show } = await start(HITS);

    const text = await show('?period=yesterday&compare=year');

    expect(text).toContain(`/statistics/${website.id}?period=7d&amp;compare=year`);
    expect(text).toContain('<input type="hidden" name="compare" value="year"/>');
    expect(text).toContain(`/statistics/${website.id}/change?period=yesterday&amp;compare=year`);
    expect(text).not.toMatch(/\.csv\?[^"]*compare/);
  });

  test('has only days since the first visit', async () => {
    const { show } = await start(MORNINGS);

    expect(choicesIn(await show('?period=today')).map(({ name }) => name)).toEqual(['The days before', 'Nothing']);
    expect(choicesIn(await show('?period=28d'))).toEqual([]);
  });
});

describe('the dashed line of the chart', () => {
  const busyDay = (day: string, visitors: number) =>
    Array.from({ length: visitors }, (_, index) => hitAt(`${day}T08:00:00`, BigInt(index + 100)));
  const week = ['2026-11-08', '2026-11-09', '2026-11-10', ...DAYS].flatMap((day) => busyDay(day, 5));
  const ticksIn = (text: string) => [...text.matchAll(/<text x="-10"[^>]*>([^<]*)</g)].map(([, tick]) => Number(tick));

  test('leaves the plot at an outlier, which is labelled, so that the period stays in sight', async () => {
    const { show } = await start([...week, ...busyDay('2026-11-12', 40)]);

    const text = await show('?period=7d');

    expect(Math.max(...ticksIn(text))).toBeLessThan(10);
    expect(/<text class="beyond"[^>]*>([^<]*)</.exec(text)?.[1]).toBe('↑ Thu 12 Nov: 40');
  });

  test('sets the scale where the period itself has nothing', async () => {
    const { show } = await start(['2026-11-09', '2026-11-10', '2026-11-12'].flatMap((day) => busyDay(day, 14)));

    const text = await show('?period=7d');

    expect(Math.max(...ticksIn(text))).toBeGreaterThan(10);
    expect(text).not.toContain('class="beyond"');
  });

  test('is left out where its number was zero', async () => {
    const { show } = await start(week);

    expect(await show('?period=7d')).toContain('<span class="key before">');
    expect(await show('?period=7d&metric=visit_duration')).not.toContain('class="key before"');
  });
});

test('the chart says where the day before is whole', async () => {
  const { show } = await start([...MORNINGS, ...EVENINGS]);

  const text = await show('?from=2026-11-20&to=2026-11-20');
  const days = await show('?from=2026-11-19&to=2026-11-20');

  expect(text).toContain('<span class="key before">the day before</span>');
  expect(days).toContain('2 so far, before 10 in all');
});
