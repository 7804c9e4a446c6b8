import { UNRECORDED } from '@hitherto/domain/changes';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled } from '@hitherto/testing/at-once';
import { aWebsite } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addAccount,
  aRecord,
  HOSTILE_STRINGS,
  type MakeRepositories,
  type TestRepositories,
} from './support/repositories.ts';

/** The contract of `IdempotencyRepository`, and of inserts that write its records. */
export function idempotencyRepositoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;
  let otherId: string;

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
    otherId = await addAccount(repositories);
  });

  describe('insert with a record', () => {
    it('keeps the record for its account until it expires', async () => {
      const record = aRecord({ sealedResponse: 'é🦊' });

      expect(await repositories.websites.insert(accountId, aWebsite(), { ...UNRECORDED, record })).toBeUndefined();

      const at = (time: number) => new Date(record.expiresAt.getTime() + time);
      expect(await repositories.idempotency.find(accountId, record.keyHash, at(-1))).toStrictEqual(record);
      expect(await repositories.idempotency.find(accountId, record.keyHash, at(0))).toBeUndefined();
      expect(await repositories.idempotency.find(otherId, record.keyHash, at(-1))).toBeUndefined();
      for (const text of HOSTILE_STRINGS) {
        expect(await repositories.idempotency.find(accountId, text, at(-1))).toBeUndefined();
        expect(await repositories.idempotency.find(text, record.keyHash, at(-1))).toBeUndefined();
      }
    });

    it('returns an earlier record and writes nothing, even if the address is taken', async () => {
      const earlier = aRecord();
      await repositories.websites.insert(accountId, aWebsite(), { ...UNRECORDED, record: earlier });
      const again = aWebsite({ id: newId() });
      const other = aWebsite({ id: newId(), url: 'https://other.example' });

      expect(
        await repositories.websites.insert(accountId, again, {
          ...UNRECORDED,
          record: aRecord({ fingerprint: 'new' }),
        }),
      ).toStrictEqual(earlier);
      expect(
        await repositories.websites.insert(accountId, other, {
          ...UNRECORDED,
          record: aRecord({ fingerprint: 'new' }),
        }),
      ).toStrictEqual(earlier);

      expect(await repositories.websites.find(wholeAccount(accountId), again.id)).toBeUndefined();
      expect(await repositories.websites.find(wholeAccount(accountId), other.id)).toBeUndefined();
    });

    it('replaces an expired record', async () => {
      const old = aRecord();
      await repositories.websites.insert(accountId, aWebsite(), { ...UNRECORDED, record: old });
      const createdAt = old.expiresAt;
      const website = aWebsite({ id: newId(), url: 'https://other.example', createdAt, updatedAt: createdAt });
      const fresh = aRecord({ fingerprint: 'new', expiresAt: new Date(createdAt.getTime() + 1000) });

      expect(await repositories.websites.insert(accountId, website, { ...UNRECORDED, record: fresh })).toBeUndefined();

      expect(await repositories.websites.find(wholeAccount(accountId), website.id)).toStrictEqual(website);
      expect(await repositories.idempotency.find(accountId, fresh.keyHash, createdAt)).toStrictEqual(fresh);
    });

    it('writes no record if the address is taken', async () => {
      await repositories.websites.insert(accountId, aWebsite(), { ...UNRECORDED, record: aRecord() });
      const again = aWebsite({ id: newId() });
      const record = aRecord({ keyHash: 'second' });

      await expect(repositories.websites.insert(accountId, again, { ...UNRECORDED, record })).rejects.toMatchObject({
        code: 'url_taken',
      });

      expect(await repositories.idempotency.find(accountId, 'second', again.createdAt)).toBeUndefined();
    });

    it('adds one of fifty concurrent websites with the same key, and returns its record to the others', async () => {
      const ids = Array.from({ length: 50 }, newId);
      const results = await atOnce(50, (index) => {
        const website = aWebsite({ id: ids[index] ?? '', url: `https://race${index}.example` });
        return repositories.websites.insert(accountId, website, {
          ...UNRECORDED,
          record: aRecord({ fingerprint: website.id }),
        });
      });

      const outcomes = fulfilled(results);
      const winner = ids[outcomes.indexOf(undefined)];
      expect(outcomes).toHaveLength(50);
      expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1);
      for (const outcome of outcomes) if (outcome !== undefined) expect(outcome.fingerprint).toBe(winner);
      const page = await repositories.websites.list(wholeAccount(accountId), { order: 'newest_first' }, 100);
      expect(page.websites.map(({ id }) => id)).toEqual([winner]);
    });
  });

  describe('deleteExpired', () => {
    it('deletes the expired records of all accounts, and counts them', async () => {
      const expiresAt = new Date('2026-11-21T00:00:00.000Z');
      await repositories.websites.insert(accountId, aWebsite(), { ...UNRECORDED, record: aRecord({ expiresAt }) });
      await repositories.websites.insert(otherId, aWebsite({ id: newId() }), {
        ...UNRECORDED,
        record: aRecord({ expiresAt }),
      });
      const kept = aRecord({ keyHash: 'kept', expiresAt: new Date(expiresAt.getTime() + 1) });
      await repositories.websites.insert(otherId, aWebsite({ id: newId(), url: 'https://kept.example' }), {
        ...UNRECORDED,
        record: kept,
      });

      expect(await repositories.idempotency.deleteExpired(new Date(expiresAt.getTime() - 1))).toBe(0);
      expect(await repositories.idempotency.deleteExpired(expiresAt)).toBe(2);

      const before = new Date(0);
      expect(await repositories.idempotency.find(accountId, 'key-hash', before)).toBeUndefined();
      expect(await repositories.idempotency.find(otherId, 'kept', before)).toStrictEqual(kept);
    });
  });
}
