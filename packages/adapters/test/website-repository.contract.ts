import type { IdempotencyRecord, Website } from '@hitherto/domain';
import { aWebsite } from '@hitherto/domain/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../src/ids.ts';
import {
  addAccount,
  addWebsites,
  atOnce,
  fulfilled,
  type MakeRepositories,
  rejected,
  type TestRepositories,
} from './repositories.ts';

const HOSTILE = ['', 'x', '\0', 'a\0b', '\ud800', "' or 1=1 --", '🦊', '01997c3e', 'z'.repeat(10_000)];

function later(website: Website, milliseconds = 1): Date {
  return new Date(website.updatedAt.getTime() + milliseconds);
}

function aRecord(overrides: Partial<IdempotencyRecord> = {}): IdempotencyRecord {
  return {
    keyHash: 'key-hash',
    fingerprint: 'fingerprint',
    sealedResponse: 'sealed',
    expiresAt: new Date('2026-11-21T12:00:00.123Z'),
    ...overrides,
  };
}

/** The contract of `WebsiteRepository` but for its list. */
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
    it('returns a website as it was added, to the millisecond', async () => {
      const website = aWebsite({
        privacy: 'password',
        passwordHash: '$argon2id$é🦊',
        createdAt: new Date('2026-11-20T12:00:00.001Z'),
        updatedAt: new Date('2026-11-20T12:00:00.999Z'),
        excludedParams: ['a"b', "c'd", 'back\\slash', '{brace},comma', 'NULL', ' 🦊 '],
      });
      await repositories.websites.insert(accountId, website);

      expect(await repositories.websites.find(accountId, website.id)).toStrictEqual(website);
    });

    it('returns what is absent as absent: a cleared password as null, empty lists as empty', async () => {
      const website = aWebsite({ passwordHash: null, excludedParams: [], excludedIps: [] });
      await repositories.websites.insert(accountId, website);

      expect(await repositories.websites.find(accountId, website.id)).toStrictEqual(website);
    });

    it('does not see the website of another account, nor one that never was', async () => {
      const website = aWebsite();
      await repositories.websites.insert(accountId, website);

      expect(await repositories.websites.find(otherId, website.id)).toBeUndefined();
      expect(await repositories.websites.find(accountId, newId())).toBeUndefined();
      expect(await repositories.websites.find(newId(), website.id)).toBeUndefined();
    });

    it('takes any text for an id', async () => {
      const website = aWebsite();
      await repositories.websites.insert(accountId, website);
      const spellings = [website.id.toUpperCase(), `{${website.id}}`, website.id.replaceAll('-', ''), `${website.id} `];

      for (const text of [...HOSTILE, ...spellings]) {
        expect(await repositories.websites.find(accountId, text)).toBeUndefined();
        expect(await repositories.websites.find(text, website.id)).toBeUndefined();
        expect(await repositories.websites.delete(accountId, text)).toBe(false);
        expect(await repositories.websites.delete(text, website.id)).toBe(false);
      }
    });

    it('copies in and out', async () => {
      const params = ['utm_*'];
      const website = aWebsite({ excludedParams: params, updatedAt: new Date('2026-11-20T12:00:00.123Z') });
      await repositories.websites.insert(accountId, website);
      params.push('changed');
      website.updatedAt.setTime(0);
      const found = await repositories.websites.find(accountId, website.id);
      found?.updatedAt.setTime(1);

      const again = await repositories.websites.find(accountId, website.id);

      expect(again?.excludedParams).toEqual(['utm_*']);
      expect(again?.updatedAt).toEqual(new Date('2026-11-20T12:00:00.123Z'));
    });
  });

  describe('insert', () => {
    it('refuses an address that the account has already, whatever the scheme, and names its website', async () => {
      const [first] = await addWebsites(repositories, accountId, ['https://é.example/x'.replace('é', 'xn--9ca')]);
      const second = aWebsite({ id: newId(), url: 'http://xn--9ca.example/x' });

      const inserting = repositories.websites.insert(accountId, second);

      await expect(inserting).rejects.toMatchObject({ code: 'url_taken', existingId: first?.id });
      expect(await repositories.websites.find(accountId, second.id)).toBeUndefined();
    });

    it('lets two accounts track the same address', async () => {
      await addWebsites(repositories, accountId, ['https://example.com']);

      const [second] = await addWebsites(repositories, otherId, ['https://example.com']);

      expect(await repositories.websites.find(otherId, second?.id ?? '')).toStrictEqual(second);
    });

    it('tells addresses apart that differ in letter case or an escape alone', async () => {
      const urls = ['https://a.example/x', 'https://a.example/X', 'https://a.example/%78', 'https://a.example/x/y'];

      const added = await addWebsites(repositories, accountId, urls);

      for (const website of added)
        expect(await repositories.websites.find(accountId, website.id)).toStrictEqual(website);
    });

    it('keeps an address of 2,041 bytes that cannot be compressed', async () => {
      let path = '';
      for (let seed = 1; path.length < 2026; seed = (seed * 48_271) % 2_147_483_647) path += seed.toString(36);
      const url = `https://a.example/${path.slice(0, 2030)}`;

      const [website] = await addWebsites(repositories, accountId, [url]);

      expect(Buffer.byteLength(url)).toBe(2048);
      expect(await repositories.websites.find(accountId, website?.id ?? '')).toStrictEqual(website);
    });

    it('keeps lists of a thousand long entries', async () => {
      const excludedParams = Array.from({ length: 1000 }, (_, index) => `${index}${'🦊'.repeat(250)}`);
      const website = aWebsite({ excludedParams });
      await repositories.websites.insert(accountId, website);

      expect(await repositories.websites.find(accountId, website.id)).toStrictEqual(website);
    });

    it('refuses an account that is gone', async () => {
      for (const gone of [newId(), ...HOSTILE]) {
        await expect(repositories.websites.insert(gone, aWebsite())).rejects.toMatchObject({ code: 'not_found' });
        await expect(repositories.websites.insert(gone, aWebsite(), aRecord())).rejects.toMatchObject({
          code: 'not_found',
        });
        const reasons = rejected(await atOnce(5, () => repositories.websites.insert(gone, aWebsite({ id: newId() }))));
        expect(reasons).toHaveLength(5);
        for (const reason of reasons) expect(reason).toMatchObject({ code: 'not_found' });
      }
    });

    it('adds many at once, of two accounts, each as it is', async () => {
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
        if (website !== undefined) await repositories.websites.insert(accountOf(index), website);
      });

      expect(rejected(results)).toEqual([]);
      for (const [index, website] of websites.entries()) {
        expect(await repositories.websites.find(accountOf(index), website.id)).toStrictEqual(website);
      }
    });

    it('of fifty at once with one address adds exactly one, and names it to the others', async () => {
      const results = await atOnce(50, async () => {
        const website = aWebsite({ id: newId(), url: 'https://race.example' });
        await repositories.websites.insert(accountId, website);
        return website.id;
      });

      const [winner, ...others] = fulfilled(results);
      expect(others).toEqual([]);
      expect(rejected(results)).toHaveLength(49);
      for (const reason of rejected(results)) expect(reason).toMatchObject({ code: 'url_taken', existingId: winner });
    });
  });

  describe('insert with a record', () => {
    it('keeps the record for its account until it expires', async () => {
      const record = aRecord({ sealedResponse: 'é🦊' });

      expect(await repositories.websites.insert(accountId, aWebsite(), record)).toBeUndefined();

      const at = (time: number) => new Date(record.expiresAt.getTime() + time);
      expect(await repositories.idempotency.find(accountId, record.keyHash, at(-1))).toStrictEqual(record);
      expect(await repositories.idempotency.find(accountId, record.keyHash, at(0))).toBeUndefined();
      expect(await repositories.idempotency.find(otherId, record.keyHash, at(-1))).toBeUndefined();
      for (const text of HOSTILE) {
        expect(await repositories.idempotency.find(accountId, text, at(-1))).toBeUndefined();
        expect(await repositories.idempotency.find(text, record.keyHash, at(-1))).toBeUndefined();
      }
    });

    it('returns an earlier record and writes nothing, even where the address is taken', async () => {
      const earlier = aRecord();
      await repositories.websites.insert(accountId, aWebsite(), earlier);
      const again = aWebsite({ id: newId() });
      const other = aWebsite({ id: newId(), url: 'https://other.example' });

      expect(await repositories.websites.insert(accountId, again, aRecord({ fingerprint: 'new' }))).toStrictEqual(
        earlier,
      );
      expect(await repositories.websites.insert(accountId, other, aRecord({ fingerprint: 'new' }))).toStrictEqual(
        earlier,
      );

      expect(await repositories.websites.find(accountId, again.id)).toBeUndefined();
      expect(await repositories.websites.find(accountId, other.id)).toBeUndefined();
    });

    it('replaces a record that has expired when the website is made', async () => {
      const old = aRecord();
      await repositories.websites.insert(accountId, aWebsite(), old);
      const createdAt = old.expiresAt;
      const website = aWebsite({ id: newId(), url: 'https://other.example', createdAt, updatedAt: createdAt });
      const fresh = aRecord({ fingerprint: 'new', expiresAt: new Date(createdAt.getTime() + 1000) });

      expect(await repositories.websites.insert(accountId, website, fresh)).toBeUndefined();

      expect(await repositories.websites.find(accountId, website.id)).toStrictEqual(website);
      expect(await repositories.idempotency.find(accountId, fresh.keyHash, createdAt)).toStrictEqual(fresh);
    });

    it('leaves no record where the address is taken, and keeps an expired one as it was', async () => {
      await repositories.websites.insert(accountId, aWebsite(), aRecord());
      const again = aWebsite({ id: newId() });
      const record = aRecord({ keyHash: 'second' });

      await expect(repositories.websites.insert(accountId, again, record)).rejects.toMatchObject({ code: 'url_taken' });

      expect(await repositories.idempotency.find(accountId, 'second', again.createdAt)).toBeUndefined();
    });

    it('of fifty at once with one key adds exactly one website, and returns its record to the others', async () => {
      const ids = Array.from({ length: 50 }, newId);
      const results = await atOnce(50, (index) => {
        const website = aWebsite({ id: ids[index] ?? '', url: `https://race${index}.example` });
        return repositories.websites.insert(accountId, website, aRecord({ fingerprint: website.id }));
      });

      const outcomes = fulfilled(results);
      const winner = ids[outcomes.indexOf(undefined)];
      expect(outcomes).toHaveLength(50);
      expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1);
      for (const outcome of outcomes) if (outcome !== undefined) expect(outcome.fingerprint).toBe(winner);
      const page = await repositories.websites.list(accountId, { order: 'newest_first' }, 100);
      expect(page.websites.map(({ id }) => id)).toEqual([winner]);
    });

    it('drops the expired records of all accounts, and counts them', async () => {
      const expiresAt = new Date('2026-11-21T00:00:00.000Z');
      await repositories.websites.insert(accountId, aWebsite(), aRecord({ expiresAt }));
      await repositories.websites.insert(otherId, aWebsite({ id: newId() }), aRecord({ expiresAt }));
      const kept = aRecord({ keyHash: 'kept', expiresAt: new Date(expiresAt.getTime() + 1) });
      await repositories.websites.insert(otherId, aWebsite({ id: newId(), url: 'https://kept.example' }), kept);

      expect(await repositories.idempotency.deleteExpired(new Date(expiresAt.getTime() - 1))).toBe(0);
      expect(await repositories.idempotency.deleteExpired(expiresAt)).toBe(2);

      const before = new Date(0);
      expect(await repositories.idempotency.find(accountId, 'key-hash', before)).toBeUndefined();
      expect(await repositories.idempotency.find(otherId, 'kept', before)).toStrictEqual(kept);
    });
  });

  describe('replace', () => {
    it('puts every field in the place of the version that it names', async () => {
      const website = aWebsite();
      await repositories.websites.insert(accountId, website);
      const changed: Website = {
        ...website,
        url: 'http://new.example/é'.replace('é', '%C3%A9'),
        privacy: 'password',
        passwordHash: 'hash',
        emailReports: true,
        excludeBots: false,
        excludedParams: [],
        excludedIps: ['192.0.2.1'],
        updatedAt: later(website),
      };

      expect(await repositories.websites.replace(accountId, changed, website.updatedAt)).toBe(true);

      expect(await repositories.websites.find(accountId, website.id)).toStrictEqual(changed);
      const found = await repositories.websites.list(accountId, { order: 'address_asc', search: '/é' }, 10);
      expect(found.websites).toStrictEqual([changed]);
    });

    it('writes nothing where the version is another, the website gone, or the account not its own', async () => {
      const website = aWebsite();
      await repositories.websites.insert(accountId, website);
      const changed = { ...website, emailReports: true, updatedAt: later(website, 5) };

      expect(await repositories.websites.replace(accountId, changed, later(website, 1))).toBe(false);
      expect(await repositories.websites.replace(accountId, changed, later(website, -1))).toBe(false);
      expect(await repositories.websites.replace(otherId, changed, website.updatedAt)).toBe(false);
      expect(await repositories.websites.replace(accountId, { ...changed, id: newId() }, website.updatedAt)).toBe(
        false,
      );
      for (const id of HOSTILE) {
        expect(await repositories.websites.replace(accountId, { ...changed, id }, website.updatedAt)).toBe(false);
        expect(await repositories.websites.replace(id, changed, website.updatedAt)).toBe(false);
      }

      expect(await repositories.websites.find(accountId, website.id)).toStrictEqual(website);
    });

    it('refuses the address of another website of the account, and frees its own old one', async () => {
      const [first, second] = await addWebsites(repositories, accountId, ['https://a.example', 'https://b.example']);
      if (first === undefined || second === undefined) throw new Error('Two were added.');
      const moved = { ...first, url: 'http://b.example', updatedAt: later(first) };
      const free = { ...first, url: 'https://c.example', updatedAt: later(first) };

      const taking = repositories.websites.replace(accountId, moved, first.updatedAt);
      await expect(taking).rejects.toMatchObject({ code: 'url_taken', existingId: second.id });
      expect(await repositories.websites.replace(accountId, moved, later(first))).toBe(false);
      expect(await repositories.websites.replace(accountId, free, first.updatedAt)).toBe(true);

      const [third] = await addWebsites(repositories, accountId, ['https://a.example']);
      expect(await repositories.websites.find(accountId, third?.id ?? '')).toStrictEqual(third);
    });

    it('lets a website change the scheme of its own address', async () => {
      const website = aWebsite({ url: 'http://a.example' });
      await repositories.websites.insert(accountId, website);
      const changed = { ...website, url: 'https://a.example', updatedAt: later(website) };

      expect(await repositories.websites.replace(accountId, changed, website.updatedAt)).toBe(true);
    });

    it('of fifty at once on one version lets exactly one win', async () => {
      const website = aWebsite();
      await repositories.websites.insert(accountId, website);

      const results = await atOnce(50, (index) =>
        repositories.websites.replace(
          accountId,
          { ...website, updatedAt: later(website, index + 1) },
          website.updatedAt,
        ),
      );

      const outcomes = fulfilled(results);
      expect(outcomes).toHaveLength(50);
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      const found = await repositories.websites.find(accountId, website.id);
      expect(found?.updatedAt).toEqual(later(website, outcomes.indexOf(true) + 1));
    });
  });

  describe('delete', () => {
    it('removes a website once, frees its address, and leaves the others', async () => {
      const [first, second] = await addWebsites(repositories, accountId, ['https://a.example', 'https://b.example']);
      if (first === undefined || second === undefined) throw new Error('Two were added.');

      expect(await repositories.websites.delete(otherId, first.id)).toBe(false);
      expect(await repositories.websites.delete(accountId, first.id)).toBe(true);
      expect(await repositories.websites.delete(accountId, first.id)).toBe(false);

      expect(await repositories.websites.find(accountId, first.id)).toBeUndefined();
      expect(await repositories.websites.find(accountId, second.id)).toStrictEqual(second);
      await addWebsites(repositories, accountId, ['https://a.example']);
    });

    it('removes the version that it names and no other', async () => {
      const website = aWebsite();
      await repositories.websites.insert(accountId, website);

      expect(await repositories.websites.delete(accountId, website.id, later(website))).toBe(false);
      expect(await repositories.websites.delete(accountId, website.id, website.updatedAt)).toBe(true);
    });

    it('of fifty at once lets exactly one win', async () => {
      const website = aWebsite();
      await repositories.websites.insert(accountId, website);

      const outcomes = fulfilled(await atOnce(50, () => repositories.websites.delete(accountId, website.id)));

      expect(outcomes).toHaveLength(50);
      expect(outcomes.filter(Boolean)).toHaveLength(1);
    });
  });
}
