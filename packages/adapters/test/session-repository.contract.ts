import type { Session } from '@hitherto/domain';
import { anApiKey } from '@hitherto/domain/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../src/ids.ts';
import { addAccount, type MakeStore, type Store } from './store.ts';

const HOSTILE = ['', 'x', '\0', 'a\0b', '\ud800', "' or 1=1 --", 'z'.repeat(10_000)];

/** The contract of `SessionRepository`. */
export function sessionRepositoryContract(makeStore: MakeStore): void {
  let store: Store;
  let accountId: string;
  let keyId: string;

  beforeEach(async () => {
    store = await makeStore();
    accountId = await addAccount(store);
    keyId = newId();
    await store.access.insertKey(anApiKey({ id: keyId, accountId }));
  });

  const aSession = (overrides: Partial<Session> = {}): Session => ({
    hash: 'a'.repeat(64),
    keyId,
    createdAt: new Date('2026-11-20T12:00:00.001Z'),
    expiresAt: new Date('2026-12-20T12:00:00.001Z'),
    ...overrides,
  });

  describe('a session', () => {
    it('is found by its hash with its key, in copies', async () => {
      await store.sessions.insert(aSession());
      (await store.sessions.find(aSession().hash))?.session.expiresAt.setTime(0);

      const found = await store.sessions.find(aSession().hash);

      expect(found).toStrictEqual({ session: aSession(), key: anApiKey({ id: keyId, accountId }) });
      for (const text of [...HOSTILE, 'A'.repeat(64), keyId]) {
        expect(await store.sessions.find(text)).toBeUndefined();
      }
    });

    it('is found with its key as that is now', async () => {
      const now = new Date('2026-11-21T00:00:00.001Z');
      await store.sessions.insert(aSession());
      await store.access.revokeKey(keyId, now);

      expect((await store.sessions.find(aSession().hash))?.key.revokedAt).toEqual(now);
    });

    it('needs a key', async () => {
      const inserting = store.sessions.insert(aSession({ keyId: newId() }));

      await expect(inserting).rejects.toMatchObject({ code: 'not_found' });
    });

    it('is deleted alone', async () => {
      const other = aSession({ hash: 'b'.repeat(64) });
      await store.sessions.insert(aSession());
      await store.sessions.insert(other);

      expect(await store.sessions.delete(aSession().hash)).toBe(true);
      expect(await store.sessions.delete(aSession().hash)).toBe(false);

      for (const text of HOSTILE) expect(await store.sessions.delete(text)).toBe(false);
      expect(await store.sessions.find(aSession().hash)).toBeUndefined();
      expect((await store.sessions.find(other.hash))?.session).toStrictEqual(other);
    });

    it('goes with its account', async () => {
      await store.sessions.insert(aSession());
      await store.access.deleteAccount(accountId);

      expect(await store.sessions.find(aSession().hash)).toBeUndefined();
      expect(await store.sessions.delete(aSession().hash)).toBe(false);
    });

    it('is dropped from the millisecond on at which it expires', async () => {
      const later = aSession({ hash: 'b'.repeat(64), expiresAt: new Date(aSession().expiresAt.getTime() + 1) });
      await store.sessions.insert(aSession());
      await store.sessions.insert(later);

      expect(await store.sessions.deleteExpired(aSession().expiresAt)).toBe(1);
      expect(await store.sessions.deleteExpired(aSession().expiresAt)).toBe(0);

      expect(await store.sessions.find(aSession().hash)).toBeUndefined();
      expect((await store.sessions.find(later.hash))?.session).toStrictEqual(later);
    });
  });
}
