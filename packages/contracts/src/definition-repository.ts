import { UNRECORDED } from '@hitherto/domain/changes';
import type {
  Contents,
  Definition,
  DefinitionKind,
  DefinitionsByKind,
  GoalContent,
} from '@hitherto/domain/definitions';
import type { FilterSet } from '@hitherto/domain/visits';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled, rejected } from '@hitherto/testing/at-once';
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
const GOAL: GoalContent = { rule: { event: 'Bücher 🦊', props: { 'z"': '\\', a: '' } }, sum: 'é' };
const SEGMENT: FilterSet = {
  match: 'any',
  filters: [
    { kind: 'dimension', dimension: 'country', comparator: 'is', isNegated: true, values: ['DE', null] },
    { kind: 'goal', isNegated: false, goals: ['01997c3e-0000-7000-8000-000000000001'] },
  ],
};

function aGoal(overrides: Partial<Definition<'goal'>> = {}): Definition<'goal'> {
  return { id: newId(), name: 'Ægir 🦊', content: GOAL, createdAt: AT, updatedAt: AT, ...overrides };
}

const CONTENTS: Contents = {
  segment: SEGMENT,
  goal: GOAL,
  funnel: {
    steps: [
      { name: 'é', rule: { page: '/a' } },
      { name: 'b', rule: { event: 'B', props: {} } },
    ],
  },
};

function aSegment(overrides: Partial<Definition<'segment'>> = {}): Definition<'segment'> {
  return { id: newId(), name: 'Ægir 🦊', content: SEGMENT, createdAt: AT, updatedAt: AT, ...overrides };
}

function later({ updatedAt }: Definition, milliseconds = 1): Date {
  return new Date(updatedAt.getTime() + milliseconds);
}

/** The contract of `DefinitionRepository`, besides that of all resources. */
export function definitionRepositoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let website: WebsiteKey;
  let sibling: WebsiteKey;
  let foreign: WebsiteKey;

  beforeEach(async () => {
    repositories = await makeRepositories();
    const accountId = await addAccount(repositories);
    const [one, two] = await addWebsites(repositories, accountId, ['https://a.example', 'https://b.example']);
    const otherId = await addAccount(repositories);
    website = { accountId, websiteId: one?.id ?? '' };
    sibling = { accountId, websiteId: two?.id ?? '' };
    foreign = { accountId: otherId, websiteId: one?.id ?? '' };
  });

  /** Keys that name no website. */
  const noWebsites = (): WebsiteKey[] => [
    foreign,
    { ...website, websiteId: newId() },
    ...HOSTILE_STRINGS.flatMap((text) => [
      { ...website, websiteId: text },
      { ...website, accountId: text },
    ]),
  ];

  const insert = <Kind extends DefinitionKind>(kind: Kind, key: WebsiteKey, name: string) => {
    const definition = { id: newId(), name, content: CONTENTS[kind], createdAt: AT, updatedAt: AT };
    const definitions: DefinitionsByKind = repositories.definitions;
    return definitions[kind].insert(key, definition, UNRECORDED);
  };

  /** Inserts so many definitions with different names. */
  const fill = async (kind: DefinitionKind, count: number) => {
    for (let index = 0; index < count; index += 1) await insert(kind, website, `${index}`);
  };

  describe('list and find', () => {
    it('returns what was inserted, in the order of insertion, each kind and website by itself', async () => {
      const goals = ['b', 'a', 'ä', 'B'].map((name, index) => aGoal({ name, createdAt: new Date(9 - index) }));
      const segment = aSegment();
      for (const goal of goals) await repositories.definitions.goal.insert(website, goal, UNRECORDED);
      await repositories.definitions.segment.insert(website, segment, UNRECORDED);
      await repositories.definitions.goal.insert(sibling, aGoal(), UNRECORDED);

      expect(await repositories.definitions.goal.list(website)).toStrictEqual(goals);
      expect(await repositories.definitions.segment.list(website)).toStrictEqual([segment]);
      expect(await repositories.definitions.funnel.list(website)).toEqual([]);
      expect(await repositories.definitions.all(website)).toStrictEqual({ segments: [segment], goals, funnels: [] });
      const none = { segments: [], goals: [], funnels: [] };
      for (const key of noWebsites()) expect(await repositories.definitions.all(key)).toEqual(none);
    });

    it('knows the bytes of the contents as JSON', async () => {
      const goals = ['a', 'b'].map((name) => aGoal({ name }));
      for (const goal of goals) await repositories.definitions.goal.insert(website, goal, UNRECORDED);
      await repositories.definitions.goal.insert(sibling, aGoal(), UNRECORDED);

      expect(await repositories.definitions.goal.size(website)).toBe(2 * Buffer.byteLength(JSON.stringify(GOAL)));
      expect(await repositories.definitions.segment.size(website)).toBe(0);
      for (const key of noWebsites()) expect(await repositories.definitions.goal.size(key)).toBe(0);
    });

    it('finds those with the given ids, in the order of insertion', async () => {
      const goals = ['a', 'b', 'c'].map((name) => aGoal({ name }));
      for (const goal of goals) await repositories.definitions.goal.insert(website, goal, UNRECORDED);
      const [first, second, third] = goals.map(({ id }) => id);

      const ids = [third ?? '', newId(), first ?? '', first ?? '', ...HOSTILE_STRINGS];
      expect(await repositories.definitions.goal.findAll(website, ids)).toStrictEqual([goals[0], goals[2]]);
      expect(await repositories.definitions.segment.findAll(website, ids)).toEqual([]);
      expect(await repositories.definitions.goal.findAll(sibling, [second ?? ''])).toEqual([]);
      expect(await repositories.definitions.goal.findAll(website, [])).toEqual([]);
    });

    it('keeps the longest content', async () => {
      const values = Array.from({ length: 20 }, (_, index) => `${index}${'🦊'.repeat(1_990)}`);
      const filters = Array.from({ length: 5 }, (_, index) => ({
        kind: 'property' as const,
        property: `${index}`,
        comparator: 'like' as const,
        isNegated: false,
        values,
      }));
      const segment = aSegment({ content: { match: 'all', filters } });
      await repositories.definitions.segment.insert(website, segment, UNRECORDED);

      expect(await repositories.definitions.segment.list(website)).toStrictEqual([segment]);
    });
  });

  describe('insert', () => {
    it('rejects a name that another one of the kind has, and names it', async () => {
      const goal = aGoal();
      await repositories.definitions.goal.insert(website, goal, UNRECORDED);

      await expect(repositories.definitions.goal.insert(website, aGoal(), UNRECORDED)).rejects.toMatchObject({
        code: 'name_taken',
        existingId: goal.id,
      });
      await repositories.definitions.goal.insert(website, aGoal({ name: 'ægir 🦊' }), UNRECORDED);
      await repositories.definitions.segment.insert(website, aSegment(), UNRECORDED);
      await repositories.definitions.goal.insert(sibling, aGoal(), UNRECORDED);
      expect(await repositories.definitions.goal.list(website)).toHaveLength(2);
    });

    it('inserts one of twenty concurrent ones with the same name, and names it to the others', async () => {
      const results = await atOnce(20, async () => {
        const goal = aGoal();
        await repositories.definitions.goal.insert(website, goal, UNRECORDED);
        return goal.id;
      });

      const [winner, ...others] = fulfilled(results);
      expect(others).toEqual([]);
      for (const reason of rejected(results)) expect(reason).toMatchObject({ code: 'name_taken', existingId: winner });
    });
  });

  describe('insert with an idempotency record', () => {
    it('keeps no record of an insert that is rejected', async () => {
      await repositories.definitions.goal.insert(website, aGoal(), UNRECORDED);

      const taken = repositories.definitions.goal.insert(website, aGoal(), { ...UNRECORDED, record: aRecord() });
      await expect(taken).rejects.toMatchObject({ code: 'name_taken' });
      await fill('funnel', 20);
      const beyond = repositories.definitions.funnel.insert(
        website,
        { ...aGoal(), content: { steps: [] } },
        { ...UNRECORDED, record: aRecord() },
      );
      await expect(beyond).rejects.toMatchObject({ code: 'too_many_funnels' });

      expect(await repositories.idempotency.find(website.accountId, 'key-hash', AT)).toBeUndefined();
    });
  });

  describe('replace', () => {
    it('replaces name and content of the named version, and keeps its place', async () => {
      const [first, second] = [aGoal({ name: 'a' }), aGoal({ name: 'b' })];
      for (const goal of [first, second]) await repositories.definitions.goal.insert(website, goal, UNRECORDED);
      const changed = {
        ...first,
        name: 'c',
        content: { rule: { page: '/*' }, sum: null },
        updatedAt: later(first),
      };

      expect(await repositories.definitions.goal.replace(website, changed, first.updatedAt, UNRECORDED)).toBe(true);

      expect(await repositories.definitions.goal.list(website)).toStrictEqual([changed, second]);
    });

    it('rejects the name of another one, and frees the old name', async () => {
      const [first, second] = [aGoal({ name: 'a' }), aGoal({ name: 'b' })];
      for (const goal of [first, second]) await repositories.definitions.goal.insert(website, goal, UNRECORDED);
      const renamed = (name: string) => ({ ...first, name, updatedAt: later(first) });

      const taking = repositories.definitions.goal.replace(website, renamed('b'), first.updatedAt, UNRECORDED);
      await expect(taking).rejects.toMatchObject({ code: 'name_taken', existingId: second.id });
      expect(await repositories.definitions.goal.replace(website, renamed('b'), later(first, 9), UNRECORDED)).toBe(
        false,
      );
      expect(await repositories.definitions.goal.replace(website, renamed('c'), first.updatedAt, UNRECORDED)).toBe(
        true,
      );
      await repositories.definitions.goal.insert(website, aGoal({ name: 'a' }), UNRECORDED);
    });
  });

  describe('delete', () => {
    it('deletes a definition once, frees its name, and leaves the others', async () => {
      const [goal, other] = [aGoal(), aGoal({ name: 'b' })];
      for (const each of [goal, other]) await repositories.definitions.goal.insert(website, each, UNRECORDED);
      const { definitions } = repositories;

      expect(await definitions.segment.delete(website, goal.id, undefined, UNRECORDED)).toBe(false);
      expect(await definitions.goal.delete(sibling, goal.id, undefined, UNRECORDED)).toBe(false);
      for (const key of noWebsites())
        expect(await definitions.goal.delete(key, goal.id, undefined, UNRECORDED)).toBe(false);
      for (const id of HOSTILE_STRINGS)
        expect(await definitions.goal.delete(website, id, undefined, UNRECORDED)).toBe(false);
      expect(await definitions.goal.delete(website, goal.id, undefined, UNRECORDED)).toBe(true);
      expect(await definitions.goal.delete(website, goal.id, undefined, UNRECORDED)).toBe(false);

      expect(await definitions.goal.list(website)).toStrictEqual([other]);
      await definitions.goal.insert(website, aGoal(), UNRECORDED);
    });
  });
}
