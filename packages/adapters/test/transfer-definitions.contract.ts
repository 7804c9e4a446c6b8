import {
  type AlertItem,
  type DefinitionItem,
  type DefinitionItemOf,
  ItemRejected,
  NO_COUNTS,
  type TransferItem,
  type WebhookItem,
  type WebsiteKey,
} from '@hitherto/domain';
import { anAccount, aWebsite } from '@hitherto/domain/testing';
import { beforeEach, expect, it } from 'vitest';
import { newId } from '../src/system.ts';
import type { MakeRepositories, TestRepositories } from './repositories.ts';
import { aWebhook } from './webhooks.ts';

const AT = new Date('2026-11-20T12:00:00.123Z');

/** The contract of `Transfer` for segments, goals, funnels, alerts and webhooks. */
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

  const anAlert = (): AlertItem => ({
    type: 'alert',
    accountId: anAccount().id,
    websiteId: websites[0]?.websiteId ?? '',
    alert: {
      ...{ id: newId(), rule: 'goal', threshold: 5, hours: null, percent: null, goalId: newId() },
      ...{ email: false, webhooks: true, createdAt: AT, updatedAt: AT },
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

  it('imports alerts and webhooks, whose URL and secret are in no export', async () => {
    const alerts = [anAlert(), anAlert()];
    await importAll([...owners, ...alerts]);
    const accountId = anAccount().id;
    const webhook = aWebhook({ id: newId(), url: 'https://hooks.example/key', websiteIds: [newId()] });
    const chat = aWebhook({ id: newId(), format: 'slack', secret: null, isActive: false });
    for (const each of [webhook, chat]) await repositories.webhooks.insert(accountId, each);

    const taken = await exported();
    repositories = await makeRepositories();
    const counts = await importAll(taken);

    expect(counts).toEqual({ ...NO_COUNTS, accounts: 1, websites: 2, alerts: 2, webhooks: 2 });
    expect(await repositories.webhooks.list(accountId)).toStrictEqual([webhook, chat]);
    const listed = await repositories.alerts.list({ accountId, websiteId: websites[0]?.websiteId ?? '' });
    expect(listed).toStrictEqual(alerts.map(({ alert }) => alert));
    expect(JSON.stringify(taken)).not.toContain('hooks.example');
    expect(JSON.stringify(taken)).not.toContain(webhook.secret);
  });

  it('lists a webhook without its URL if the export was encrypted with another key', async () => {
    const item = aWebhookItem();

    await importAll([...owners, item]);

    const { sealedUrl: _, sealedSecret: __, ...settings } = item.webhook;
    const unreadable = { ...settings, url: null, secret: null, failingSince: null };
    expect(await repositories.webhooks.list(item.accountId)).toStrictEqual([unreadable]);
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
      'an alert of another account',
      () => [...owners, { ...anAlert(), accountId: newId() }],
      { code: 'not_found', position: 4, reason: 'the account has no website with this id before it' },
    ],
    [
      'an alert twice',
      () => {
        const alert = anAlert();
        return [...owners, alert, alert];
      },
      { code: 'id_taken', position: 5 },
    ],
    [
      'more alerts than a website may have',
      () => [...owners, ...Array.from({ length: 21 }, anAlert)],
      { code: 'too_many_alerts', position: 24 },
    ],
    [
      'more webhooks than an account may have',
      () => [...owners, ...Array.from({ length: 21 }, () => aWebhookItem())],
      { code: 'too_many_webhooks', position: 24 },
    ],
    [
      'a webhook of an unknown account',
      () => [...owners, { ...aWebhookItem(), accountId: newId() }],
      { code: 'not_found', position: 4, reason: 'there is no account with this id before it' },
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

/** A webhook that no installation can read. */
function aWebhookItem(): WebhookItem {
  const { failingSince: _, url: __, secret: ___, ...settings } = aWebhook({ id: newId() });
  const sealed = Buffer.alloc(64, 1).toString('base64');
  return {
    type: 'webhook',
    accountId: anAccount().id,
    webhook: { ...settings, sealedUrl: sealed, sealedSecret: sealed },
  };
}
