import { UNRECORDED } from '@hitherto/domain/changes';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled, rejected } from '@hitherto/testing/at-once';
import { aWebsite } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addAccount,
  addWebsites,
  aRecord,
  HOSTILE_STRINGS,
  type MakeRepositories,
  type TestRepositories,
} from './support/repositories.ts';

/** The contract of `WebsiteRepository` for finding and inserting websites. */
export function websiteRepositoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;
  let otherId: string;

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
    otherId = await addAccount(repositories);
  });

  describe('find', () => {
    it('returns a website unchanged, to the millisecond', async () => {
      const website = aWebsite({
        privacy: 'password',
        passwordHash: '$argon2id$é🦊',
        createdAt: new Date('2026-11-20T12:00:00.001Z'),
        updatedAt: new Date('2026-11-20T12:00:00.999Z'),
        excludedParams: ['a"b', "c'd", 'back\\slash', '{brace},comma', 'NULL', ' 🦊 '],
        timeZone: 'America/Argentina/ComodRivadavia',
        aliases: ['b', 'a"b', "c'd", 'back\\slash', '{brace},comma', 'NULL', 'B'],
      });
      await repositories.websites.insert(accountId, website, UNRECORDED);

      expect(await repositories.websites.find(wholeAccount(accountId), website.id)).toStrictEqual(website);
    });

    it('returns absent values as absent: a cleared password as null, empty lists as empty', async () => {
      const website = aWebsite({ passwordHash: null, excludedParams: [], excludedIps: [] });
      await repositories.websites.insert(accountId, website, UNRECORDED);

      expect(await repositories.websites.find(wholeAccount(accountId), website.id)).toStrictEqual(website);
    });

    it('does not find a website of another account, nor an unknown one', async () => {
      const website = aWebsite();
      await repositories.websites.insert(accountId, website, UNRECORDED);

      expect(await repositories.websites.find(wholeAccount(otherId), website.id)).toBeUndefined();
      expect(await repositories.websites.find(wholeAccount(accountId), newId())).toBeUndefined();
      expect(await repositories.websites.find(wholeAccount(newId()), website.id)).toBeUndefined();
    });

    it('finds only websites that are reached', async () => {
      const website = aWebsite();
      await repositories.websites.insert(accountId, website, UNRECORDED);
      const find = (websiteIds: string[]) => repositories.websites.find({ accountId, websiteIds }, website.id);

      expect(await find([newId(), website.id])).toStrictEqual(website);
      expect([await find([newId()]), await find([])]).toEqual([undefined, undefined]);
    });

    it('accepts any string as an id', async () => {
      const website = aWebsite();
      await repositories.websites.insert(accountId, website, UNRECORDED);
      const spellings = [website.id.toUpperCase(), `{${website.id}}`, website.id.replaceAll('-', ''), `${website.id} `];

      for (const text of [...HOSTILE_STRINGS, ...spellings]) {
        expect(await repositories.websites.find(wholeAccount(accountId), text)).toBeUndefined();
        expect(await repositories.websites.find(wholeAccount(text), website.id)).toBeUndefined();
        expect(await repositories.websites.delete(accountId, text, undefined, UNRECORDED)).toBe(false);
        expect(await repositories.websites.delete(text, website.id, undefined, UNRECORDED)).toBe(false);
      }
    });

    it('copies what it stores and what it returns', async () => {
      const params = ['utm_*'];
      const website = aWebsite({ excludedParams: params, updatedAt: new Date('2026-11-20T12:00:00.123Z') });
      await repositories.websites.insert(accountId, website, UNRECORDED);
      params.push('changed');
      website.updatedAt.setTime(0);
      const found = await repositories.websites.find(wholeAccount(accountId), website.id);
      found?.updatedAt.setTime(1);

      const again = await repositories.websites.find(wholeAccount(accountId), website.id);

      expect(again?.excludedParams).toEqual(['utm_*']);
      expect(again?.updatedAt).toEqual(new Date('2026-11-20T12:00:00.123Z'));
    });
  });

  describe('insert', () => {
    it('rejects an address that the account has already, whatever the scheme, and names its website', async () => {
      const [first] = await addWebsites(repositories, accountId, ['https://é.example/x'.replace('é', 'xn--9ca')]);
      const second = aWebsite({ id: newId(), url: 'http://xn--9ca.example/x' });

      const inserting = repositories.websites.insert(accountId, second, UNRECORDED);

      await expect(inserting).rejects.toMatchObject({ code: 'url_taken', existingId: first?.id });
      expect(await repositories.websites.find(wholeAccount(accountId), second.id)).toBeUndefined();
    });

    it('lets two accounts track the same address', async () => {
      await addWebsites(repositories, accountId, ['https://example.com']);

      const [second] = await addWebsites(repositories, otherId, ['https://example.com']);

      expect(await repositories.websites.find(wholeAccount(otherId), second?.id ?? '')).toStrictEqual(second);
    });

    it('distinguishes addresses that differ only in letter case or an escape', async () => {
      const urls = ['https://a.example/x', 'https://a.example/X', 'https://a.example/%78', 'https://a.example/x/y'];

      const added = await addWebsites(repositories, accountId, urls);

      for (const website of added)
        expect(await repositories.websites.find(wholeAccount(accountId), website.id)).toStrictEqual(website);
    });

    it('keeps an address of 2,041 bytes that cannot be compressed', async () => {
      let path = '';
      for (let seed = 1; path.length < 2026; seed = (seed * 48_271) % 2_147_483_647) path += seed.toString(36);
      const url = `https://a.example/${path.slice(0, 2030)}`;

      const [website] = await addWebsites(repositories, accountId, [url]);

      expect(Buffer.byteLength(url)).toBe(2048);
      expect(await repositories.websites.find(wholeAccount(accountId), website?.id ?? '')).toStrictEqual(website);
    });

    it('keeps lists of a thousand long entries', async () => {
      const excludedParams = Array.from({ length: 1000 }, (_, index) => `${index}${'🦊'.repeat(250)}`);
      const website = aWebsite({ excludedParams });
      await repositories.websites.insert(accountId, website, UNRECORDED);

      expect(await repositories.websites.find(wholeAccount(accountId), website.id)).toStrictEqual(website);
    });

    it('rejects an unknown account', async () => {
      for (const gone of [newId(), ...HOSTILE_STRINGS]) {
        await expect(repositories.websites.insert(gone, aWebsite(), UNRECORDED)).rejects.toMatchObject({
          code: 'not_found',
        });
        await expect(
          repositories.websites.insert(gone, aWebsite(), { ...UNRECORDED, record: aRecord() }),
        ).rejects.toMatchObject({
          code: 'not_found',
        });
        const reasons = rejected(
          await atOnce(5, () => repositories.websites.insert(gone, aWebsite({ id: newId() }), UNRECORDED)),
        );
        expect(reasons).toHaveLength(5);
        for (const reason of reasons) expect(reason).toMatchObject({ code: 'not_found' });
      }
    });

    it('adds many concurrent websites of two accounts unchanged', async () => {
      const texts = ['a"b', "c'd", 'back\\slash', '{brace},comma', 'NULL', ' 🦊 ', '\u2028'];
      const websites = Array.from({ length: 100 }, (_, index) =>
        aWebsite({
          id: newId(),
          url: `http${index % 3 === 0 ? 's' : ''}://${index}.xn--9ca.example/%C3%A9`,
          privacy: index % 2 === 0 ? 'password' : 'public',
          passwordHash: index % 2 === 0 ? '$argon2id$é🦊"' : null,
          emailReports: index % 5 === 0,
          excludeBots: index % 7 === 0,
          excludedParams: texts.slice(0, index % 8),
          excludedIps: [],
          updatedAt: new Date(Date.UTC(2026, 10, 20, 12, 0, 1, index)),
        }),
      );
      const accountOf = (index: number) => (index % 4 === 0 ? otherId : accountId);

      const results = await atOnce(websites.length, async (index) => {
        const website = websites[index];
        if (website !== undefined) await repositories.websites.insert(accountOf(index), website, UNRECORDED);
      });

      expect(rejected(results)).toEqual([]);
      for (const [index, website] of websites.entries()) {
        expect(await repositories.websites.find(wholeAccount(accountOf(index)), website.id)).toStrictEqual(website);
      }
    });

    it('adds one of fifty concurrent websites with the same address, and names it to the others', async () => {
      const results = await atOnce(50, async () => {
        const website = aWebsite({ id: newId(), url: 'https://race.example' });
        await repositories.websites.insert(accountId, website, UNRECORDED);
        return website.id;
      });

      const [winner, ...others] = fulfilled(results);
      expect(others).toEqual([]);
      expect(rejected(results)).toHaveLength(49);
      for (const reason of rejected(results)) expect(reason).toMatchObject({ code: 'url_taken', existingId: winner });
    });
  });
}
