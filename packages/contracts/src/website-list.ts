import { UNRECORDED } from '@hitherto/domain/changes';
import {
  addressOf,
  type CursorPosition,
  foldCase,
  type Website,
  type WebsiteFilter,
  type WebsitePage,
  wholeAccount,
} from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { beforeEach, describe, expect, it } from 'vitest';
import { addAccount, addWebsites, type MakeRepositories, type TestRepositories } from './support/repositories.ts';

const ORDERS = ['address_asc', 'address_desc', 'newest_first'] as const;

/** In byte order, which differs from that of a language, and from one that ignores punctuation or letter case. */
const SORTED = [
  'https://10.example',
  'http://9.example',
  'https://a-b.example',
  'https://a.example',
  'https://a.example/B',
  'https://a.example/a',
  'http://a.example/a%20b',
  'https://a.example/aB',
  'https://a.example/a_b',
  'https://a.example/~',
  'https://b.example',
  'https://xn--caf-dma.example/%F0%9F%A6%8A',
];

/** The contract of `WebsiteRepository.list`. */
export function websiteListContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;
  let added: Website[];

  const list = (filter: WebsiteFilter, limit: number, position?: CursorPosition): Promise<WebsitePage> =>
    repositories.websites.list(wholeAccount(accountId), filter, limit, position);
  const urlsOf = ({ websites }: WebsitePage) => websites.map(({ url }) => url);
  const keyOf = (website: Website, order: WebsiteFilter['order']) =>
    order === 'newest_first' ? website.id : addressOf(website.url);

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
    // Neither sorted nor reversed, so that no order equals that of insertion.
    const shuffled = [...SORTED.filter((_, index) => index % 2), ...SORTED.filter((_, index) => index % 2 === 0)];
    added = await addWebsites(repositories, accountId, shuffled);
    await addWebsites(repositories, await addAccount(repositories), ['https://a.example', 'https://foreign.example']);
  });

  describe('names', () => {
    it('are of the first websites by address', async () => {
      const names = (limit: number, websiteIds: readonly string[] | null = null) =>
        repositories.websites.names({ accountId, websiteIds }, limit);
      const [some] = added.filter(({ url }) => url === 'https://b.example');

      expect((await names(100)).map(({ url }) => url)).toEqual(SORTED);
      expect(await names(1)).toEqual([{ id: expect.any(String), url: SORTED[0], timeZone: null, label: null }]);
      expect(await names(100, [some?.id ?? '', 'nobody'])).toHaveLength(1);
      expect(await repositories.websites.names(wholeAccount('nobody'), 100)).toEqual([]);
    });
  });

  /** The account's websites as the order should have them. */
  const expected = (order: WebsiteFilter['order']): Website[] => {
    const byAddress = SORTED.map((url) => added.find((website) => website.url === url)).filter((w) => w !== undefined);
    if (order === 'newest_first') return [...added].reverse();
    return order === 'address_asc' ? byAddress : byAddress.reverse();
  };

  describe.each(ORDERS)('%s', (order) => {
    it('lists all websites of the account in order, and no others', async () => {
      const page = await list({ order }, 100);

      expect(page.websites).toStrictEqual(expected(order));
      expect(page).toMatchObject({ previous: undefined, next: undefined, total: 12, totalIsExact: true });
    });

    it.each(['', 'a', 'example'])('has the same pages forward and back, searching "%s"', async (search) => {
      const matching = expected(order).filter(({ url }) => url.includes(search));
      for (const limit of [1, 5, 11]) {
        const pages: WebsitePage[] = [await list({ order, search }, limit)];
        for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next) {
          pages.push(await list({ order, search }, limit, next));
        }

        expect(pages.flatMap(({ websites }) => websites)).toStrictEqual(matching);
        expect(pages).toHaveLength(Math.ceil(matching.length / limit));
        for (const [index, page] of pages.entries()) {
          const before = matching[index * limit - 1];
          expect(page.previous).toEqual(before && { side: 'up_to', key: keyOf(before, order) });
          expect(page.total).toBe(matching.length);
          if (page.previous === undefined) continue;
          expect(await list({ order, search }, limit, page.previous)).toStrictEqual(pages[index - 1]);
        }
      }
    });

    it('continues from a position whose website is deleted', async () => {
      const websites = expected(order);
      const [gone, next] = [websites[4], websites[5]];
      if (gone === undefined || next === undefined) throw new Error('There are twelve.');
      const key = keyOf(gone, order);
      await repositories.websites.delete(accountId, gone.id, undefined, UNRECORDED);

      const after = await list({ order }, 2, { side: 'after', key });
      const upTo = await list({ order }, 2, { side: 'up_to', key });

      expect(after.websites).toStrictEqual(websites.slice(5, 7));
      expect(after.previous).toEqual({ side: 'up_to', key: keyOf(websites[3] ?? next, order) });
      expect(upTo.websites).toStrictEqual(websites.slice(2, 4));
      expect(upTo.previous).toEqual({ side: 'up_to', key: keyOf(websites[1] ?? next, order) });
      expect(upTo.next).toEqual({ side: 'after', key: keyOf(websites[3] ?? next, order) });
    });

    it('leads back from beyond either end', async () => {
      const websites = expected(order);
      const ends = [websites[0], websites[11]].map((website) => website && keyOf(website, order));
      const [first = '', last = ''] = ends;

      const beyond = await list({ order }, 3, { side: 'after', key: last });
      const start =
        order === 'address_asc' ? '!' : order === 'address_desc' ? '~' : 'ffffffff-ffff-7fff-bfff-ffffffffffff';
      const ahead = await list({ order }, 3, { side: 'up_to', key: start });

      expect(beyond).toEqual({
        websites: [],
        previous: { side: 'up_to', key: last },
        next: undefined,
        total: 12,
        totalIsExact: true,
      });
      expect(ahead).toMatchObject({ websites: [], previous: undefined, next: { side: 'after', key: start } });
      expect((await list({ order }, 3, { side: 'up_to', key: first })).websites).toStrictEqual(websites.slice(0, 1));
    });

    it('has only the websites that are reached, as if there were no others', async () => {
      const reached = expected(order).filter((_, index) => index % 3 > 0);
      const reach = { accountId, websiteIds: [newId(), ...reached.map(({ id }) => id)].reverse() };
      const listed = (filter: WebsiteFilter, position?: CursorPosition) =>
        repositories.websites.list(reach, filter, 3, position);

      const first = await listed({ order });
      const second = await listed({ order }, first.next);

      expect([...first.websites, ...second.websites]).toStrictEqual(reached.slice(0, 6));
      expect(first).toMatchObject({ previous: undefined, total: reached.length, totalIsExact: true });
      expect((await listed({ order }, second.previous)).websites).toStrictEqual(first.websites);
      expect((await listed({ order, search: '/a' })).websites).toStrictEqual(
        reached.filter(({ url }) => url.includes('/a')).slice(0, 3),
      );
      expect((await repositories.websites.list({ ...reach, websiteIds: [] }, { order }, 10)).total).toBe(0);
      expect((await repositories.websites.list({ ...reach, websiteIds: ['no id'] }, { order }, 10)).total).toBe(0);
    });

    it('is empty for an account without websites and for an unknown one', async () => {
      const nothing = { websites: [], previous: undefined, next: undefined, total: 0, totalIsExact: true };
      const empty = await addAccount(repositories);
      const position = { side: 'after', key: newId() } as const;

      for (const id of [empty, newId(), 'no id', '\0', '']) {
        expect(await repositories.websites.list(wholeAccount(id), { order }, 10)).toEqual(nothing);
        expect(await repositories.websites.list(wholeAccount(id), { order, search: 'a' }, 10)).toEqual(nothing);
        expect(await repositories.websites.list(wholeAccount(id), { order }, 10, position)).toEqual(nothing);
      }
    });

    it('returns larger pages than the API requests', async () => {
      const urls = Array.from({ length: 130 }, (_, index) => `https://more.example/${index}`);
      const more = await addWebsites(repositories, accountId, urls);

      const page = await list({ order }, 120);

      expect(page.websites).toHaveLength(120);
      expect(page.total).toBe(12 + more.length);
      expect(page.next).toEqual({ side: 'after', key: keyOf(page.websites[119] ?? aFail(), order) });
    });

    it('accepts any text as the key of a position', async () => {
      const keys = ['', '\0', 'a.example\0', '\ud800', '🦊', '%', "'", 'no id', 'x'.repeat(5000)];
      for (const key of keys) {
        for (const side of ['after', 'up_to'] as const) {
          const page = await list({ order }, 100, { side, key });
          const searched = await list({ order, search: 'example' }, 100, { side, key });

          const isAfter = (website: Website) =>
            order === 'address_asc' ? addressOf(website.url) > key : addressOf(website.url) < key;
          const shown = expected(order).filter((website) => isAfter(website) === (side === 'after'));
          expect(page.websites).toStrictEqual(order === 'newest_first' ? [] : shown);
          expect(searched).toStrictEqual(page);
          expect(page.total).toBe(12);
        }
      }
    });
  });

  describe('search', () => {
    const find = async (search: string) => urlsOf(await list({ order: 'address_asc', search: foldCase(search) }, 100));

    it('takes wildcards and escapes literally', async () => {
      await addWebsites(repositories, accountId, [
        'https://w.example/100%25',
        'https://w.example/a_c',
        'https://w.example/abc',
      ]);

      expect(await find('a_c')).toEqual(['https://w.example/a_c']);
      expect(await find('w.%')).toEqual([]);
      expect(await find('100%')).toEqual(['https://w.example/100%25']);
      expect(await find('%')).toEqual(expect.arrayContaining(['https://w.example/100%25', 'http://a.example/a%20b']));
      expect(await find('\\')).toEqual([]);
      expect(await find('w_example')).toEqual([]);
      expect(await find('.*')).toEqual([]);
    });

    it('matches the url as stored and as people write it, whatever the letter case', async () => {
      const url = 'https://xn--caf-dma.example/%F0%9F%A6%8A';

      for (const search of ['CAFÉ', 'café.EXAMPLE/🦊', '🦊', 'xn--caf', '%f0%9f', 'https://caf', 'é', 'f']) {
        expect(await find(search)).toContain(url);
      }
      expect(await find('a.example/b')).toEqual(['https://a.example/B']);
      expect(await find('HTTP://')).toEqual(['http://9.example', 'http://a.example/a%20b']);
    });

    it('does not match across the two forms of a url', async () => {
      expect(await find('\n')).toEqual([]);
      expect(await find('8a\nhttps')).toEqual([]);
    });

    it('finds nothing for text that no url can hold, and does not throw', async () => {
      for (const search of ['\0', 'a\0', '\ud800', 'zzz', 'x'.repeat(3000), "' or ''='", '  ', '\r', '\ufffd']) {
        expect(await find(search)).toEqual([]);
      }
    });

    it('returns the page, its positions and the total of the matches only', async () => {
      const page = await list({ order: 'address_desc', search: 'a.example/a' }, 2);

      expect(urlsOf(page)).toEqual(['https://a.example/a_b', 'https://a.example/aB']);
      expect(page).toMatchObject({ previous: undefined, next: { key: 'a.example/aB' }, total: 4, totalIsExact: true });
    });
  });
}

function aFail(): never {
  throw new Error('The page is shorter than it should be.');
}
