import { type AuditEntry, UNRECORDED } from '@hitherto/domain/changes';
import type { Definition } from '@hitherto/domain/definitions';
import { type AuditFilter, MAX_AUDIT_BYTES } from '@hitherto/domain/records';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { anAccount, anApiKey, anEntry, aWebsite } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addAccount,
  addWebsites,
  aRecord,
  HOSTILE_STRINGS,
  type MakeRepositories,
  type TestRepositories,
} from './support/repositories.ts';

const AT = new Date('2026-11-20T12:00:00.123Z');

/** The contract of `AuditTrail`, and of the repositories that write it. */
export function auditTrailContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
  });

  const entryOf = (overrides: Partial<AuditEntry> = {}) => anEntry({ id: newId(), accountId, ...overrides });
  const list = async (...args: Parameters<TestRepositories['audit']['list']>) =>
    (await repositories.audit.list(...args)).entries;
  const trail = () => list(wholeAccount(accountId), {}, 100);
  const aGoal = (overrides: Partial<Definition<'goal'>> = {}): Definition<'goal'> => ({
    id: newId(),
    name: 'Ægir 🦊',
    content: { rule: { event: 'é', props: {} }, sum: null },
    createdAt: AT,
    updatedAt: AT,
    ...overrides,
  });
  /** Writes an entry with a website, which nothing else needs. */
  const addEntry = async (overrides: Partial<AuditEntry> = {}) => {
    const id = newId();
    const entry = entryOf({ websiteId: id, ...overrides });
    await repositories.websites.insert(entry.accountId, aWebsite({ id, url: `https://${id}.example` }), {
      ...UNRECORDED,
      entry,
    });
    return entry;
  };

  it('has the entry of each change of a website, as it was written', async () => {
    const { websites, audit } = repositories;
    const website = aWebsite({ id: newId() });
    const later = { ...website, privacy: 'public' as const, updatedAt: new Date(website.updatedAt.getTime() + 1) };
    const entries = [0, 1, 2].map((second) =>
      entryOf({ websiteId: website.id, at: new Date(AT.getTime() + second), requestId: `é 🦊 ${second}` }),
    );

    await websites.insert(accountId, website, { ...UNRECORDED, entry: entries[0] });
    await websites.replace(accountId, later, website.updatedAt, { ...UNRECORDED, entry: entries[1] });
    await websites.delete(accountId, website.id, later.updatedAt, { ...UNRECORDED, entry: entries[2] });

    expect(await trail()).toEqual(entries.toReversed());
    expect(await audit.find(wholeAccount(accountId), entries[1]?.id ?? '')).toEqual(entries[1]);
  });

  it('has no entry of a change that was not made', async () => {
    const { websites, definitions, access } = repositories;
    const [website] = await addWebsites(repositories, accountId, ['https://a.example']);
    if (website === undefined) throw new Error('The website is missing.');
    const key = { accountId, websiteId: website.id };
    const other = new Date(website.updatedAt.getTime() + 1);
    const record = aRecord();

    await websites.replace(accountId, website, other, { ...UNRECORDED, entry: entryOf() });
    await websites.delete(accountId, website.id, other, { ...UNRECORDED, entry: entryOf() });
    await websites.delete(accountId, newId(), undefined, { ...UNRECORDED, entry: entryOf() });
    await expect(
      websites.insert(accountId, { ...website, id: newId() }, { ...UNRECORDED, entry: entryOf() }),
    ).rejects.toMatchObject({
      code: 'url_taken',
    });
    await expect(
      definitions.goal.insert({ ...key, websiteId: newId() }, aGoal(), { entry: entryOf() }),
    ).rejects.toThrow();
    await definitions.goal.replace(key, aGoal(), AT, { entry: entryOf() });
    await definitions.goal.delete(key, newId(), undefined, { entry: entryOf() });
    await access.updateAccount(newId(), { email: null }, { entry: entryOf() });
    await access.revokeKey(newId(), AT, { entry: entryOf() });
    await expect(access.insertKey(anApiKey({ accountId: newId() }), { entry: entryOf() })).rejects.toThrow();
    expect(await trail()).toEqual([]);

    const url = 'https://once.example';
    await websites.insert(accountId, aWebsite({ id: newId(), url }), {
      ...UNRECORDED,
      record,
      entry: entryOf({ id: website.id }),
    });
    await websites.insert(accountId, aWebsite({ id: newId(), url: `${url}/b` }), {
      ...UNRECORDED,
      record,
      entry: entryOf(),
    });
    expect(await trail()).toEqual([expect.objectContaining({ id: website.id })]);
  });

  it('has the entries of segments, goals and funnels', async () => {
    const { definitions } = repositories;
    const [website] = await addWebsites(repositories, accountId, ['https://a.example']);
    const key = { accountId, websiteId: website?.id ?? '' };
    const goal = aGoal();
    const later = { ...goal, name: 'b', updatedAt: new Date(AT.getTime() + 1) };
    const entries = [0, 1, 2, 3].map((second) =>
      entryOf({ at: new Date(AT.getTime() + second), action: 'goal.created' }),
    );

    await definitions.goal.insert(key, goal, { entry: entries[0] });
    await definitions.goal.replace(key, later, AT, { entry: entries[1] });
    await definitions.goal.delete(key, goal.id, later.updatedAt, { entry: entries[2] });
    await definitions.goal.insert(key, aGoal(), { record: aRecord(), entry: entries[3] });
    await definitions.goal.insert(key, aGoal({ name: 'c' }), { record: aRecord(), entry: entryOf() });

    expect(await trail()).toEqual(entries.toReversed());
  });

  it('has the entries of accounts and keys', async () => {
    const { access } = repositories;
    const key = anApiKey({ id: newId(), accountId });
    const own = { websiteId: null, subject: { id: key.id, name: null }, requestId: null, network: null, changes: [] };
    const entries = [0, 1, 2].map((second) => entryOf({ ...own, at: new Date(AT.getTime() + second) }));
    const otherId = newId();
    const created = anEntry({ ...own, id: newId(), accountId: otherId, action: 'account.created' });

    await access.insertKey(key, { entry: entries[0] });
    await access.updateAccount(accountId, { email: { address: 'a@b.example', since: AT } }, { entry: entries[1] });
    await access.revokeKey(key.id, AT, { entry: entries[2] });
    await access.insertAccount(anAccount({ id: otherId, name: 'other' }), { entry: created });

    expect(await trail()).toEqual(entries.toReversed());
    expect(await list(wholeAccount(otherId), {}, 10)).toEqual([created]);
    expect(await access.findKey(key.id)).toMatchObject({ id: key.id, revokedAt: AT });
  });

  it('lists the newest first, those of one moment by id, page by page', async () => {
    const written = [];
    for (const second of [3, 1, 2, 2, 2]) written.push(await addEntry({ at: new Date(AT.getTime() + second) }));
    const sorted = written.toSorted((a, b) => b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1));

    const first = await list(wholeAccount(accountId), {}, 2);
    const second = await list(wholeAccount(accountId), {}, 2, first[1]);
    const third = await list(wholeAccount(accountId), {}, 2, second[1]);

    expect([...first, ...second, ...third].map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
  });

  it('says whether there are more', async () => {
    for (const second of [1, 2]) await addEntry({ at: new Date(AT.getTime() + second) });

    expect(await repositories.audit.list(wholeAccount(accountId), {}, 1)).toMatchObject({
      entries: [{}],
      hasMore: true,
    });
    expect(await repositories.audit.list(wholeAccount(accountId), {}, 2)).toMatchObject({
      entries: [{}, {}],
      hasMore: false,
    });
    expect(await repositories.audit.list(wholeAccount(newId()), {}, 2)).toEqual({ entries: [], hasMore: false });
  });

  it('ends a page before the changes have too many bytes, but not before its first entry', async () => {
    const empty = Buffer.byteLength(JSON.stringify([{ field: 'é', before: null, after: '' }]));
    const ofBytes = (bytes: number) => [{ field: 'é', before: null, after: 'x'.repeat(bytes - empty) }];
    const half = MAX_AUDIT_BYTES / 2;
    const sizes = [half, half, half, half + 1, MAX_AUDIT_BYTES + 1, empty];
    const added = [];
    for (const [index, bytes] of sizes.entries()) {
      added.push(await addEntry({ at: new Date(AT.getTime() - index), changes: ofBytes(bytes) }));
    }

    const pages: string[][] = [];
    let page = await repositories.audit.list(wholeAccount(accountId), {}, 5);
    pages.push(page.entries.map(({ id }) => id));
    while (page.hasMore) {
      page = await repositories.audit.list(wholeAccount(accountId), {}, 5, page.entries.at(-1));
      pages.push(page.entries.map(({ id }) => id));
    }

    const [a, b, c, d, e, f] = added.map(({ id }) => id);
    expect(pages).toEqual([[a, b], [c], [d], [e], [f]]);
  });

  it('lists those of a website and a period', async () => {
    const [one, two] = [await addEntry({ at: AT }), await addEntry({ at: new Date(AT.getTime() + 1) })];
    const until = new Date(AT.getTime() + 1);
    const ids = async (filter: AuditFilter) => (await list(wholeAccount(accountId), filter, 10)).map(({ id }) => id);

    expect(await ids({ websiteId: one.websiteId ?? '' })).toEqual([one.id]);
    expect(await ids({ from: until })).toEqual([two.id]);
    expect(await ids({ from: AT, until })).toEqual([one.id]);
    expect(await ids({ websiteId: two.websiteId ?? '', until })).toEqual([]);
  });

  it('outlives the website, but not the account', async () => {
    const entry = await addEntry();
    await repositories.websites.delete(accountId, entry.websiteId ?? '', undefined, UNRECORDED);

    expect(await trail()).toEqual([entry]);
    await repositories.access.deleteAccount(accountId);
    expect(await trail()).toEqual([]);
  });

  it('is read within the account only', async () => {
    const entry = await addEntry();
    const otherId = await addAccount(repositories);

    expect(await list(wholeAccount(otherId), {}, 10)).toEqual([]);
    expect(await repositories.audit.find(wholeAccount(otherId), entry.id)).toBeUndefined();
  });

  it('has only the entries about websites that are reached', async () => {
    const [one, two] = [await addEntry(), await addEntry()];
    const reach = { accountId, websiteIds: [newId(), one.websiteId ?? ''] };

    expect(await list(reach, {}, 10)).toEqual([one]);
    expect(await list(reach, { websiteId: two.websiteId ?? '' }, 10)).toEqual([]);
    expect(await repositories.audit.find(reach, one.id)).toEqual(one);
    expect(await repositories.audit.find(reach, two.id)).toBeUndefined();
    expect(await list({ accountId, websiteIds: [] }, {}, 10)).toEqual([]);
  });

  it('deletes what is older', async () => {
    const [old, kept] = [await addEntry({ at: AT }), await addEntry({ at: new Date(AT.getTime() + 1) })];

    expect(await repositories.audit.deleteBefore(kept.at)).toBe(1);
    expect(await trail()).toEqual([kept]);
    expect(await repositories.audit.find(wholeAccount(accountId), old.id)).toBeUndefined();
  });

  describe('takes any string as an id', () => {
    it.each(HOSTILE_STRINGS)('%j', async (text) => {
      await addEntry();

      expect(await list(wholeAccount(text), {}, 10)).toEqual([]);
      expect(await list(wholeAccount(accountId), { websiteId: text }, 10)).toEqual([]);
      expect(await repositories.audit.find(wholeAccount(accountId), text)).toBeUndefined();
      expect(await repositories.access.findKey(text)).toBeUndefined();
    });
  });
}
