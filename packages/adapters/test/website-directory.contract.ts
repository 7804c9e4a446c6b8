import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf, type Website } from '@hitherto/domain';
import { aWebsite } from '@hitherto/domain/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../src/ids.ts';
import { addAccount, addWebsites, type MakeStore, type Store } from './store.ts';

const HOSTILE = ['', 'x', '\0', 'a\0b', '\ud800', "' or 1=1 --", '🦊', 'z'.repeat(10_000)];

/** The contract of `WebsiteDirectory`. */
export function websiteDirectoryContract(makeStore: MakeStore): void {
  let store: Store;
  let accountId: string;
  let otherId: string;

  beforeEach(async () => {
    store = await makeStore();
    accountId = await addAccount(store);
    otherId = await addAccount(store);
  });

  const add = async (account: string, url: string): Promise<Website> => {
    const [website] = await addWebsites(store, account, [url]);
    return website ?? aWebsite();
  };

  describe('findById', () => {
    it('finds a website of any account, with that account', async () => {
      const first = await add(accountId, 'https://a.example');
      const second = await add(otherId, 'https://a.example');

      expect(await store.directory.findById(first.id)).toStrictEqual({ accountId, website: first });
      expect(await store.directory.findById(second.id)).toStrictEqual({ accountId: otherId, website: second });
    });

    it('finds nothing for what is no website’s id', async () => {
      const { id } = await add(accountId, 'https://a.example');

      for (const text of [...HOSTILE, newId(), accountId, id.toUpperCase(), `${id} `]) {
        expect(await store.directory.findById(text)).toBeUndefined();
      }
    });

    it('finds a website no more once it, or its account, is deleted', async () => {
      const first = await add(accountId, 'https://a.example');
      const second = await add(otherId, 'https://a.example');

      await store.websites.delete(accountId, first.id);
      await store.access.deleteAccount(otherId);

      expect(await store.directory.findById(first.id)).toBeUndefined();
      expect(await store.directory.findById(second.id)).toBeUndefined();
    });

    it('is not for changing what is kept', async () => {
      const { id } = await add(accountId, 'https://a.example');

      (await store.directory.findById(id))?.website.updatedAt.setTime(0);

      expect((await store.directory.findById(id))?.website.updatedAt.getTime()).toBeGreaterThan(0);
    });
  });

  describe('findByAddress', () => {
    it('finds the websites of all accounts, whatever their scheme, and of no other address', async () => {
      const first = await add(accountId, 'https://a.example/é'.replace('é', '%C3%A9'));
      const second = await add(otherId, 'http://a.example/%C3%A9');
      await addWebsites(store, accountId, ['https://a.example', 'https://a.example/%C3%A9/']);

      const found = await store.directory.findByAddress(addressOf(first.url));

      expect(found).toHaveLength(2);
      expect(found).toContainEqual({ accountId, website: first });
      expect(found).toContainEqual({ accountId: otherId, website: second });
    });

    it('finds two where there are more', async () => {
      for (const account of [accountId, otherId, await addAccount(store)]) await add(account, 'https://a.example');

      expect(await store.directory.findByAddress('a.example')).toHaveLength(2);
    });

    it('finds nothing for what is no website’s address', async () => {
      await add(accountId, 'https://a.example');

      for (const text of [...HOSTILE, 'https://a.example', 'A.example', 'b.example']) {
        expect(await store.directory.findByAddress(text)).toEqual([]);
      }
    });
  });

  it('refuses a website whose id another account’s has', async () => {
    const { id } = await add(accountId, 'https://a.example');

    await expect(store.websites.insert(otherId, aWebsite({ id, url: 'https://b.example' }))).rejects.toThrow();

    expect(await store.directory.findById(id)).toMatchObject({ accountId });
  });

  describe('onChange', () => {
    let stopping: AbortController;
    let heard: (string | undefined)[];

    beforeEach(async () => {
      stopping = new AbortController();
      heard = [];
      store.directory.onChange((id) => heard.push(id), stopping.signal);
      // A connection may have to be opened first; from its first notification on, none is missed.
      await expect
        .poll(async () => {
          const { id } = await add(accountId, `https://${newId()}.example`);
          await store.websites.delete(accountId, id);
          await sleep(20);
          return heard.includes(id);
        })
        .toBe(true);
      heard.length = 0;
    });

    afterEach(() => stopping.abort());

    const toBeHeard = (...ids: (string | undefined)[]) => expect.poll(() => heard).toEqual(expect.arrayContaining(ids));

    it('tells of a website that is changed or deleted', async () => {
      const website = await add(accountId, 'https://a.example');
      const changed = { ...website, emailReports: true, updatedAt: new Date(website.updatedAt.getTime() + 1) };
      await store.websites.replace(accountId, changed, website.updatedAt);
      await toBeHeard(website.id);

      heard.length = 0;
      await store.websites.delete(accountId, website.id);
      await toBeHeard(website.id);
    });

    it('tells of the websites that go with their account', async () => {
      const websites = await addWebsites(store, otherId, ['https://a.example', 'https://b.example']);

      await store.access.deleteAccount(otherId);

      await toBeHeard(...websites.map(({ id }) => id));
    });

    it('tells of many that go with their account, each or all at once', async () => {
      const urls = Array.from({ length: 101 }, (_, index) => `https://${index}.example`);
      await addWebsites(store, otherId, urls);

      await store.access.deleteAccount(otherId);

      await expect.poll(() => heard.includes(undefined) || heard.length >= 101).toBe(true);
    });

    it('says nothing of what failed, nor once its signal has aborted', async () => {
      const website = await add(accountId, 'https://a.example');
      const last = await add(accountId, 'https://last.example');

      await store.websites.replace(accountId, website, new Date(0));
      await store.websites.delete(accountId, newId());
      await store.websites.delete(accountId, last.id);
      await toBeHeard(last.id);
      expect(heard).toEqual([last.id]);

      stopping.abort();
      await store.websites.delete(accountId, website.id);
      await sleep(50);
      expect(heard).toEqual([last.id]);
    });
  });
}
