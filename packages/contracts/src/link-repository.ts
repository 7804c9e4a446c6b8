import { UNRECORDED } from '@hitherto/domain/changes';
import type { Definition } from '@hitherto/domain/definitions';
import type { SharedLink } from '@hitherto/domain/links';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { aLink, anEntry } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addAccount,
  addWebsites,
  HOSTILE_STRINGS,
  type MakeRepositories,
  type TestRepositories,
} from './support/repositories.ts';

const AT = new Date('2026-11-20T12:00:00.123Z');

/** The contract of `LinkRepository`, besides that of all resources, and of segments that links show. */
export function linkRepositoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;
  let website: WebsiteKey;
  let other: WebsiteKey;

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
    const [one, two] = await addWebsites(repositories, accountId, ['https://a.example', 'https://b.example']);
    website = { accountId, websiteId: one?.id ?? '' };
    other = { accountId, websiteId: two?.id ?? '' };
  });

  const someLink = (overrides: Partial<SharedLink> = {}) => aLink({ id: newId(), ...overrides });
  const addSegment = async (to = website, kind: 'segment' | 'goal' = 'segment') => {
    const common = { id: newId(), name: newId(), createdAt: AT, updatedAt: AT };
    const segment: Definition<'segment'> = {
      ...common,
      content: {
        match: 'all',
        filters: [{ kind: 'dimension', dimension: 'country', comparator: 'is', isNegated: false, values: ['DE'] }],
      },
    };
    const goal: Definition<'goal'> = { ...common, content: { rule: { page: '/*' }, sum: null } };
    if (kind === 'segment') await repositories.definitions.segment.insert(to, segment, UNRECORDED);
    else await repositories.definitions.goal.insert(to, goal, UNRECORDED);
    return common.id;
  };
  const trail = async () =>
    (await repositories.audit.list(wholeAccount(accountId), {}, 100)).entries.map(({ id }) => id);

  describe('a link', () => {
    it('is listed in the order of insertion with all its fields, as copies', async () => {
      const { links } = repositories;
      const full = someLink({
        segmentId: await addSegment(),
        expiresAt: new Date('2026-12-31T23:59:59.001Z'),
        passwordHash: '$argon2id$é',
      });
      const plain = someLink();
      await links.insert(website, full, UNRECORDED);
      await links.insert(website, plain, UNRECORDED);
      (await links.list(website))?.[0]?.createdAt.setTime(0);

      expect(await links.list(website)).toStrictEqual([full, plain]);
      expect(await links.list(other)).toEqual([]);
    });

    it('is found by the hash of its token, with its website and account, as copies', async () => {
      const { links, directory } = repositories;
      const link = someLink({ segmentId: await addSegment(), expiresAt: new Date(0), passwordHash: '$argon2id$' });
      await links.insert(website, link, UNRECORDED);
      await links.insert(other, someLink(), UNRECORDED);
      (await links.findByToken(link.tokenHash))?.link.createdAt.setTime(0);

      const found = await links.findByToken(link.tokenHash);

      expect(found).toStrictEqual({ link, ...(await directory.findById(website.websiteId)) });
      expect(found?.accountId).toBe(accountId);
      for (const hash of [...HOSTILE_STRINGS, 'A'.repeat(64), link.id]) {
        expect(await links.findByToken(hash)).toBeUndefined();
      }
    });

    it('needs a segment of the same website, if it has one', async () => {
      const { links } = repositories;
      const ids = [newId(), await addSegment(other), await addSegment(website, 'goal'), ...HOSTILE_STRINGS];
      for (const segmentId of ids) {
        const inserted = links.insert(website, someLink({ segmentId }), {
          entry: anEntry({ id: newId(), accountId }),
        });
        await expect(inserted).rejects.toMatchObject({ faults: [{ field: 'segment', code: 'unknown_segment' }] });
      }

      expect([await links.list(website), await trail()]).toEqual([[], []]);
    });

    it('is deleted without affecting others', async () => {
      const { links } = repositories;
      const [link, kept] = [someLink(), someLink()];
      await links.insert(website, link, UNRECORDED);
      await links.insert(website, kept, UNRECORDED);

      expect(await links.delete(other, link.id, undefined, UNRECORDED)).toBe(false);
      for (const id of [...HOSTILE_STRINGS, newId()])
        expect(await links.delete(website, id, undefined, UNRECORDED)).toBe(false);
      expect(await links.delete(website, link.id, undefined, UNRECORDED)).toBe(true);
      expect(await links.delete(website, link.id, undefined, UNRECORDED)).toBe(false);

      expect(await links.list(website)).toStrictEqual([kept]);
      expect(await links.findByToken(link.tokenHash)).toBeUndefined();
    });

    it('is deleted with its website and its segment, and with its account', async () => {
      const { links, websites, access } = repositories;
      const [link, later] = [
        someLink({ segmentId: await addSegment() }),
        someLink({ segmentId: await addSegment(other) }),
      ];
      await links.insert(website, link, UNRECORDED);
      await links.insert(other, later, UNRECORDED);

      expect(await websites.delete(accountId, website.websiteId, undefined, UNRECORDED)).toBe(true);
      expect([await links.findByToken(link.tokenHash), await links.list(website)]).toEqual([undefined, undefined]);
      expect((await links.findByToken(later.tokenHash))?.link).toStrictEqual(later);
      await access.deleteAccount(accountId);

      expect(await links.findByToken(later.tokenHash)).toBeUndefined();
    });
  });

  describe('a segment that a link shows', () => {
    it('cannot be deleted until the link is revoked, and the error names the link', async () => {
      const { links, definitions } = repositories;
      const segmentId = await addSegment();
      const link = someLink({ segmentId });
      await links.insert(website, link, UNRECORDED);
      const entry = anEntry({ id: newId(), accountId });

      await expect(definitions.segment.delete(website, segmentId, undefined, { entry })).rejects.toMatchObject({
        code: 'segment_in_use',
        message: expect.stringContaining(link.name),
      });
      expect([await definitions.segment.findAll(website, [segmentId]), await trail()]).toEqual([
        [expect.objectContaining({ id: segmentId })],
        [],
      ]);
      await links.delete(website, link.id, undefined, UNRECORDED);

      expect(await definitions.segment.delete(website, segmentId, undefined, { entry })).toBe(true);
    });

    it('is never deleted under a link that is created at the same time', async () => {
      const { links, definitions } = repositories;
      for (let round = 0; round < 10; round += 1) {
        const segmentId = await addSegment();
        const link = someLink({ segmentId });

        const [inserted, deleted] = await Promise.allSettled([
          links.insert(website, link, UNRECORDED),
          definitions.segment.delete(website, segmentId, undefined, UNRECORDED),
        ]);

        const isInserted = inserted.status === 'fulfilled';
        const isDeleted = deleted.status === 'fulfilled' && deleted.value;
        expect([isInserted, isDeleted].filter(Boolean)).toHaveLength(1);
        expect((await links.findByToken(link.tokenHash)) !== undefined).toBe(isInserted);
      }
    });
  });
}
