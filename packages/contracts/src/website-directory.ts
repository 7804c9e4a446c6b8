import { setTimeout as sleep } from 'node:timers/promises';
import { UNRECORDED } from '@hitherto/domain/changes';
import { addressOf, type Website, wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { aWebsite } from '@hitherto/testing/fixtures';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  addAccount,
  addWebsites,
  HOSTILE_STRINGS,
  type MakeRepositories,
  type TestRepositories,
} from './support/repositories.ts';

/** The contract of `WebsiteDirectory`. */
export function websiteDirectoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;
  let otherId: string;

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
    otherId = await addAccount(repositories);
  });

  const add = async (account: string, url: string): Promise<Website> => {
    const [website] = await addWebsites(repositories, account, [url]);
    return website ?? aWebsite();
  };

  describe('findById', () => {
    it('finds a website of any account, with that account', async () => {
      const first = await add(accountId, 'https://a.example');
      const second = await add(otherId, 'https://a.example');

      expect(await repositories.directory.findById(first.id)).toStrictEqual({ accountId, website: first });
      expect(await repositories.directory.findById(second.id)).toStrictEqual({ accountId: otherId, website: second });
    });

    it('finds nothing for unknown and malformed ids', async () => {
      const { id } = await add(accountId, 'https://a.example');

      for (const text of [...HOSTILE_STRINGS, newId(), accountId, id.toUpperCase(), `${id} `]) {
        expect(await repositories.directory.findById(text)).toBeUndefined();
      }
    });

    it('no longer finds a website once it or its account is deleted', async () => {
      const first = await add(accountId, 'https://a.example');
      const second = await add(otherId, 'https://a.example');

      await repositories.websites.delete(accountId, first.id, undefined, UNRECORDED);
      await repositories.access.deleteAccount(otherId);

      expect(await repositories.directory.findById(first.id)).toBeUndefined();
      expect(await repositories.directory.findById(second.id)).toBeUndefined();
    });

    it('returns copies', async () => {
      const { id } = await add(accountId, 'https://a.example');

      (await repositories.directory.findById(id))?.website.updatedAt.setTime(0);

      expect((await repositories.directory.findById(id))?.website.updatedAt.getTime()).toBeGreaterThan(0);
    });
  });

  describe('findByAddress', () => {
    it('finds the website of the account with the address, however many others have it, whatever the scheme', async () => {
      const path = await add(otherId, 'http://a.example/%C3%A9');
      await addWebsites(repositories, accountId, ['https://a.example/%C3%A9', 'https://a.example/%C3%A9/']);
      expect(await repositories.directory.findByAddress(addressOf(path.url), wholeAccount(otherId))).toStrictEqual([
        { accountId: otherId, website: path },
      ]);

      for (const account of [await addAccount(repositories), otherId]) await add(account, 'https://a.example');
      const own = await add(accountId, 'https://a.example');

      expect(await repositories.directory.findByAddress('a.example', wholeAccount(accountId))).toStrictEqual([
        { accountId, website: own },
      ]);
      expect(await repositories.directory.findByAddress('a.example', wholeAccount(newId()))).toEqual([]);
      expect(await repositories.directory.findByAddress('a.example', wholeAccount('x'))).toEqual([]);
    });

    it('finds only websites that are reached', async () => {
      const [one, other] = [await add(accountId, 'https://a.example'), await add(accountId, 'https://a.example/b')];
      const reach = { accountId, websiteIds: [other.id] };

      expect(await repositories.directory.findByAddress('a.example', reach)).toEqual([]);
      expect(await repositories.directory.findByHost('a.example', reach)).toStrictEqual([
        { accountId, website: other },
      ]);
      expect(await repositories.directory.findByAddress('a.example', { accountId, websiteIds: [one.id] })).toHaveLength(
        1,
      );
    });

    it('finds nothing for unknown and malformed addresses', async () => {
      await add(accountId, 'https://a.example');

      for (const text of [...HOSTILE_STRINGS, 'https://a.example', 'A.example', 'b.example']) {
        expect(await repositories.directory.findByAddress(text, wholeAccount(accountId))).toEqual([]);
      }
    });
  });

  describe('findByHost', () => {
    it('finds the websites of the account whose address has the host', async () => {
      const root = await add(accountId, 'https://a.example:8080');
      const shop = await add(accountId, 'http://a.example:8080/shop/a.example');
      const other = await add(otherId, 'http://a.example:8080/other');
      await addWebsites(repositories, accountId, [
        'https://a.example',
        'https://b.a.example:8080',
        'https://b.example/a.example:8080',
      ]);

      const found = await repositories.directory.findByHost('a.example:8080', wholeAccount(accountId));

      expect(found).toHaveLength(2);
      expect(found).toContainEqual({ accountId, website: root });
      expect(found).toContainEqual({ accountId, website: shop });
      expect(await repositories.directory.findByHost('a.example:8080', wholeAccount(otherId))).toStrictEqual([
        { accountId: otherId, website: other },
      ]);
    });

    it('returns two if there are more, and none for unknown and malformed hosts', async () => {
      await addWebsites(repositories, accountId, ['https://a.example/1', 'https://a.example/2', 'https://a.example/3']);

      expect(await repositories.directory.findByHost('a.example', wholeAccount(accountId))).toHaveLength(2);
      for (const text of [...HOSTILE_STRINGS, 'A.example', 'a.example/1', 'b.example', '']) {
        expect(await repositories.directory.findByHost(text, wholeAccount(accountId))).toEqual([]);
      }
    });
  });

  describe('findByAlias', () => {
    it('finds a website of any account, letter by letter', async () => {
      const website = aWebsite({ id: newId(), aliases: ['Blog.example', 'matomo:3'] });
      await repositories.websites.insert(otherId, website, UNRECORDED);

      const entry = { accountId: otherId, website };
      expect(await repositories.directory.findByAlias('Blog.example')).toStrictEqual(entry);
      expect(await repositories.directory.findByAlias('matomo:3')).toStrictEqual(entry);
      for (const text of [...HOSTILE_STRINGS, 'blog.example', 'matomo:33', website.id]) {
        expect(await repositories.directory.findByAlias(text)).toBeUndefined();
      }
    });
  });

  describe('findOwner', () => {
    const owner = (aliases: readonly string[], ...addresses: readonly string[]) =>
      repositories.directory.findOwner({ aliases, addresses });
    const change = async (account: string, website: Website, fields: Partial<Website>): Promise<Website> => {
      const changed = { ...website, ...fields, updatedAt: new Date(website.updatedAt.getTime() + 1) };
      expect(await repositories.websites.replace(account, changed, website.updatedAt, UNRECORDED)).toBe(true);
      return changed;
    };
    const addWithAlias = async (account: string, url: string, alias: string): Promise<Website> => {
      const website = aWebsite({ id: newId(), url, aliases: [alias] });
      await repositories.websites.insert(account, website, UNRECORDED);
      return website;
    };

    it('is the account that had the address or the host first, and none of unknown and hostile names', async () => {
      await add(otherId, 'https://a.example/shop');
      await add(accountId, 'https://a.example');

      expect(await owner([], 'a.example')).toBe(otherId);
      expect(await owner([], 'a.example/shop')).toBe(otherId);
      expect(await owner([], 'www.a.example', 'a.example')).toBe(otherId);
      expect(await owner([], 'b.example')).toBeUndefined();
      expect(await owner([])).toBeUndefined();
      expect(await owner(HOSTILE_STRINGS, ...HOSTILE_STRINGS)).toBeUndefined();
    });

    it('is the account that had the name first, as an alias or as an address', async () => {
      await add(otherId, 'https://a.example');
      await addWithAlias(accountId, 'https://x.example', 'a.example');
      await addWithAlias(accountId, 'https://y.example', 'b.example');
      await add(otherId, 'https://b.example/path');

      expect(await owner(['a.example'], 'a.example')).toBe(otherId);
      expect(await owner(['b.example'], 'b.example')).toBe(accountId);
      expect(await owner(['b.example', 'a.example'])).toBe(accountId);
    });

    it('is the next account once the first has deleted the website, changed its url, or dropped the alias', async () => {
      const first = await add(otherId, 'https://a.example');
      const second = await add(accountId, 'https://a.example');
      const third = await addAccount(repositories);
      await add(third, 'https://a.example/x');

      await repositories.websites.delete(otherId, first.id, undefined, UNRECORDED);
      expect(await owner([], 'a.example')).toBe(accountId);
      const moved = await change(accountId, second, { url: 'https://b.example' });
      expect(await owner([], 'a.example')).toBe(third);
      await change(accountId, moved, { url: 'https://a.example' });
      expect(await owner([], 'a.example')).toBe(third);

      const named = await addWithAlias(otherId, 'https://c.example', 'd.example');
      await add(accountId, 'https://d.example');
      expect(await owner(['d.example'], 'd.example')).toBe(otherId);
      await change(otherId, named, { aliases: [] });
      expect(await owner(['d.example'], 'd.example')).toBe(accountId);
      await repositories.access.deleteAccount(accountId);
      expect(await owner(['d.example'], 'd.example')).toBeUndefined();
    });

    it('keeps a name through other changes: of settings, the scheme, www., the path for the host, other aliases', async () => {
      const website = await addWithAlias(otherId, 'https://a.example/one', 'n');
      await add(accountId, 'https://a.example/two');
      const third = await addAccount(repositories);
      await add(third, 'https://www.a.example/two');
      const again = await change(otherId, website, { emailReports: true, aliases: ['m', 'n'] });
      const other = await change(otherId, again, { url: 'http://www.a.example/one' });

      expect(await owner([], 'a.example', 'www.a.example')).toBe(otherId);
      expect(await owner(['n'], 'a.example/two')).toBe(otherId);
      // A path that is new to it is no name of its own before others had it.
      await change(otherId, other, { url: 'https://a.example/two' });
      expect(await owner([], 'a.example/two')).toBe(accountId);
      expect(await owner([], 'a.example', 'www.a.example')).toBe(otherId);
    });

    it('is one of two accounts that ask for a name at once, and stays it', async () => {
      await Promise.all([
        ...[accountId, otherId].map((account) => add(account, 'https://a.example')),
        addWithAlias(accountId, 'https://x.example', 'a.example'),
      ]);

      const first = await owner(['a.example'], 'a.example', 'www.a.example');
      await add(await addAccount(repositories), 'https://a.example');

      expect([accountId, otherId]).toContain(first);
      expect(await owner(['a.example'], 'a.example', 'www.a.example')).toBe(first);
    });
  });

  it('rejects a website with the id of another account’s website', async () => {
    const { id } = await add(accountId, 'https://a.example');

    await expect(
      repositories.websites.insert(otherId, aWebsite({ id, url: 'https://b.example' }), UNRECORDED),
    ).rejects.toThrow();

    expect(await repositories.directory.findById(id)).toMatchObject({ accountId });
  });

  describe('onChange', () => {
    let stopping: AbortController;
    let heard: (string | undefined)[];

    beforeEach(async () => {
      stopping = new AbortController();
      heard = [];
      repositories.directory.onChange((id) => heard.push(id), stopping.signal);
      // A connection may have to be opened first; from its first notification on, none is missed.
      await expect
        .poll(async () => {
          const { id } = await add(accountId, `https://${newId()}.example`);
          await repositories.websites.delete(accountId, id, undefined, UNRECORDED);
          await sleep(20);
          return heard.includes(id);
        })
        .toBe(true);
      heard.length = 0;
    });

    afterEach(() => stopping.abort());

    const toBeHeard = (...ids: (string | undefined)[]) => expect.poll(() => heard).toEqual(expect.arrayContaining(ids));

    it('reports a website that is changed or deleted', async () => {
      const website = await add(accountId, 'https://a.example');
      const changed = { ...website, emailReports: true, updatedAt: new Date(website.updatedAt.getTime() + 1) };
      await repositories.websites.replace(accountId, changed, website.updatedAt, UNRECORDED);
      await toBeHeard(website.id);

      heard.length = 0;
      await repositories.websites.delete(accountId, website.id, undefined, UNRECORDED);
      await toBeHeard(website.id);
    });

    it('reports the websites that are deleted with their account', async () => {
      const websites = await addWebsites(repositories, otherId, ['https://a.example', 'https://b.example']);

      await repositories.access.deleteAccount(otherId);

      await toBeHeard(...websites.map(({ id }) => id));
    });

    it('reports many websites that are deleted with their account, one by one or all at once', async () => {
      const urls = Array.from({ length: 101 }, (_, index) => `https://${index}.example`);
      await addWebsites(repositories, otherId, urls);

      await repositories.access.deleteAccount(otherId);

      await expect.poll(() => heard.includes(undefined) || heard.length >= 101).toBe(true);
    });

    it('reports nothing after failed changes, nor once its signal has aborted', async () => {
      const website = await add(accountId, 'https://a.example');
      const last = await add(accountId, 'https://last.example');

      await repositories.websites.replace(accountId, website, new Date(0), UNRECORDED);
      await repositories.websites.delete(accountId, newId(), undefined, UNRECORDED);
      await repositories.websites.delete(accountId, last.id, undefined, UNRECORDED);
      await toBeHeard(last.id);
      expect(heard).toEqual([last.id]);

      stopping.abort();
      await repositories.websites.delete(accountId, website.id, undefined, UNRECORDED);
      await sleep(50);
      expect(heard).toEqual([last.id]);
    });
  });
}
