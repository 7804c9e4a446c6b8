import { UNRECORDED } from '@hitherto/domain/changes';
import type { Webhook } from '@hitherto/domain/webhooks';
import { newId } from '@hitherto/outside/system';
import { beforeEach, expect, it } from 'vitest';
import { addAccount, type MakeRepositories, type TestRepositories } from './support/repositories.ts';
import { anEvent, aWebhook, recordEvent } from './support/webhooks.ts';

const LATER = new Date('2026-11-20T12:00:01.000Z');

/** The contract of `WebhookRepository`, besides that of all resources. */
export function webhookRepositoryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
  });

  const insert = async (overrides: Partial<Webhook> = {}) => {
    const webhook = aWebhook({ id: newId(), ...overrides });
    await repositories.webhooks.insert({ accountId }, webhook, UNRECORDED);
    return webhook;
  };

  it('returns webhooks as they were inserted, in that order, with URL and secret', async () => {
    const { webhooks } = repositories;
    const json = await insert({ url: 'https://é.example/🦊?token=s', websiteIds: [newId()], isActive: false });
    const chat = await insert({ format: 'slack', secret: null, failingSince: LATER });

    expect(await webhooks.list({ accountId })).toEqual([json, chat]);
    expect(await webhooks.find({ accountId }, json.id)).toEqual(json);
    expect(await webhooks.find({ accountId }, newId())).toBeUndefined();
  });

  it('deletes a webhook with its deliveries, and no other', async () => {
    const { webhooks, webhookOutbox } = repositories;
    const [gone, kept] = [await insert(), await insert()];
    await recordEvent(repositories, anEvent(accountId, newId(), 'website.deleted'));

    expect(await webhooks.delete({ accountId }, gone.id, gone.updatedAt, UNRECORDED)).toBe(true);
    expect(await webhooks.delete({ accountId }, gone.id, gone.updatedAt, UNRECORDED)).toBe(false);
    expect(await webhooks.list({ accountId })).toEqual([kept]);
    expect(await webhookOutbox.list(accountId, gone.id, 10)).toEqual([]);
    expect(await webhookOutbox.list(accountId, kept.id, 10)).toHaveLength(1);
  });
}
