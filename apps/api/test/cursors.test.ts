import type { WebsiteJson } from '@hitherto/testing/website-json';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi, startApiForTest } from './support/api.ts';
import type { ApiResponse } from './support/response.ts';

// api.md, "List": paging is by opaque cursor (keyset).

const ORDERS = ['', '&sort=asc', '&sort=desc'];

let api: Api;
beforeAll(async () => {
  api = await startApi();
  for (let index = 0; index < 25; index += 1) await fill(api, index);
});
afterAll(() => api.app.close());

const fill = (on: Api, index: number) => on.createWebsite({ url: `https://page-${(index * 7) % 25}.example/é` });
const urls = (response: ApiResponse) => response.list().data.map(({ url }) => url);
const cursorOf = (response: ApiResponse) =>
  new URLSearchParams(response.list().links.next?.split('?')[1]).get('cursor') ?? expect.fail('there is no next page');

/** Follows a link to the end; `between` runs before each step. */
async function walk(
  on: Api,
  first: string,
  rel: 'next' | 'prev' = 'next',
  between = async () => {},
): Promise<ApiResponse[]> {
  const responses: ApiResponse[] = [];
  let path: string | null = first;
  while (path !== null) {
    const response: ApiResponse = await on.send('GET', path);
    responses.push(response);
    path = response.list().links[rel];
    await between();
  }
  return responses;
}

test('a broken cursor is reported with the other errors, but not checked when sort or search is invalid', async () => {
  const [told, unjudged] = await Promise.all(
    ['per_page=5', 'sort=up'].map((fault) => api.send('GET', `/api/v1/websites?cursor=broken&${fault}`)),
  );

  expect(told?.faults().sort()).toEqual(['cursor invalid_cursor', 'per_page not_allowed']);
  expect(unjudged?.faults()).toEqual(['sort not_allowed']);
});

describe('a walk sees every website that exists throughout and does not change exactly once, while others come and go', () => {
  test.each(ORDERS)('the same pages forward and back, order "%s"', async (order) => {
    const whole = await api.send('GET', `/api/v1/websites?per_page=100${order}`);

    const forward = await walk(api, `/api/v1/websites?per_page=10${order}`);
    const last = forward.at(-1)?.list().links.prev ?? expect.fail('there is no page before the last');
    const back = await walk(api, last, 'prev');

    expect(forward.flatMap(urls)).toEqual(urls(whole));
    expect(forward.map((response) => urls(response).length)).toEqual([10, 10, 5]);
    expect(back.map(urls).reverse()).toEqual(forward.slice(0, 2).map(urls));
    expect([forward[0]?.list().links.prev, forward[2]?.list().links.next]).toEqual([null, null]);
    expect(forward.map((response) => response.list().meta.total)).toEqual([25, 25, 25]);
  });

  for (const rel of ['next', 'prev'] as const) {
    test.each(ORDERS)(`following ${rel}, order "%s"`, async (order) => {
      const busy = await startApiForTest();
      const kept: WebsiteJson[] = [];
      const passing: WebsiteJson[] = [];
      for (let index = 0; index < 60; index += 1) {
        (index % 2 === 0 ? kept : passing).push(
          await busy.createWebsite({ url: `https://w-${(index * 17) % 60}.example` }),
        );
      }
      const forward = await walk(busy, `/api/v1/websites?per_page=10${order}`);
      const start = rel === 'next' ? `/api/v1/websites?per_page=10${order}` : forward.at(-1)?.list().links.prev;
      const skipped = rel === 'next' ? [] : (forward.at(-1)?.list().data ?? []);
      let fresh = 0;

      const seen = await walk(busy, start ?? '', rel, async () => {
        for (const { id } of passing.splice(0, 3)) await busy.send('DELETE', `/websites/${id}/destroy`);
        for (let index = 0; index < 2; index += 1) {
          fresh += 1;
          await busy.createWebsite({ url: `https://w-${fresh}-new.example` });
        }
        if (fresh > 40) expect.fail('the walk does not end');
      });

      const ids = seen.flatMap((response) => response.list().data.map(({ id }) => id));
      const seenKept = kept.filter(({ id }) => ids.includes(id) || skipped.some((website) => website.id === id));
      expect(seenKept).toHaveLength(kept.length);
      expect(new Set(ids).size).toBe(ids.length);
    });
  }

  test('a cursor stays valid after the website it points at is deleted', async () => {
    const own = await startApiForTest();
    const sites: WebsiteJson[] = [];
    for (let index = 0; index < 12; index += 1) sites.push(await own.createWebsite());
    const first = await own.send('GET', '/api/v1/websites');
    const at = first.list().data.at(-1)?.id;

    await own.send('DELETE', `/websites/${at}/destroy`);
    const second = await own.send('GET', first.list().links.next ?? '');

    expect(urls(second)).toEqual([sites[1]?.url, sites[0]?.url]);
  });
});

describe('a broken, altered or empty cursor, or one made for another sort or search, is 422 invalid_cursor', () => {
  const refusal = async (cursor: string, more = '&sort=asc&search=PAGE', key = api.key) =>
    (await api.send('GET', `/api/v1/websites?cursor=${encodeURIComponent(cursor)}${more}`, { key })).faults();
  const aCursor = async () => cursorOf(await api.send('GET', '/api/v1/websites?sort=asc&search=PAGE'));

  test('altered in any position', async () => {
    const cursor = await aCursor();

    for (let at = 0; at < cursor.length; at += 1) {
      const others = [cursor[at] === 'A' ? 'B' : 'A', '-', '=', 'é', ''].filter((text) => text !== cursor[at]);
      const altered = cursor.slice(0, at) + others[at % others.length] + cursor.slice(at + 1);
      expect(await refusal(altered), altered).toEqual(['cursor invalid_cursor']);
    }
  });

  test.each(['', 'x', 'null', '=', '==', 'AAAA', '\0', 'é🦊', ' ', '{}', 'W10', 'A'.repeat(8000)])(
    '%j',
    async (cursor) => {
      expect(await refusal(cursor)).toEqual(['cursor invalid_cursor']);
    },
  );

  test('lengthened, padded or written in standard base64', async () => {
    const cursor = await aCursor();
    const standard = cursor.replaceAll('-', '+').replaceAll('_', '/');

    for (const altered of [`${cursor}A`, `A${cursor}`, `${cursor}=`, ` ${cursor}`, `${cursor}\n`, `${standard}==`]) {
      expect(await refusal(altered)).toEqual(['cursor invalid_cursor']);
    }
  });

  test.each(['', '&sort=asc', '&search=PAGE', '&sort=desc&search=PAGE', '&sort=asc&search=page-', '&sort=asc&search='])(
    'sent with the parameters "%s"',
    async (more) => {
      expect(await refusal(await aCursor(), more)).toEqual(['cursor invalid_cursor']);
    },
  );

  test('sent by another account', async () => {
    expect(await refusal(await aCursor(), undefined, api.otherKey)).toEqual(['cursor invalid_cursor']);
  });
});

describe('a cursor works on every instance and after a restart; per_page may change', () => {
  test('another instance on the same database accepts it', async () => {
    const second = await startApi({ access: () => api.access, websites: () => api.websites });
    const first = await api.send('GET', '/api/v1/websites?sort=asc');

    const response = await second.send('GET', first.list().links.next ?? '', { key: api.key });
    await second.app.close();

    expect(urls(response)).toHaveLength(10);
  });

  test('the next page may be longer', async () => {
    const first = await api.send('GET', '/api/v1/websites?sort=desc');
    const whole = await api.send('GET', '/api/v1/websites?sort=desc&per_page=100');

    const rest = await api.send('GET', `/api/v1/websites?sort=desc&per_page=100&cursor=${cursorOf(first)}`);

    expect([...urls(first), ...urls(rest)]).toEqual(urls(whole));
  });

  test('it is accepted with another key of the account', async () => {
    const first = await api.send('GET', '/api/v1/websites');

    const response = await api.send('GET', first.list().links.next ?? '', { key: api.readKey });

    expect(response.status).toBe(200);
  });
});

test('a Link header that is too long for proxies is left out; the body has the links', async () => {
  const own = await startApiForTest();
  const search = '🦊'.repeat(160);
  for (let index = 0; index < 11; index += 1) {
    await own.createWebsite({ url: `https://long-${index}.example/${search}` });
  }

  const response = await own.send('GET', `/api/v1/websites?sort=asc&search=${encodeURIComponent(search)}`);

  expect(response.header('link')).toBeUndefined();
  expect(response.list().links.next).toContain(encodeURIComponent(search));
});

describe('links are relative references that keep the other parameters; a Link header (RFC 8288) says the same', () => {
  test.each([
    'search=page-1%2B%26%20%C3%A9',
    'search=%C3%A9&sort=asc',
    'sort=desc&per_page=11&search=',
    'per_page=20',
    'search=PAGE',
  ])('%s', async (query) => {
    const own = await startApiForTest();
    for (let index = 0; index < 12; index += 1)
      await own.createWebsite({ url: `https://l-${index}.example/page-1+& é`.replace(' ', '%20') });
    for (let index = 0; index < 12; index += 1) await own.createWebsite({ url: `https://l-${index}.example/page/é` });

    for (const response of await walk(own, `/api/v1/websites?${query}`)) {
      const { links } = response.list();
      const header = Object.entries(links).flatMap(([rel, target]) =>
        target === null ? [] : [`<${target}>; rel="${rel}"`],
      );

      expect(response.header('link') ?? '').toBe(header.join(', '));
      for (const target of [links.next, links.prev].filter((link) => link !== null)) {
        const { cursor, ...kept } = Object.fromEntries(new URLSearchParams(target.split('?')[1]));
        expect(target.startsWith('/api/v1/websites?')).toBe(true);
        expect(target).toMatch(/^[\x21-\x7e]+$/);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(kept).toEqual(Object.fromEntries(new URLSearchParams(query)));
      }
    }
  });
});
