import { UNRECORDED } from '@hitherto/domain/changes';
import type { ClaimedDelivery, Webhook, WebhookEvent } from '@hitherto/domain/webhooks';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled } from '@hitherto/testing/at-once';
import { aWebsite, dueReports } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, it } from 'vitest';
import { addReader, addReported, DUE, MONDAY, WEEK } from './support/reported.ts';
import {
  addAccount,
  aRecord,
  HOSTILE_STRINGS,
  type MakeRepositories,
  type TestRepositories,
} from './support/repositories.ts';
import { AT, after, anEvent, aWebhook, deliveredEvents, recordEvent } from './support/webhooks.ts';

const TEST = { type: 'webhook.test', at: AT, data: { message: 'é 🦊' } } as const;
const SINCE = { since: AT.toISOString(), reason: 'no' };

/** The contract of `WebhookOutbox`, and of the repositories that write it. */
export function webhookOutboxContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;
  let webhook: Webhook;

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
    webhook = await addWebhook();
  });

  const addWebhook = async (overrides: Partial<Webhook> = {}, owner = accountId) => {
    const added = aWebhook({ id: newId(), ...overrides });
    await repositories.webhooks.insert({ accountId: owner }, added, UNRECORDED);
    return added;
  };
  const record = (websiteId: string, at = AT) =>
    recordEvent(repositories, anEvent(accountId, websiteId, 'website.updated', at));
  const deliveries = ({ id } = webhook) => repositories.webhookOutbox.list(accountId, id, 100);
  const types = async (of = webhook) => (await deliveries(of)).map(({ event }) => event.type);
  const claim = (now = AT) => repositories.webhookOutbox.claim(now, new Date(now.getTime() + 60_000));
  const claimed = async (now = AT): Promise<ClaimedDelivery> => {
    const delivery = await claim(now);
    if (delivery === undefined) throw new Error('Nothing is due.');
    return delivery;
  };
  const delivered = { at: AT, responseCode: 204, outcome: 'delivered', counts: true } as const;
  const failed = {
    at: AT,
    responseCode: 500,
    outcome: 'failed',
    error: 'no',
    retryAt: after(1),
    counts: true,
  } as const;
  const givenUp = { ...failed, retryAt: undefined };
  const switchWebhook = (isActive: boolean, expected: Date, updatedAt: Date) =>
    repositories.webhooks.replace({ accountId }, { ...webhook, isActive, updatedAt }, expected, UNRECORDED);

  it('records an event with the change of a website, or neither', async () => {
    const { websites } = repositories;
    const website = aWebsite({ id: newId(), url: 'https://a.example' });
    const later = { ...website, updatedAt: new Date(website.updatedAt.getTime() + 1) };
    const told = (type: 'website.created' | 'website.updated' | 'website.deleted') => ({
      entry: undefined,
      event: anEvent(accountId, website.id, type),
    });

    await websites.insert(accountId, website, told('website.created'));
    await expect(
      websites.insert(accountId, { ...website, id: newId() }, told('website.created')),
    ).rejects.toMatchObject({ code: 'url_taken' });
    await websites.replace(accountId, later, later.updatedAt, told('website.updated'));
    await websites.replace(accountId, later, website.updatedAt, told('website.updated'));
    await websites.delete(accountId, website.id, website.updatedAt, told('website.deleted'));
    await websites.delete(accountId, website.id, later.updatedAt, told('website.deleted'));

    expect(await types()).toEqual(['website.deleted', 'website.updated', 'website.created']);
  });

  it('records the event of a repeated create once', async () => {
    const url = 'https://once.example';
    for (const id of [newId(), newId()]) {
      const website = aWebsite({ id, url });
      await repositories.websites.insert(accountId, website, {
        ...UNRECORDED,
        record: aRecord(),
        event: anEvent(accountId, id),
      });
    }

    expect(await deliveries()).toHaveLength(1);
  });

  it('records an event for each active webhook of the account that asks for it', async () => {
    const [websiteId, otherAccount] = [newId(), await addAccount(repositories)];
    const wanted = [
      webhook,
      await addWebhook({ websiteIds: [newId(), websiteId] }),
      await addWebhook({ format: 'slack' }),
    ];
    const unwanted = [
      await addWebhook({ isActive: false }),
      await addWebhook({ events: ['alert.fired'] }),
      await addWebhook({ websiteIds: [newId()] }),
    ];
    const foreign = await addWebhook({}, otherAccount);

    await record(websiteId);

    for (const each of wanted) expect(await types(each)).toEqual(['website.updated']);
    for (const each of unwanted) expect(await types(each)).toEqual([]);
    expect(await repositories.webhookOutbox.list(otherAccount, foreign.id, 10)).toEqual([]);
  });

  it('records report.ready once with the report of a week or a month', async () => {
    const owner = await addReader(repositories);
    const reported = await addReported(repositories, owner, { report: 'both' });
    await addWebhook({}, owner);
    const due = [...DUE, dueReports('2026-11')];

    await repositories.outbox.record(due, MONDAY);
    await repositories.outbox.record(due, MONDAY);

    const website = { id: reported.id, url: reported.url };
    const week = { name: WEEK, from: '2026-11-16', to: '2026-11-22' };
    const month = { name: '2026-11', from: '2026-11-01', to: '2026-11-30' };
    const events = await deliveredEvents(repositories.webhookOutbox, owner, MONDAY);
    expect(events.map(({ type, at }) => [type, at])).toEqual([week, month].map(() => ['report.ready', MONDAY]));
    expect(events.map(({ data }) => data)).toEqual(
      expect.arrayContaining([
        { website, week },
        { website, month },
      ]),
    );
  });

  it('shows a delivery without the data of its event, whatever becomes of it', async () => {
    const websiteId = newId();
    await record(websiteId);
    const [waiting] = await deliveries();
    expect(waiting).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event: { type: 'website.updated', at: AT },
      state: 'pending',
      attempts: 0,
      responseCode: null,
      error: null,
      attemptedAt: null,
      dueAt: AT,
    });

    await repositories.webhookOutbox.finish(await claimed(), failed);
    const retried = { ...waiting, attempts: 1, responseCode: 500, error: 'no', attemptedAt: AT, dueAt: after(1) };
    expect(await deliveries()).toEqual([retried]);

    await repositories.webhookOutbox.finish(await claimed(after(1)), { ...delivered, at: after(1) });
    const ended = { attemptedAt: after(1), dueAt: null };
    const done = { ...retried, state: 'delivered', attempts: 2, responseCode: 204, error: null, ...ended };
    expect(await deliveries()).toEqual([done]);
    expect(await repositories.webhookOutbox.find(accountId, webhook.id, String(waiting?.id))).toMatchObject(done);
    expect(await claim(after(9999))).toBeUndefined();
  });

  it('claims what is due, with all that an attempt needs, until the lease ends', async () => {
    await record(newId(), after(1));

    expect(await claim(AT)).toBeUndefined();
    const delivery = await claimed(after(1));
    const { id, url, format, secret } = webhook;
    expect(delivery).toMatchObject({
      accountId,
      webhook: { id, url, format, secret, failingSince: null },
      event: { type: 'website.updated', at: after(1) },
      attempts: 0,
      leasedUntil: after(2),
    });
    expect(await claim(new Date(after(2).getTime() - 1))).toBeUndefined();
    expect((await claimed(after(2))).id).toBe(delivery.id);
  });

  it('gives a delivery to one of many instances', async () => {
    await record(newId());

    expect(fulfilled(await atOnce(8, () => claim())).filter((each) => each !== undefined)).toHaveLength(1);
  });

  it('keeps the order of a website: later events wait while an earlier one is tried again', async () => {
    const [one, other] = [newId(), newId()];
    await record(one);
    await record(one);
    await record(other);
    const [latest, second, first] = (await deliveries()).map(({ id }) => id);

    const delivery = await claimed();
    await repositories.webhookOutbox.finish(delivery, failed);
    const next = await claimed();
    await repositories.webhookOutbox.finish(next, delivered);

    expect([delivery.id, next.id]).toEqual([first, latest]);
    expect(await claim()).toBeUndefined();
    await repositories.webhookOutbox.finish(await claimed(after(1)), givenUp);
    expect((await claimed(after(1))).id).toBe(second);
  });

  it('lets no event of a later day hold up others, as a wrong clock may have recorded it', async () => {
    const website = newId();
    await record(website, after(2 * 24 * 60));
    await record(website);
    const [now, later] = (await deliveries()).map(({ id }) => id);

    const delivery = await claimed();
    await repositories.webhookOutbox.finish(delivery, delivered);

    expect([delivery.id, await claim()]).toEqual([now, undefined]);
    expect((await claimed(after(2 * 24 * 60))).id).toBe(later);
  });

  it('keeps the order of a website also where the clock of an instance is ahead', async () => {
    const website = newId();
    await record(website, after(5));
    await record(website);
    const [, first] = (await deliveries()).map(({ id }) => id);

    expect(await claim()).toBeUndefined();
    expect((await claimed(after(5))).id).toBe(first);
  });

  it('attempts one delivery to a webhook at a time, while others get theirs', async () => {
    const slow = await addWebhook();
    for (const id of [newId(), newId()]) await record(id);

    const [one, two] = [await claimed(), await claimed()];

    expect(new Set([one.webhook.id, two.webhook.id])).toEqual(new Set([webhook.id, slow.id]));
    expect(await claim()).toBeUndefined();
    await repositories.webhookOutbox.finish(one, delivered);
    expect((await claimed()).webhook.id).toBe(one.webhook.id);
  });

  it('takes a success after the lease has ended, but no failure', async () => {
    await record(newId());
    const early = await claimed();
    const late = await claimed(after(1));

    await repositories.webhookOutbox.finish(early, givenUp);
    expect(await deliveries()).toMatchObject([{ state: 'pending', attempts: 0 }]);
    await repositories.webhookOutbox.finish(early, delivered);
    await repositories.webhookOutbox.finish(late, givenUp);
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  });

  it('knows since when a webhook fails, until a success', async () => {
    const { webhooks, webhookOutbox } = repositories;
    await record(newId());
    await webhookOutbox.finish(await claimed(), failed);
    await webhookOutbox.finish(await claimed(after(1)), { ...failed, at: after(1), retryAt: after(2) });
    expect(await webhooks.find({ accountId }, webhook.id)).toEqual({ ...webhook, failingSince: AT });

    await webhookOutbox.finish(await claimed(after(2)), delivered);
    expect(await webhooks.find({ accountId }, webhook.id)).toEqual(webhook);
  });

  it('turns a webhook off with an attempt: what waits has failed, and the account is to be told', async () => {
    const { webhooks, webhookOutbox } = repositories;
    for (const id of [newId(), newId()]) await record(id);
    const data = { since: AT.toISOString(), reason: 'no' };
    const disabled: WebhookEvent<'webhook.disabled'> = { type: 'webhook.disabled', at: after(1), data };

    await webhookOutbox.finish(await claimed(), { ...givenUp, at: after(1), disabled });

    expect(await webhooks.find({ accountId }, webhook.id)).toMatchObject({ isActive: false, updatedAt: after(1) });
    expect(await deliveries()).toMatchObject([
      { event: { type: 'webhook.disabled', at: after(1) }, state: 'pending' },
      { state: 'failed', error: 'The webhook was turned off.' },
      { state: 'failed', error: 'no' },
    ]);
    const notice = await claimed(after(1));
    expect(notice).toMatchObject({ event: disabled, webhook: { id: webhook.id } });
    await webhookOutbox.finish(notice, { ...delivered, counts: false });
    expect(await webhooks.find({ accountId }, webhook.id)).toMatchObject({ failingSince: after(1) });
    await record(newId());
    expect(await deliveries()).toHaveLength(3);
  });

  it('fails what waits when the owner turns the webhook off', async () => {
    await record(newId());

    await repositories.webhooks.replace(
      { accountId },
      { ...webhook, isActive: false, updatedAt: after(1) },
      AT,
      UNRECORDED,
    );

    expect(await deliveries()).toMatchObject([{ state: 'failed', error: 'The webhook was turned off.' }]);
    expect(await claim(after(9))).toBeUndefined();
  });

  it('sends nothing to a webhook that is off; what still waits when it is turned on has failed', async () => {
    const { webhookOutbox } = repositories;
    await switchWebhook(false, AT, after(1));
    await webhookOutbox.claimTest(accountId, webhook.id, TEST, after(1));

    expect(await claim(after(9))).toBeUndefined();
    await switchWebhook(true, after(1), after(2));
    expect(await deliveries()).toMatchObject([{ state: 'failed', error: 'The webhook was turned off.' }]);
    await record(newId());
    await switchWebhook(true, after(2), after(3));
    expect(await claim()).toMatchObject({ event: { type: 'website.updated' } });
  });

  it('tells the account that a webhook was turned off, also when the owner has changed it', async () => {
    const { webhookOutbox } = repositories;
    await record(newId());
    const disabled = { type: 'webhook.disabled', at: AT, data: SINCE } as const;
    await webhookOutbox.finish(await claimed(), { ...givenUp, disabled });
    const off = new Date(AT.getTime() + 1);

    await switchWebhook(false, off, after(1));
    await switchWebhook(true, after(1), after(2));

    expect(await claim()).toMatchObject({ event: disabled });
  });

  it('delivers again what was given up or delivered, under the same id', async () => {
    const { webhookOutbox } = repositories;
    await record(newId());
    const first = await claimed();
    const retry = (id = first.id) => webhookOutbox.retry(accountId, webhook.id, id, after(1));
    await webhookOutbox.finish(first, givenUp);

    expect(await retry()).toBe(true);
    expect(await claimed(after(1))).toMatchObject({ id: first.id, attempts: 1 });
    expect(await retry(newId())).toBe(false);
    await webhookOutbox.finish({ ...first, leasedUntil: after(2) }, delivered);
    expect(await retry()).toBe(true);
    expect(await deliveries()).toMatchObject([{ id: first.id, state: 'pending', dueAt: after(1) }]);

    await repositories.webhooks.replace(
      { accountId },
      { ...webhook, isActive: false, updatedAt: after(1) },
      AT,
      UNRECORDED,
    );
    expect(await retry()).toBe(false);
  });

  it('delivers again at once what was being attempted when the owner turned the webhook off', async () => {
    const { webhookOutbox } = repositories;
    await record(newId());
    const attempted = await claimed();
    await switchWebhook(false, AT, after(1));
    await switchWebhook(true, after(1), after(2));
    await webhookOutbox.finish(attempted, failed);

    expect(await webhookOutbox.retry(accountId, webhook.id, attempted.id, AT)).toBe(true);
    expect(await claimed()).toMatchObject({ id: attempted.id, attempts: 0 });
  });

  it('delivers again at once what was being attempted when another attempt turned the webhook off', async () => {
    const { webhookOutbox } = repositories;
    await record(newId());
    const delivery = await claimed();
    const attempted = await webhookOutbox.claimTest(accountId, webhook.id, TEST, after(1));
    await webhookOutbox.finish(delivery, { ...givenUp, disabled: { type: 'webhook.disabled', at: AT, data: SINCE } });
    await switchWebhook(true, new Date(AT.getTime() + 1), after(1));

    expect(await webhookOutbox.retry(accountId, webhook.id, String(attempted?.id), AT)).toBe(true);
    expect(await types()).toEqual(['webhook.disabled', 'webhook.test', 'website.updated']);
    expect(await deliveries()).toMatchObject([{}, { state: 'pending', dueAt: AT }, { state: 'failed' }]);
  });

  it('claims a test of a webhook at once', async () => {
    const { webhookOutbox } = repositories;
    const event = TEST;

    const test = await webhookOutbox.claimTest(accountId, webhook.id, event, after(1));

    expect(test).toMatchObject({ event, accountId, webhook: { url: webhook.url, secret: webhook.secret } });
    expect(await deliveries()).toMatchObject([{ id: test?.id, state: 'pending' }]);
    expect(await webhookOutbox.claimTest(accountId, newId(), event, after(1))).toBeUndefined();
    expect(await webhookOutbox.claimTest(await addAccount(repositories), webhook.id, event, after(1))).toBeUndefined();
  });

  it('lists the newest first, page by page', async () => {
    for (let minute = 0; minute < 5; minute += 1) await record(newId(), after(minute));
    const page = (id?: string) => repositories.webhookOutbox.list(accountId, webhook.id, 2, id);

    const [first, second] = [await page(), await page((await page())[1]?.id)];
    const third = await page(second[1]?.id);

    expect([...first, ...second, ...third].map(({ event }) => event.at)).toEqual([4, 3, 2, 1, 0].map(after));
    expect(await page(newId())).toEqual([]);
  });

  it('deletes what is older', async () => {
    await record(newId());
    await record(newId(), after(1));

    expect(await repositories.webhookOutbox.deleteBefore(after(1))).toBe(1);
    expect(await deliveries()).toMatchObject([{ event: { at: after(1) } }]);
  });

  describe('takes any string as an id', () => {
    it.each(HOSTILE_STRINGS)('%j', async (text) => {
      const { webhookOutbox } = repositories;
      await record(newId());

      expect(await webhookOutbox.list(text, webhook.id, 10)).toEqual([]);
      expect(await webhookOutbox.list(accountId, text, 10)).toEqual([]);
      expect(await webhookOutbox.list(accountId, webhook.id, 10, text)).toEqual([]);
      expect(await webhookOutbox.find(accountId, webhook.id, text)).toBeUndefined();
      expect(await webhookOutbox.retry(accountId, webhook.id, text, AT)).toBe(false);
    });
  });
}
