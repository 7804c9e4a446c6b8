import { UNRECORDED } from '@hitherto/domain/changes';
import { COUNT_LIMIT, type WebsiteFilter, wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { aWebsite } from '@hitherto/testing/fixtures';
import { beforeAll, expect, it } from 'vitest';
import { addAccount, addWebsites, type MakeRepositories, type TestRepositories } from './support/repositories.ts';

/** The contract of the total of `WebsiteRepository.list` where it reaches the limit of counting. */
export function countCapContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;

  // The tests share the websites, because there are many.
  beforeAll(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
    const urls = Array.from({ length: COUNT_LIMIT }, (_, index) => `https://${index}.example`);
    for (let from = 0; from < urls.length; from += 500) {
      const added = urls.slice(from, from + 500).map((url) => aWebsite({ id: newId(), url }));
      await Promise.all(added.map((website) => repositories.websites.insert(accountId, website, UNRECORDED)));
    }
  });

  const totals = async (filter: WebsiteFilter) => {
    const page = await repositories.websites.list(wholeAccount(accountId), filter, 10);
    const next = await repositories.websites.list(wholeAccount(accountId), filter, 10, page.next);
    return [page, next].map(({ total, totalIsExact }) => ({ total, totalIsExact }));
  };

  it('counts only the matches of a search, wherever they are', async () => {
    for (const order of ['address_asc', 'address_desc', 'newest_first'] as const) {
      const page = await repositories.websites.list(wholeAccount(accountId), { order, search: '99.e' }, 10);
      const rare = await repositories.websites.list(wholeAccount(accountId), { order, search: '9999.e' }, 10);
      const none = await repositories.websites.list(wholeAccount(accountId), { order, search: 'zzz' }, 10);
      const few = await repositories.websites.list(wholeAccount(accountId), { order, search: 'zz' }, 10);

      for (const search of ['9_9.e', '99%.e', '\\9', '%', '_']) {
        const nothing = { websites: [], previous: undefined, next: undefined, total: 0 };
        expect(await repositories.websites.list(wholeAccount(accountId), { order, search }, 10)).toMatchObject(nothing);
      }
      expect(page).toMatchObject({ total: 100, totalIsExact: true });
      expect(rare).toMatchObject({ total: 1, totalIsExact: true, previous: undefined, next: undefined });
      expect(rare.websites.map(({ url }) => url)).toEqual(['https://9999.example']);
      expect(none).toMatchObject({ websites: [], total: 0 });
      expect(few).toMatchObject({ websites: [], total: 0 });
    }
  });

  it('counts up to the limit, and no further', async () => {
    const filters: WebsiteFilter[] = ['address_asc', 'newest_first'].flatMap((order) =>
      [undefined, 'example', '.e'].map((search) => ({
        order: order === 'address_asc' ? 'address_asc' : 'newest_first',
        ...(search !== undefined && { search }),
      })),
    );
    const exact = { total: COUNT_LIMIT, totalIsExact: true };
    for (const filter of filters) expect(await totals(filter)).toEqual([exact, exact]);

    await addWebsites(repositories, accountId, [`https://${newId()}.example`]);

    const capped = { total: COUNT_LIMIT, totalIsExact: false };
    for (const filter of filters) expect(await totals(filter)).toEqual([capped, capped]);
  });
}
