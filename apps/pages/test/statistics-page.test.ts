import { gzipSync } from 'node:zlib';
import { addDays } from '@hitherto/domain/calendar';
import type { CountedHit } from '@hitherto/domain/hits';
import { ratesOf } from '@hitherto/domain/reading';
import { describe, expect, test } from 'vitest';
import { signIn } from './support/owner.ts';
import { startPagesForTest } from './support/pages.ts';

const at = (seconds: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + seconds * 1000);
const HITS: readonly Partial<CountedHit>[] = [
  { visitor: 1n, page: '/', time: at(0), source: null },
  { visitor: 1n, page: '/a', time: at(61), source: null },
  { visitor: 2n, page: '/a', time: at(0), source: 'Google' },
  { visitor: 3n, page: '/', time: at(5), source: 'Google' },
  { visitor: 3n, name: 'Signup', props: { plan: 'é' }, time: at(6), source: 'Google' },
];

async function start() {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'public' });
  await pages.addHits(website, HITS);
  return { pages, website, path: `/statistics/${website.id}` };
}

const numbersOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/data-metric="(\w+)" data-value(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );

/** The rows of a list: value and numbers. An empty attribute has no value. */
const rowsOf = (text: string, dimension: string) => {
  const [, table = ''] = new RegExp(`<table data-dimension="${dimension}">(.*?)</table>`).exec(text) ?? [];
  return [...table.matchAll(/<tr data-value(?:="([^"]*)")?>(.*?)<\/tr>/g)].map(([, value = '', row = '']) => [
    value,
    ...[...row.matchAll(/data-metric="\w+">(.*?)<\/td>/g)].map(([, cell]) => cell),
  ]);
};

describe('the page', () => {
  test('shows the five numbers as the API counts them', async () => {
    const { pages, website, path } = await start();
    const query = { websiteId: website.id, from: '2026-10-24', to: '2026-11-20', filters: [] };
    const totals = await pages.repositories.statistics.totals(query);
    const { bounceRate, visitDuration } = ratesOf(totals);

    const { status, text } = await pages.send('GET', path);

    expect(status).toBe(200);
    expect(numbersOf(text)).toEqual({
      visitors: '3',
      visits: '3',
      pageviews: '4',
      bounce_rate: String(bounceRate),
      visit_duration: String(visitDuration),
    });
    expect(totals.visitors).toBe(3);
  });

  test.each([
    ['from=2026-11-01&to=2026-11-19', '1 Nov to 19 Nov'],
    ['from=2025-11-01&to=2025-11-19', '1 Nov to 19 Nov 2025'],
    ['from=2025-12-25&to=2026-01-02', '25 Dec 2025 to 2 Jan 2026'],
    ['from=2027-01-02&to=2027-01-02', '2 Jan 2027'],
  ])('names the year of days that are not in this year: %s is %s', async (query, days) => {
    const { pages, path } = await start();

    const { text } = await pages.send('GET', `${path}?${query}`);

    expect(text).toContain(`<summary class="chosen">${days}</summary>`);
    expect(text).toContain(`<span class="key">Visitors, ${days}</span>`);
  });

  test.each([
    ['2026-11-19', '2026-11-01', 'to', 'The last day is before the first.'],
    ['1990-01-01', '2026-11-01', 'from', 'A period must have at most 1830 days.'],
  ])('keeps other days in their form that it cannot show: %s to %s', async (from, to, field, detail) => {
    const { pages, path } = await start();

    for (const address of [path, `${path}/by/page`, `${path}?embed=1`]) {
      const query = `${address.includes('?') ? '&' : '?'}from=${from}&to=${to}`;
      const { status, text } = await pages.send('GET', address + query);

      expect([status, text]).toEqual([200, expect.stringContaining('aria-current="true">28 days</a>')]);
      const [form = ''] = /<details class="menu other-days" open name="menu">.*?<\/details>/s.exec(text) ?? [];
      expect(form).toContain(`name="from" value="${from}"`);
      expect(form).toContain(`name="to" value="${to}"`);
      expect(form).toMatch(new RegExp(`name="${field}"[^>]* aria-invalid="true" aria-describedby="days-fault"`));
      expect(form).toContain(`<p class="fault" id="days-fault" role="alert">${detail}</p>`);
    }
  });

  test('has all lists, including those behind tabs, with an empty value for none', async () => {
    const { pages, path } = await start();

    const { text } = await pages.send('GET', path);

    expect(rowsOf(text, 'source')).toEqual([
      ['Google', '2'],
      ['', '1'],
    ]);
    expect(rowsOf(text, 'page')).toEqual([
      ['/', '2'],
      ['/a', '2'],
    ]);
    expect(rowsOf(text, 'event')).toEqual([['Signup', '1', '1']]);
    expect(rowsOf(text, 'host')).toEqual([['xn--caf-dma.example', '3']]);
    expect(text).toContain('<bdi>café.example</bdi>');
    const listed = [...text.matchAll(/data-dimension="(\w+)"/g)].map(([, dimension]) => dimension);
    expect(listed.sort()).toEqual(
      'browser,channel,country,device,entry_page,event,exit_page,host,language,os,page,referrer,source,utm_campaign'.split(
        ',',
      ),
    );
  });

  test('shows the visits that the filters choose, and a link to remove each filter', async () => {
    const { pages, path } = await start();

    const { text } = await pages.send('GET', `${path}?source=&page=%2Fa`);

    expect(numbersOf(text)).toMatchObject({ visitors: '1', visit_duration: '61' });
    expect(text).toContain(`href="${path}?page=%2Fa"`);
    expect(text).toContain(`href="${path}?source="`);
  });

  test('begins its chart with the first day of the website', async () => {
    const { pages, website, path } = await start();
    await pages.addHits(website, [{ day: '2026-11-04', time: new Date('2026-11-04T12:00:00Z') }]);
    const chartOf = async (query: string) => {
      const { text } = await pages.send('GET', `${path}?${query}`);
      const [, caption] = /<caption>(Visitors, .*?)<\/caption>/.exec(text) ?? [];
      return {
        caption,
        points: [...text.matchAll(/<th scope="row"><a [^>]*>([^<]*)<\/a><\/th>/g)].map(([, name]) => name),
      };
    };

    const [weeks, days, before] = await Promise.all(['period=12m', '', 'from=2026-10-01&to=2026-10-10'].map(chartOf));

    expect(weeks).toEqual({
      caption: 'Visitors, 2 Nov to 20 Nov',
      points: ['Week of 2 Nov', 'Week of 9 Nov', 'Week of 16 Nov'],
    });
    expect([days?.caption, days?.points[0], days?.points.length]).toEqual([
      'Visitors, 4 Nov to 20 Nov',
      'Wed 4 Nov',
      17,
    ]);
    expect([before?.caption, before?.points.length]).toEqual(['Visitors, 1 Oct to 10 Oct', 10]);
  });

  test('keeps a day before the first one on its chart if that is today', async () => {
    const { pages, path } = await start();

    const { text } = await pages.send('GET', path);

    expect([...text.matchAll(/<th scope="row"><a [^>]*>([^<]*)<\/a><\/th>/g)].map(([, name]) => name)).toEqual([
      'Thu 19 Nov',
      'Fri 20 Nov',
    ]);
  });

  test('shows a host of other letters as people write it', async () => {
    const pages = await startPagesForTest();
    const website = await pages.addWebsite({ privacy: 'public', url: 'https://xn--bcher-kva.example' });

    const { text } = await pages.send('GET', `/statistics/${website.id}`);

    expect(text).toContain('<h1>bücher.example</h1>');
    expect(text).toContain('<title>bücher.example · Statistics</title>');
  });

  test('shows the properties of the event in the filter', async () => {
    const { pages, path } = await start();

    const { text } = await pages.send('GET', `${path}?event=Signup`);

    expect(rowsOf(text, 'property')).toEqual([['é', '1', '1']]);
    expect(text).toContain(`href="${path}/by/property.csv?event=Signup&amp;property=plan"`);
  });

  test('has words for a property without a name and for an empty value', async () => {
    const { pages, website, path } = await start();
    await pages.addHits(website, [{ name: 'Empty', props: { '': 'x', plan: '' } }]);

    const { text } = await pages.send('GET', `${path}?event=Empty`);
    const list = await pages.send('GET', `${path}/by/property?event=Empty&property=`);

    expect(text).toMatch(/<a href="[^"]*property=[&#"][^>]*>Unnamed property<\/a>/);
    expect(text).toContain('<span class="label"><em>Empty</em></span>');
    expect(list.text).toContain('<h1>Unnamed property of Empty</h1>');
  });

  test('shows its owner the snippet until the first hit', async () => {
    const pages = await startPagesForTest();
    const website = await pages.addWebsite({ privacy: 'public' });
    const { cookies } = await signIn(pages, 'read');
    const send = () => pages.send('GET', `/statistics/${website.id}`, { cookies });

    const { text, headers } = await send();
    await pages.addHits(website, HITS);
    const later = await send();

    expect(headers['cache-control']).toBe('no-store');
    expect(later.text).not.toMatch(/Waiting for the first visit|waiting-/);
    expect(text).toContain('Waiting for the first visit');
    expect(text).toContain(`data-website=&quot;${website.id}&quot;`);
    expect(numbersOf(text)).toMatchObject({ visitors: '0', bounce_rate: '', visit_duration: '' });
  });

  test('says to everybody else that there are no visits yet, and shows the first by itself', async () => {
    const pages = await startPagesForTest();
    const website = await pages.addWebsite({ privacy: 'public' });

    const { text } = await pages.send('GET', `/statistics/${website.id}`);

    expect(text).toContain('As soon as somebody visits');
    expect(text).toMatch(/waiting-\w+\.js/);
    expect(text).not.toMatch(/Waiting for the first visit|&lt;head&gt;|data-website/);
  });

  test('marks the unfinished day and the highest value', async () => {
    const { pages, path } = await start();

    const { text } = await pages.send('GET', path);

    expect(text).toMatch(/<path class="line open" d="M[^"]+"/);
    expect(text).toContain('Fri 20 Nov: 3</text>');
    expect(text).toMatch(/<td>3 so far<\/td>/);
  });

  test('is below 20 kB compressed, with its style, even with lists full of long addresses', async () => {
    const { pages, website, path } = await start();
    const hits = Array.from({ length: 60 }, (_, index) => ({
      visitor: BigInt(index),
      day: addDays('2026-11-20', -(index % 28)),
      page: `/a/long/address/of/a/page/${index}/${(index * 7_919).toString(36).repeat(20)}`,
      source: `source ${index}`,
    }));
    await pages.addHits(website, hits);

    const page = await pages.send('GET', path);
    const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(page.text) ?? [];
    const css = await pages.send('GET', style);

    expect(css.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(gzipSync(page.text).length + gzipSync(css.text).length).toBeLessThan(20_000);
  });

  test('is compressed for clients that accept it', async () => {
    const { pages, path } = await start();

    const { headers } = await pages.send('GET', path, { headers: { 'accept-encoding': 'br, gzip' } });

    expect([headers['content-encoding'], headers.vary]).toEqual(['gzip', 'Cookie, Accept-Language, Accept-Encoding']);
  });
});

describe('its lists', () => {
  test('have pages of 100 rows, forward and back', async () => {
    const { pages, website, path } = await start();
    await pages.addHits(
      website,
      Array.from({ length: 148 }, (_, index) => ({ visitor: BigInt(index + 10), page: `/${index}`, time: at(9) })),
    );
    const linkOf = (text: string, name: string) =>
      new RegExp(`<a href="([^"]*)">${name}</a>`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';

    const first = await pages.send('GET', `${path}/by/page?period=7d`);
    const second = await pages.send('GET', linkOf(first.text, 'Next'));
    const back = await pages.send('GET', linkOf(second.text, 'Previous'));

    expect(rowsOf(first.text, 'page')[0]).toEqual(['/', '2', '2', '2']);
    expect([first, second, back].map(({ text }) => rowsOf(text, 'page').length)).toEqual([100, 50, 100]);
    expect(rowsOf(back.text, 'page')).toEqual(rowsOf(first.text, 'page'));
    const faulty = await pages.send('GET', `${path}/by/page?period=7d&cursor=x`);
    expect(rowsOf(faulty.text, 'page')).toEqual(rowsOf(first.text, 'page'));
  });

  test('are available as CSV with the columns of the API', async () => {
    const { pages, path } = await start();
    const csv = async (rest: string) => (await pages.send('GET', `${path}${rest}`)).text.slice(1).split('\r\n');

    expect(await csv('/by/source.csv')).toEqual([
      'value,visitors,visits,pageviews,bounce_rate,visit_duration,engaged_seconds,scroll_depth',
      'Google,2,2,2,0.5,0.5,,',
      ',1,1,2,0,61,,',
      '',
    ]);
    expect(await csv('/by/property.csv?event=Signup&property=plan')).toEqual([
      'value,visitors,visits,events',
      'é,1,1,1',
      '',
    ]);
    const series = await csv('/series.csv?period=7d');
    expect([series[0], series[7], series.length]).toEqual([
      'start,visitors,visits,pageviews,events',
      '2026-11-20,3,3,4,1',
      9,
    ]);
    expect((await csv('/series.csv?period=today'))[11]).toBe('2026-11-20T10:00:00+00:00,3,3,4,1');
  });

  test('are files for spreadsheets as CSV, with a name and the mark of UTF-8', async () => {
    const { pages, website, path } = await start();

    const { text, headers } = await pages.send('GET', `${path}/by/page.csv?period=7d`);

    expect(headers['content-disposition']).toBe(
      `attachment; filename="${new URL(website.url).hostname}-page-2026-11-14-2026-11-20.csv"`,
    );
    expect(text).toMatch(/^\ufeffvalue,/);
  });

  test('lead to the statistics page where removing a filter leaves no list', async () => {
    const { pages, path } = await start();

    const { text } = await pages.send('GET', `${path}/by/property?event=Signup&property=plan&country=DE`);

    const chips = [...text.matchAll(/<a href="([^"]*)"><span class="unseen">Remove|<a href="([^"]*)">Remove all/g)];
    expect(chips.map(([, one, all]) => (one ?? all)?.replaceAll('&amp;', '&'))).toEqual([
      `${path}?country=DE`,
      `${path}/by/property?event=Signup&property=plan`,
      path,
    ]);
  });

  test('are 404 for an unknown dimension', async () => {
    const { pages, path } = await start();

    for (const name of ['x', 'page.CSV', 'page.txt', 'property', 'Page', '.csv']) {
      expect((await pages.send('GET', `${path}/by/${name}`)).status).toBe(404);
    }
  });
});
