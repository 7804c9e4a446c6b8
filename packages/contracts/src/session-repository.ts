import type { Session } from '@hitherto/domain/access';
import { UNRECORDED } from '@hitherto/domain/changes';
import { newId } from '@hitherto/outside/system';
import { anApiKey } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, it } from 'vitest';
import { addAccount, HOSTILE_STRINGS, type MakeRepositories, type TestRepositories } from './support/repositories.ts';

/** The contract of `SessionRepository`. */
export function sessionRepositoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;
  let keyId: string;

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
    keyId = newId();
    await repositories.access.insertKey(anApiKey({ id: keyId, accountId }), UNRECORDED);
  });

  const aSession = (overrides: Partial<Session> = {}): Session => ({
    hash: 'a'.repeat(64),
    keyId,
    createdAt: new Date('2026-11-20T12:00:00.001Z'),
    expiresAt: new Date('2026-12-20T12:00:00.001Z'),
    ...overrides,
  });

  describe('a session', () => {
    it('is found by its hash, with its key, as copies', async () => {
      await repositories.sessions.insert(aSession());
      (await repositories.sessions.find(aSession().hash))?.session.expiresAt.setTime(0);

      const found = await repositories.sessions.find(aSession().hash);

      expect(found).toStrictEqual({ session: aSession(), key: anApiKey({ id: keyId, accountId }) });
      for (const text of [...HOSTILE_STRINGS, 'A'.repeat(64), keyId]) {
        expect(await repositories.sessions.find(text)).toBeUndefined();
      }
    });

    it('is found with the current state of its key', async () => {
      const now = new Date('2026-11-21T00:00:00.001Z');
      await repositories.sessions.insert(aSession());
      await repositories.access.revokeKey(keyId, now, UNRECORDED);

      expect((await repositories.sessions.find(aSession().hash))?.key.revokedAt).toEqual(now);
    });

    it('needs a key', async () => {
      const inserting = repositories.sessions.insert(aSession({ keyId: newId() }));

      await expect(inserting).rejects.toMatchObject({ code: 'not_found' });
    });

    it('is deleted without affecting others', async () => {
      const other = aSession({ hash: 'b'.repeat(64) });
      await repositories.sessions.insert(aSession());
      await repositories.sessions.insert(other);

      expect(await repositories.sessions.delete(aSession().hash)).toBe(true);
      expect(await repositories.sessions.delete(aSession().hash)).toBe(false);

      for (const text of HOSTILE_STRINGS) expect(await repositories.sessions.delete(text)).toBe(false);
      expect(await repositories.sessions.find(aSession().hash)).toBeUndefined();
      expect((await repositories.sessions.find(other.hash))?.session).toStrictEqual(other);
    });

    it('is deleted with its account', async () => {
      await repositories.sessions.insert(aSession());
      await repositories.access.deleteAccount(accountId);

      expect(await repositories.sessions.find(aSession().hash)).toBeUndefined();
      expect(await repositories.sessions.delete(aSession().hash)).toBe(false);
    });

    it('is deleted from the millisecond at which it expires', async () => {
      const later = aSession({ hash: 'b'.repeat(64), expiresAt: new Date(aSession().expiresAt.getTime() + 1) });
      await repositories.sessions.insert(aSession());
      await repositories.sessions.insert(later);

      expect(await repositories.sessions.deleteExpired(aSession().expiresAt)).toBe(1);
      expect(await repositories.sessions.deleteExpired(aSession().expiresAt)).toBe(0);

      expect(await repositories.sessions.find(aSession().hash)).toBeUndefined();
      expect((await repositories.sessions.find(later.hash))?.session).toStrictEqual(later);
    });
  });
}
