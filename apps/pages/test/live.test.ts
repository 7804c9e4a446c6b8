import { beforeEach, describe, expect, test } from 'vitest';
import { definer } from './support/definitions.ts';
import { signIn } from './support/owner.ts';
import { PASSWORD_HASH, type PagesUnderTest, startPagesForTest } from './support/pages.ts';
import { share } from './support/sharing.ts';

// The live view (pages.md). The clock of the tests stands at 2026-11-20, 12:00 UTC.

let pages: PagesUnderTest;
beforeEach(async () => {
  pages = await startPagesForTest();
});

const at = (time: string) => new Date(`2026-11-20T${time}Z`);
const rowsOf = (html: string, dimension: string) => {
  const [, list = ''] = new RegExp(`<table data-dimension="${dimension}">(.*?)</table>`, 's').exec(html) ?? [];
  return [...list.matchAll(/data-value(?:="([^"]*)")?.*?<td data-metric="visitors">(\d+)/gs)].map(
    ([, value = '', visitors]) => [value, visitors],
  );
};
const minutesOf = (html: string) => {
  const [, table = ''] = /<tbody data-part="minutes">(.*?)<\/tbody>/s.exec(html) ?? [];
  const rows = [...table.matchAll(/<th scope="row">([\d:]+)<\/th><td>(\d+)/g)].map((row) => row.slice(1));
  return { count: rows.length, some: rows.filter(([, visitors]) => visitors !== '0') };
};

describe('the live view', () => {
  test('has the visitors of the last 30 minutes by minute, page, source and country', async () => {
    const website = await pages.addWebsite({ privacy: 'public' });
    const ada = { visitor: 1n, source: 'Google', country: 'DE' };
    await pages.addHits(website, [
      { ...ada, page: '/before', time: at('11:29:59.999') },
      { ...ada, page: '/a', source: null, time: at('11:40:00.000') },
      { visitor: 2n, page: '/a', source: null, country: null, time: at('11:59:10.000') },
      { visitor: 2n, page: '/b', source: null, country: null, time: at('11:59:50.000') },
      { visitor: 3n, page: '/late', time: at('11:20:00.000') },
    ]);

    const { text, headers } = await pages.send('GET', `/statistics/${website.id}/live`);

    expect(text).toMatch(
      /<strong>2<\/strong> visitors in the last 30 minutes\..*<strong>1<\/strong> of them right now/s,
    );
    expect(rowsOf(text, 'page')).toEqual([
      ['/a', '2'],
      ['/b', '1'],
    ]);
    expect(rowsOf(text, 'source')).toEqual([
      ['Google', '1'],
      ['', '1'],
    ]);
    expect(rowsOf(text, 'country')).toEqual([
      ['DE', '1'],
      ['', '1'],
    ]);
    expect(minutesOf(text)).toEqual({
      count: 31,
      some: [
        ['11:40', '1'],
        ['11:59', '1'],
      ],
    });
    expect(text).toContain('As of 12:00:00.');
    expect(headers['cache-control']).toBe('no-store');
  });

  test('says that nobody is there', async () => {
    const website = await pages.addWebsite({ privacy: 'public' });

    const { text } = await pages.send('GET', `/statistics/${website.id}/live`);

    expect(text).toContain('Nobody in the last 30 minutes.');
    expect(text).not.toContain('of them');
  });

  test('is behind the visitors now of the statistics page', async () => {
    const website = await pages.addWebsite({ privacy: 'public' });
    await pages.addHits(website, [{ visitor: 1n }]);

    const { text } = await pages.send('GET', `/statistics/${website.id}?period=7d&page=/x`);

    expect(text).toMatch(
      new RegExp(`href="/statistics/${website.id}/live\\?period=7d"><strong>1</strong> visitor now`),
    );
  });

  test('is seen by those who see the statistics', async () => {
    const hidden = await pages.addWebsite({ privacy: 'private' });
    const locked = await pages.addWebsite({ privacy: 'password', passwordHash: PASSWORD_HASH });
    const whole = await share(pages, hidden, { name: 'all' });
    const { cookies } = await signIn(pages, 'read');
    const statusOf = async (path: string, sent = {}) => (await pages.send('GET', `${path}/live`, sent)).status;

    expect(await statusOf(`/statistics/${hidden.id}`)).toBe(404);
    expect(await statusOf(`/statistics/${hidden.id}`, { cookies })).toBe(200);
    expect(await statusOf(whole.path)).toBe(200);
    expect((await pages.send('GET', `/statistics/${locked.id}/live`)).text).toContain('type="password"');
  });

  test('is not of a segment, whose current visitors nobody counts', async () => {
    const website = await pages.addWebsite({ privacy: 'private' });
    const segment = await definer(pages, website).addSegment({ name: 'é', filters: [['country', ['DE']]] });
    const link = await share(pages, website, { segment: segment.id });

    expect((await pages.send('GET', `${link.path}/live`)).status).toBe(404);
    expect((await pages.send('GET', link.path)).text).not.toContain('/live');
  });
});
