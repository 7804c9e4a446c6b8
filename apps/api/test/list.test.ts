import { UNRECORDED } from '@hitherto/domain/changes';
import { aWebsite } from '@hitherto/testing/fixtures';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi, startApiForTest } from './support/api.ts';

// api.md, "List": search, sort, per_page, page and total.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const found = async (query: Record<string, string>, from = api) => {
  const response = await from.send('GET', `/api/v1/websites?${new URLSearchParams({ per_page: '100', ...query })}`);
  return response.list().data.map(({ url }) => url);
};
const create = (...urls: string[]) => Promise.all(urls.map((url) => api.createWebsite({ url })));

describe('search', () => {
  test('empty means no filter', async () => {
    await create('https://empty-search.example');

    const all = await found({});
    const empty = await found({ search: '' });

    expect(empty).toEqual(all);
    expect(empty).toContain('https://empty-search.example');
  });

  test('plain text: %, _ and \\ stand for themselves', async () => {
    await create('https://plain.example/a%25b', 'https://plain.example/a_b', 'https://plain.example/aXb');
    await create('https://plain.example/a%5Cb');

    expect(await found({ search: 'plain.example/a%b' })).toEqual(['https://plain.example/a%25b']);
    expect(await found({ search: 'plain.example/a_b' })).toEqual(['https://plain.example/a_b']);
    expect(await found({ search: 'plain.example/a\\b' })).toEqual(['https://plain.example/a%5Cb']);
    expect(await found({ search: 'plain.example/%b' })).toEqual([]);
    expect(await found({ search: 'plain.exampl_' })).toEqual([]);
    expect(await found({ search: "' or 1=1 --" })).toEqual([]);
    expect(await found({ search: '.*' })).toEqual([]);
  });

  test.each(['BÜCHER.example', 'bücher', 'xn--BCHER', 'Über Uns', '%C3%BCber', 'ÜBER', 'HTTPS://XN', ':8443/', '🦊'])(
    'case-insensitive, anywhere in the url, as stored or as people write it: %s',
    async (search) => {
      const url = 'https://xn--bcher-kva.example:8443/%C3%BCber%20uns/%F0%9F%A6%8A';
      if ((await found({ search: 'bücher' })).length === 0) await create(url);

      expect(await found({ search })).toEqual([url]);
    },
  );

  test('not trimmed', async () => {
    await create('https://trim.example/a%20b');

    expect(await found({ search: 'trim.example/a ' })).toEqual(['https://trim.example/a%20b']);
    expect(await found({ search: 'trim.example ' })).toEqual([]);
    expect(await found({ search: ' ' })).toContain('https://trim.example/a%20b');
  });

  test('a line break matches nothing', async () => {
    expect(await found({ search: '\n' })).toEqual([]);
    expect(await found({ search: 'https\r\n' })).toEqual([]);
  });

  test('at most 255 code points', async () => {
    const most = await api.send('GET', `/api/v1/websites?search=${encodeURIComponent('🦊'.repeat(255))}`);
    const over = await api.send('GET', `/api/v1/websites?search=${encodeURIComponent('🦊'.repeat(256))}`);

    expect(most.list().meta.total).toBe(0);
    expect(over.faults()).toEqual(['search too_long']);
  });

  test('never finds or counts another account’s websites', async () => {
    await api.send('POST', '/api/v1/websites', { json: { url: 'https://foreign.example' }, key: api.otherKey });

    const response = await api.send('GET', '/api/v1/websites?search=foreign.example');

    expect(response.list()).toMatchObject({ data: [], meta: { total: 0, total_is_exact: true } });
  });
});

describe('sort', () => {
  test('by address, in byte order, asc or desc; newest first by default', async () => {
    const urls = [
      'https://sort-b.example',
      'http://sort-a.example',
      'https://sort-a.example:81',
      'https://sort-a.example/Z',
      'https://sort-a.example/a',
      'https://sort-_.example',
    ];
    for (const url of urls) await create(url);
    const ascending = [
      'https://sort-_.example',
      'http://sort-a.example',
      'https://sort-a.example/Z',
      'https://sort-a.example/a',
      'https://sort-a.example:81',
      'https://sort-b.example',
    ];

    expect(await found({ search: 'sort-', sort: 'asc' })).toEqual(ascending);
    expect(await found({ search: 'sort-', sort: 'desc' })).toEqual([...ascending].reverse());
    expect(await found({ search: 'sort-' })).toEqual([...urls].reverse());
  });

  test.each(['', 'ASC', 'Desc', ' asc', 'asc ', 'url', 'ascending', '1', '-url'])('sort=%j is 422', async (sort) => {
    const response = await api.send('GET', `/api/v1/websites?${new URLSearchParams({ sort })}`);

    expect(response.faults()).toEqual(['sort not_allowed']);
  });
});

describe('There is no page parameter: it is 422 unknown, and the error says how to page', () => {
  test.each(['1', '2', ''])('page=%s', async (page) => {
    const response = await api.send('GET', `/api/v1/websites?page=${page}`);

    expect(response.faults()).toEqual(['page unknown']);
    expect(response.problem().errors?.[0]?.detail).toMatch(/links\.next.*cursor/);
  });

  test('all errors of a query are reported at once', async () => {
    const response = await api.send('GET', '/api/v1/websites?page=2&sort=up&per_page=5&limit=3&cursor=x&search=%00');

    expect(response.faults().sort()).toEqual([
      'limit unknown',
      'page unknown',
      'per_page not_allowed',
      'search not_allowed',
      'sort not_allowed',
    ]);
  });
});

describe('total counts the matches, up to 10,000; beyond that it is 10000 and total_is_exact is false', () => {
  test('10,000 are counted exactly, 10,001 are not', async () => {
    const many = await startApiForTest();
    const insert = (index: number) => {
      const id = `01997c3e-0000-7000-8000-${index.toString(16).padStart(12, '0')}`;
      return many.websites.insert(many.accountId, aWebsite({ id, url: `https://many-${index}.example` }), UNRECORDED);
    };
    for (let index = 0; index < 10_000; index += 1) await insert(index);

    const exact = await many.send('GET', '/api/v1/websites');
    await insert(10_000);
    const beyond = await many.send('GET', '/api/v1/websites?sort=asc&per_page=100');
    const fewer = await many.send('GET', '/api/v1/websites?search=many-77');

    expect(exact.list().meta).toEqual({ per_page: 10, total: 10_000, total_is_exact: true });
    expect(beyond.list().meta).toEqual({ per_page: 100, total: 10_000, total_is_exact: false });
    expect(beyond.list().data).toHaveLength(100);
    expect(fewer.list().meta).toEqual({ per_page: 10, total: 111, total_is_exact: true });
  });

  test('an empty account has an empty list without links', async () => {
    const empty = await startApiForTest();

    const response = await empty.send('GET', '/api/v1/websites');

    expect(response.list()).toEqual({
      data: [],
      links: { next: null, prev: null },
      meta: { per_page: 10, total: 0, total_is_exact: true },
    });
    expect(response.header('link')).toBeUndefined();
  });
});
