import { UNRECORDED } from '@hitherto/domain/changes';
import type { Website } from '@hitherto/domain/websites';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled, rejected } from '@hitherto/testing/at-once';
import { aWebsite } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addAccount,
  addWebsites,
  HOSTILE_STRINGS,
  type MakeRepositories,
  type TestRepositories,
} from './support/repositories.ts';

function later(website: Website, milliseconds = 1): Date {
  return new Date(website.updatedAt.getTime() + milliseconds);
}

/** The contract of `WebsiteRepository` for replacing and deleting websites. */
export function websiteChangesContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;
  let otherId: string;

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
    otherId = await addAccount(repositories);
  });

  describe('replace', () => {
    it('replaces every field of the named version', async () => {
      const website = aWebsite();
      await repositories.websites.insert(accountId, website, UNRECORDED);
      const changed: Website = {
        ...website,
        url: 'http://new.example/é'.replace('é', '%C3%A9'),
        privacy: 'password',
        passwordHash: 'hash',
        emailReports: true,
        excludeBots: false,
        excludedParams: [],
        excludedIps: ['192.0.2.1'],
        timeZone: 'Asia/Kolkata',
        aliases: ['matomo:3'],
        updatedAt: later(website),
      };

      expect(await repositories.websites.replace(accountId, changed, website.updatedAt, UNRECORDED)).toBe(true);

      expect(await repositories.websites.find(wholeAccount(accountId), website.id)).toStrictEqual(changed);
      const found = await repositories.websites.list(
        wholeAccount(accountId),
        { order: 'address_asc', search: '/é' },
        10,
      );
      expect(found.websites).toStrictEqual([changed]);
    });

    it('writes nothing if the version, the id or the account is another', async () => {
      const website = aWebsite();
      await repositories.websites.insert(accountId, website, UNRECORDED);
      const changed = { ...website, emailReports: true, updatedAt: later(website, 5) };

      expect(await repositories.websites.replace(accountId, changed, later(website, 1), UNRECORDED)).toBe(false);
      expect(await repositories.websites.replace(accountId, changed, later(website, -1), UNRECORDED)).toBe(false);
      expect(await repositories.websites.replace(otherId, changed, website.updatedAt, UNRECORDED)).toBe(false);
      expect(
        await repositories.websites.replace(accountId, { ...changed, id: newId() }, website.updatedAt, UNRECORDED),
      ).toBe(false);
      for (const id of HOSTILE_STRINGS) {
        expect(await repositories.websites.replace(accountId, { ...changed, id }, website.updatedAt, UNRECORDED)).toBe(
          false,
        );
        expect(await repositories.websites.replace(id, changed, website.updatedAt, UNRECORDED)).toBe(false);
      }

      expect(await repositories.websites.find(wholeAccount(accountId), website.id)).toStrictEqual(website);
    });

    it('rejects the address of another website of the account, and frees the old address', async () => {
      const [first, second] = await addWebsites(repositories, accountId, ['https://a.example', 'https://b.example']);
      if (first === undefined || second === undefined) throw new Error('Two were added.');
      const moved = { ...first, url: 'http://b.example', updatedAt: later(first) };
      const free = { ...first, url: 'https://c.example', updatedAt: later(first) };

      const taking = repositories.websites.replace(accountId, moved, first.updatedAt, UNRECORDED);
      await expect(taking).rejects.toMatchObject({ code: 'url_taken', existingId: second.id });
      expect(await repositories.websites.replace(accountId, moved, later(first), UNRECORDED)).toBe(false);
      expect(await repositories.websites.replace(accountId, free, first.updatedAt, UNRECORDED)).toBe(true);

      const [third] = await addWebsites(repositories, accountId, ['https://a.example']);
      expect(await repositories.websites.find(wholeAccount(accountId), third?.id ?? '')).toStrictEqual(third);
    });

    it('lets a website change the scheme of its own address', async () => {
      const website = aWebsite({ url: 'http://a.example' });
      await repositories.websites.insert(accountId, website, UNRECORDED);
      const changed = { ...website, url: 'https://a.example', updatedAt: later(website) };

      expect(await repositories.websites.replace(accountId, changed, website.updatedAt, UNRECORDED)).toBe(true);
    });

    it('lets one of fifty concurrent changes of a version succeed', async () => {
      const website = aWebsite();
      await repositories.websites.insert(accountId, website, UNRECORDED);

      const results = await atOnce(50, (index) =>
        repositories.websites.replace(
          accountId,
          { ...website, updatedAt: later(website, index + 1) },
          website.updatedAt,
          UNRECORDED,
        ),
      );

      const outcomes = fulfilled(results);
      expect(outcomes).toHaveLength(50);
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      const found = await repositories.websites.find(wholeAccount(accountId), website.id);
      expect(found?.updatedAt).toEqual(later(website, outcomes.indexOf(true) + 1));
    });
  });

  describe('aliases', () => {
    const withAliases = (aliases: readonly string[], url = 'https://a.example') =>
      aWebsite({ id: newId(), url, aliases });
    const find = async (alias: string) => (await repositories.directory.findByAlias(alias))?.website.id;

    it('belong to one website of the installation, whichever of its accounts comes second', async () => {
      const first = withAliases(['b', 'a']);
      await repositories.websites.insert(accountId, first, UNRECORDED);

      const other = withAliases(['c', 'a', 'b'], 'https://b.example');
      const second = withAliases(['c'], 'https://c.example');
      await expect(repositories.websites.insert(otherId, other, UNRECORDED)).rejects.toMatchObject({
        code: 'alias_taken',
        message: expect.stringContaining('alias 2 of the list'),
      });
      await repositories.websites.insert(accountId, second, UNRECORDED);
      const changed = { ...second, aliases: ['c', 'b'], updatedAt: later(second) };
      const changing = repositories.websites.replace(accountId, changed, second.updatedAt, UNRECORDED);

      await expect(changing).rejects.toMatchObject({ code: 'alias_taken' });
      expect(await repositories.websites.find(wholeAccount(otherId), other.id)).toBeUndefined();
      expect(await repositories.websites.find(wholeAccount(accountId), second.id)).toStrictEqual(second);
      expect([await find('a'), await find('b'), await find('c')]).toEqual([first.id, first.id, second.id]);
    });

    it('are named by the first of the list that is taken, whichever website has it', async () => {
      await repositories.websites.insert(accountId, withAliases(['c']), UNRECORDED);
      await repositories.websites.insert(accountId, withAliases(['b'], 'https://b.example'), UNRECORDED);

      const adding = repositories.websites.insert(otherId, withAliases(['a', 'b', 'c']), UNRECORDED);

      await expect(adding).rejects.toMatchObject({ message: expect.stringContaining('alias 2 of the list') });
    });

    it('are free once their website has dropped them, or is deleted, or its account', async () => {
      const first = withAliases(['a', 'b']);
      await repositories.websites.insert(accountId, first, UNRECORDED);
      const changed = { ...first, aliases: ['c', 'b'], updatedAt: later(first) };

      expect(await repositories.websites.replace(accountId, changed, first.updatedAt, UNRECORDED)).toBe(true);
      expect([await find('a'), await find('b'), await find('c')]).toEqual([undefined, first.id, first.id]);
      await repositories.websites.insert(otherId, withAliases(['a']), UNRECORDED);
      await repositories.websites.delete(accountId, first.id, undefined, UNRECORDED);
      expect(await find('b')).toBeUndefined();
      await repositories.access.deleteAccount(otherId);

      expect(await find('a')).toBeUndefined();
      await repositories.websites.insert(accountId, withAliases(['b', 'a']), UNRECORDED);
    });

    it('go to one of twenty websites that ask for them at once', async () => {
      const websites = Array.from({ length: 20 }, (_, index) => {
        const aliases = index % 2 === 0 ? ['a', 'b', 'c'] : ['c', 'b', 'a'];
        return withAliases(aliases, `https://${index}.example`);
      });

      const results = await atOnce(20, (index) =>
        repositories.websites.insert(accountId, websites[index] ?? aWebsite(), UNRECORDED),
      );

      expect(fulfilled(results)).toHaveLength(1);
      for (const reason of rejected(results)) expect(reason).toMatchObject({ code: 'alias_taken' });
    });
  });

  describe('delete', () => {
    it('deletes a website once, frees its address, and leaves the others', async () => {
      const [first, second] = await addWebsites(repositories, accountId, ['https://a.example', 'https://b.example']);
      if (first === undefined || second === undefined) throw new Error('Two were added.');

      expect(await repositories.websites.delete(otherId, first.id, undefined, UNRECORDED)).toBe(false);
      expect(await repositories.websites.delete(accountId, first.id, undefined, UNRECORDED)).toBe(true);
      expect(await repositories.websites.delete(accountId, first.id, undefined, UNRECORDED)).toBe(false);

      expect(await repositories.websites.find(wholeAccount(accountId), first.id)).toBeUndefined();
      expect(await repositories.websites.find(wholeAccount(accountId), second.id)).toStrictEqual(second);
      await addWebsites(repositories, accountId, ['https://a.example']);
    });

    it('deletes only the named version', async () => {
      const website = aWebsite();
      await repositories.websites.insert(accountId, website, UNRECORDED);

      expect(await repositories.websites.delete(accountId, website.id, later(website), UNRECORDED)).toBe(false);
      expect(await repositories.websites.delete(accountId, website.id, website.updatedAt, UNRECORDED)).toBe(true);
    });

    it('lets one of fifty concurrent deletes succeed', async () => {
      const website = aWebsite();
      await repositories.websites.insert(accountId, website, UNRECORDED);

      const outcomes = fulfilled(
        await atOnce(50, () => repositories.websites.delete(accountId, website.id, undefined, UNRECORDED)),
      );

      expect(outcomes).toHaveLength(50);
      expect(outcomes.filter(Boolean)).toHaveLength(1);
    });
  });
}
