import {
  type DefinitionItem,
  type DefinitionItemOf,
  ItemRejected,
  NO_COUNTS,
  type TransferItem,
  type WebsiteKey,
} from '@hitherto/domain';
import { anAccount, aWebsite } from '@hitherto/domain/testing';
import { beforeEach, expect, it } from 'vitest';
import { newId } from '../src/system.ts';
import type { MakeRepositories, TestRepositories } from './repositories.ts';

const AT = new Date('2026-11-20T12:00:00.123Z');

/** The contract of `Transfer` for segments, goals and funnels. */
export function transferDefinitionsContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let websites: WebsiteKey[];
  let owners: TransferItem[];

  beforeEach(async () => {
    repositories = await makeRepositories();
    const account = anAccount();
    const [one, two] = [aWebsite({ id: newId(), url: 'https://a.example' }), aWebsite({ id: newId() })];
    websites = [one, two].map(({ id }) => ({ accountId: account.id, websiteId: id }));
    owners = [
      { type: 'account', account },
      { type: 'website', accountId: account.id, website: one },
      { type: 'website', accountId: account.id, website: two },
    ];
  });

  const aGoal = (name: string, website = 0): DefinitionItemOf<'goal'> => ({
    type: 'goal',
    accountId: anAccount().id,
    websiteId: websites[website]?.websiteId ?? '',
    definition: {
      ...{ id: newId(), name, createdAt: AT, updatedAt: AT },
      content: { rule: { event: 'é 🦊', props: { b: '', a: '"' } }, sum: null },
    },
  });

  const aFunnel = (name: string): DefinitionItem => ({
    ...aGoal(name),
    type: 'funnel',
    definition: { ...aGoal(name).definition, content: { steps: [{ name: 'a', rule: { page: '*' } }] } },
  });

  const aSegment = (name: string, goal: string): DefinitionItem => ({
    ...aGoal(name),
    type: 'segment',
    definition: {
      ...aGoal(name).definition,
      content: { match: 'any', filters: [{ kind: 'goal', isNegated: true, goals: [goal] }] },
    },
  });

  const importAll = (items: readonly TransferItem[]) =>
    repositories.transfer.importAll(
      (async function* () {
        yield* items;
      })(),
    );

  const exported = async () => {
    const items: TransferItem[] = [];
    for await (const item of repositories.transfer.exportAll()) items.push(item);
    return items;
  };

  it('imports what it exported, counts it, and keeps its order', async () => {
    const goals = ['b', 'a', 'c'].map((name) => aGoal(name));
    const elsewhere = aGoal('a', 1);
    const others = [aSegment('s', goals[0]?.definition.id ?? ''), aFunnel('f')];

    const counts = await importAll(
      [...owners, goals[0], elsewhere, ...goals.slice(1), ...others].flatMap((item) => item ?? []),
    );
    const taken = await exported();
    repositories = await makeRepositories();
    await importAll(taken);

    expect(counts).toEqual({ ...NO_COUNTS, accounts: 1, websites: 2, goals: 4, segments: 1, funnels: 1 });
    expect(taken).toHaveLength(9);
    expect(taken).toEqual(expect.arrayContaining([...goals, elsewhere, ...others]));
    const website = websites[0] ?? { accountId: '', websiteId: '' };
    const listed = await repositories.definitions.list('goal', website);
    expect(listed).toStrictEqual(goals.map(({ definition }) => definition));
  });

  it('exports a website before its definitions', async () => {
    await importAll([...owners, aGoal('a'), aGoal('a', 1), aFunnel('f')]);
    const seen = new Set<string>();

    for (const item of await exported()) {
      if (item.type === 'website') seen.add(item.website.id);
      else if ('definition' in item) expect(seen).toContain(item.websiteId);
    }
  });

  it.each<[string, () => TransferItem[], object]>([
    ['a goal of an unknown website', () => [...owners.slice(0, 2), aGoal('a', 1)], { code: 'not_found', position: 3 }],
    [
      'a goal of another account',
      () => [...owners, { ...aGoal('a'), accountId: newId() }],
      { code: 'not_found', position: 4, reason: 'the account has no website with this id before it' },
    ],
    [
      'a name twice',
      () => [...owners, aFunnel('a'), aGoal('a'), aGoal('a')],
      { code: 'name_taken', position: 6, reason: 'the website already has one with this name' },
    ],
    [
      'an id twice',
      () => {
        const goal = aGoal('a');
        return [...owners, goal, { ...goal, definition: { ...goal.definition, name: 'b' } }];
      },
      { code: 'id_taken', position: 5 },
    ],
    [
      'more funnels than a website may have',
      () => [...owners, ...Array.from({ length: 21 }, (_, index) => aFunnel(`${index}`))],
      { code: 'too_many_funnels', position: 24 },
    ],
  ])('imports nothing if there is %s, and says which record it is', async (_, items, expected) => {
    const importing = importAll(items());

    await expect(importing).rejects.toBeInstanceOf(ItemRejected);
    await expect(importing).rejects.toMatchObject(expected);
    expect(await exported()).toEqual([]);
  });
}
