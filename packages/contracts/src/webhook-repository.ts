import { UNRECORDED } from '@hitherto/domain/changes';
import { MAX_WEBHOOKS, type Webhook } from '@hitherto/domain/webhooks';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled, rejected } from '@hitherto/testing/at-once';
import { anEntry } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, it } from 'vitest';
import { addAccount, HOSTILE_STRINGS, type MakeRepositories, type TestRepositories } from './support/repositories.ts';
import { anEvent, aWebhook, recordEvent } from './support/webhooks.ts';

const LATER = new Date('2026-11-20T12:00:01.000Z');

/** The contract of `WebhookRepository`. */
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
  const trail = async () =>
    (await repositories.audit.list(wholeAccount(accountId), {}, 100)).entries.map(({ id }) => id);
  const noted = (id: string) => anEntry({ id, accountId, action: 'webhook.updated', websiteId: null });

  it('returns webhooks as they were inserted, in that order, with URL and secret', async () => {
    const { webhooks } = repositories;
    const json = await insert({ url: 'https://é.example/🦊?token=s', websiteIds: [newId()], isActive: false });
    const chat = await insert({ format: 'slack', secret: null, failingSince: LATER });

    expect(await webhooks.list({ accountId })).toEqual([json, chat]);
    expect(await webhooks.find({ accountId }, json.id)).toEqual(json);
    expect(await webhooks.find({ accountId }, newId())).toBeUndefined();
  });

  it('replaces the expected version only', async () => {
    const { webhooks } = repositories;
    const webhook = await insert();
    const changed = { ...webhook, url: 'https://b.example/', events: ['alert.fired'] as const, updatedAt: LATER };

    expect(await webhooks.replace({ accountId }, changed, LATER, UNRECORDED)).toBe(false);
    expect(await webhooks.find({ accountId }, webhook.id)).toEqual(webhook);
    expect(await webhooks.replace({ accountId }, changed, webhook.updatedAt, UNRECORDED)).toBe(true);
    expect(await webhooks.find({ accountId }, webhook.id)).toEqual(changed);
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

  it('deletes only the expected version', async () => {
    const { webhooks } = repositories;
    const webhook = await insert();
    const changed = { ...webhook, updatedAt: LATER };
    await webhooks.replace({ accountId }, changed, webhook.updatedAt, UNRECORDED);

    expect(await webhooks.delete({ accountId }, webhook.id, webhook.updatedAt, UNRECORDED)).toBe(false);
    expect(await webhooks.list({ accountId })).toEqual([changed]);
    expect(await webhooks.delete({ accountId }, webhook.id, LATER, UNRECORDED)).toBe(true);
    expect(await webhooks.list({ accountId })).toEqual([]);
  });

  it('has at most 20 of an account, also when they are inserted at once', async () => {
    for (let count = 0; count < MAX_WEBHOOKS - 1; count += 1) await insert();

    const results = await atOnce(4, () => insert());

    expect(fulfilled(results)).toHaveLength(1);
    expect(rejected(results)).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ code: 'too_many_webhooks' })),
    );
  });

  it('writes the entry of the audit trail with the change, or neither', async () => {
    const { webhooks } = repositories;
    const webhook = aWebhook({ id: newId() });
    const later = { ...webhook, updatedAt: LATER };
    const ids = [newId(), newId(), newId()];

    await webhooks.insert({ accountId }, webhook, { entry: noted(String(ids[0])) });
    await webhooks.replace({ accountId }, later, webhook.updatedAt, { entry: noted(String(ids[1])) });
    await webhooks.replace({ accountId }, later, webhook.updatedAt, { entry: noted(newId()) });
    await webhooks.delete({ accountId }, newId(), LATER, { entry: noted(newId()) });
    await webhooks.delete({ accountId }, webhook.id, webhook.updatedAt, { entry: noted(newId()) });
    await webhooks.delete({ accountId }, webhook.id, LATER, { entry: noted(String(ids[2])) });

    expect(await trail()).toEqual(ids.toReversed());
  });

  it('keeps accounts apart, and forgets webhooks with their account', async () => {
    const { webhooks, access } = repositories;
    const webhook = await insert();
    const other = await addAccount(repositories);

    expect(await webhooks.find({ accountId: other }, webhook.id)).toBeUndefined();
    expect(await webhooks.list({ accountId: other })).toEqual([]);
    expect(await webhooks.delete({ accountId: other }, webhook.id, webhook.updatedAt, UNRECORDED)).toBe(false);
    expect(
      await webhooks.replace({ accountId: other }, { ...webhook, updatedAt: LATER }, webhook.updatedAt, UNRECORDED),
    ).toBe(false);
    await access.deleteAccount(accountId);
    expect(await webhooks.list({ accountId })).toEqual([]);
    await expect(insert()).rejects.toMatchObject({ code: 'not_found' });
  });

  describe('takes any string as an id', () => {
    it.each(HOSTILE_STRINGS)('%j', async (text) => {
      const { webhooks } = repositories;
      const webhook = await insert();

      expect(await webhooks.list({ accountId: text })).toEqual([]);
      expect(await webhooks.find({ accountId: text }, webhook.id)).toBeUndefined();
      expect(await webhooks.find({ accountId }, text)).toBeUndefined();
      expect(await webhooks.delete({ accountId }, text, webhook.updatedAt, UNRECORDED)).toBe(false);
      await expect(webhooks.insert({ accountId: text }, aWebhook({ id: newId() }), UNRECORDED)).rejects.toMatchObject({
        code: 'not_found',
      });
    });
  });
}
