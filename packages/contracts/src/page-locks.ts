import { UNRECORDED } from '@hitherto/domain/changes';
import type { Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { aWebsite } from '@hitherto/testing/fixtures';
import { beforeEach, expect, it } from 'vitest';
import { addAccount, type MakeRepositories, type TestRepositories } from './support/repositories.ts';

/** The contract of `PageLocks`. */
export function pageLocksContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;
  let website: Website;

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
    website = aWebsite({ id: newId() });
    await repositories.websites.insert(accountId, website, UNRECORDED);
  });

  /** Changes the website, and returns by how much its lock's version grew. */
  const grownBy = async (changes: Partial<Website>): Promise<number> => {
    const before = (await repositories.locks.versionOf(website.id)) ?? Number.NaN;
    const changed = { ...website, ...changes, updatedAt: new Date(website.updatedAt.getTime() + 1) };
    expect(await repositories.websites.replace(accountId, changed, website.updatedAt, UNRECORDED)).toBe(true);
    website = changed;
    return ((await repositories.locks.versionOf(website.id)) ?? Number.NaN) - before;
  };

  it('increase with every change of privacy or password, even back to an earlier one', async () => {
    expect(await grownBy({ passwordHash: '$argon2id$é' })).toBeGreaterThan(0);
    expect(await grownBy({ privacy: 'password' })).toBeGreaterThan(0);
    expect(await grownBy({ privacy: 'public' })).toBeGreaterThan(0);
    expect(await grownBy({ privacy: 'password' })).toBeGreaterThan(0);
    expect(await grownBy({ privacy: 'public', passwordHash: null })).toBeGreaterThan(0);
  });

  it('stay the same with every other change', async () => {
    const changes = { url: 'http://other.example', emailReports: true, excludeBots: false, excludedIps: [] };

    expect(await grownBy(changes)).toBe(0);
  });

  it('are undefined for unknown websites', async () => {
    await repositories.websites.delete(accountId, website.id, undefined, UNRECORDED);

    for (const id of [website.id, newId(), '', 'x', '\0', '\ud800', 'z'.repeat(10_000)]) {
      expect(await repositories.locks.versionOf(id)).toBeUndefined();
    }
  });
}
