import { setTimeout as sleep } from 'node:timers/promises';
import { MONOTONIC_CLOCK, storedText } from '@hitherto/domain/base';
import { UNRECORDED } from '@hitherto/domain/changes';
import { MailFailed, type NoticeMail } from '@hitherto/domain/reports';
import {
  type DeliverDependencies,
  deleteOldDeliveries,
  deliverDue,
  testWebhook,
  type Webhook,
  type WebhookMessage,
  WebhookUnreachable,
} from '@hitherto/domain/webhooks';
import { newId } from '@hitherto/outside/system';
import { ENGLISH } from '@hitherto/words';
import { beforeEach, expect, it } from 'vitest';
import { addAccount, type MakeRepositories, type TestRepositories } from './support/repositories.ts';
import { AT, after, anEvent, aWebhook, recordEvent } from './support/webhooks.ts';

const HOUR = 60;
const DAY = 24 * HOUR;
/** When a delivery is attempted that fails each time, in minutes after the first attempt. */
const ATTEMPTS = [0, 1, 6, 36, 36 + 2 * HOUR, 36 + 8 * HOUR, 36 + 32 * HOUR];

/** The behaviour of `deliverDue` on an adapter. */
export function webhookDeliveryContract(makeRepositories: MakeRepositories): void {
  let repositories: TestRepositories;
  let accountId: string;
  let webhook: Webhook;
  let now: Date;
  /** What receivers respond, the next first; 204 when there is no more. */
  let responses: (number | Error)[];
  let sent: (WebhookMessage & { readonly at: Date })[];
  let mails: NoticeMail[];
  let mailFaults: Error[];

  beforeEach(async () => {
    repositories = await makeRepositories();
    accountId = await addAccount(repositories);
    await repositories.access.updateAccount(
      accountId,
      { email: { address: 'owner@example.com', since: AT } },
      UNRECORDED,
    );
    webhook = aWebhook({ id: newId() });
    await repositories.webhooks.insert({ accountId }, webhook, UNRECORDED);
    now = AT;
    responses = [];
    sent = [];
    mails = [];
    mailFaults = [];
  });

  const deps = (overrides: Partial<DeliverDependencies> = {}): DeliverDependencies => ({
    ...repositories,
    webhookClient: {
      async send(message) {
        sent.push({ ...message, at: now });
        const response = responses.shift() ?? 204;
        if (response instanceof Error) throw response;
        return response;
      },
    },
    writeMessage: ({ type }, format, url) => ({ url, body: `${format} ${type}` }),
    notices: {
      messageHost: 'stats.example',
      locale: ENGLISH,
      mailer: {
        async notify(mail) {
          const fault = mailFaults.shift();
          if (fault !== undefined) throw fault;
          mails.push(mail);
        },
      },
    },
    now: () => now,
    clock: MONOTONIC_CLOCK,
    onDelivery: () => {},
    ...overrides,
  });
  const record = (websiteId = newId()) => recordEvent(repositories, anEvent(accountId, websiteId));
  const runAt = (minutes: number) => {
    now = after(minutes);
    return deliverDue(deps());
  };
  const states = async () =>
    (await repositories.webhookOutbox.list(accountId, webhook.id, 100)).map(({ state }) => state);
  const isActive = async () => (await repositories.webhooks.find({ accountId }, webhook.id))?.isActive;

  it('sends each event once, with its id, and in the order of a website', async () => {
    const websiteId = newId();
    for (let count = 0; count < 6; count += 1) await record(websiteId);
    const ids = (await repositories.webhookOutbox.list(accountId, webhook.id, 100)).map(({ id }) => id).toReversed();

    await runAt(0);
    await runAt(1);

    expect(sent.map(({ id }) => id)).toEqual(ids);
    expect(sent[0]).toEqual({
      id: ids[0],
      url: webhook.url,
      body: 'json website.updated',
      at: AT,
      secret: webhook.secret,
    });
    expect(await states()).toEqual(Array.from({ length: 6 }, () => 'delivered'));
  });

  it('tries again after 1, 5 and 30 minutes, 2, 6 and 24 hours, and then gives up', async () => {
    await record();
    responses = ATTEMPTS.map(() => 500);

    for (const time of ATTEMPTS) {
      await runAt(time - 1);
      await runAt(time);
    }
    await runAt(9 * DAY);

    expect(sent.map(({ at }) => at)).toEqual(ATTEMPTS.map(after));
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
    expect(await states()).toEqual(['failed']);
    expect(await isActive()).toBe(true);
  });

  it('counts everything but 2xx as a failure, and says why', async () => {
    responses = [302, new WebhookUnreachable(storedText('noResponse', 'ECONNREFUSED'))];
    await record();
    await record();

    await runAt(0);

    const found = await repositories.webhookOutbox.list(accountId, webhook.id, 10);
    expect(found.map(({ error, responseCode }) => [error, responseCode]).toSorted()).toEqual([
      ['The response had status 302.', 302],
      ['There was no response (ECONNREFUSED).', null],
    ]);
  });

  it('delivers the next event of a website once one was given up', async () => {
    const websiteId = newId();
    responses = Array.from({ length: 7 }, () => 500);
    await record(websiteId);
    await record(websiteId);

    for (const time of ATTEMPTS) await runAt(time);

    expect(await states()).toEqual(['delivered', 'failed']);
  });

  it('attempts one delivery to a webhook at a time, and several to others', async () => {
    await repositories.webhooks.insert(
      { accountId },
      aWebhook({ id: newId(), url: 'https://other.example/' }),
      UNRECORDED,
    );
    for (let count = 0; count < 12; count += 1) await record();
    const open = new Map<string, number>();
    let [most, all] = [0, 0];
    const send = async ({ url }: WebhookMessage) => {
      open.set(url, (open.get(url) ?? 0) + 1);
      const counts = [...open.values()];
      most = Math.max(most, ...counts);
      all = Math.max(all, counts.filter((count) => count > 0).length);
      await sleep(30);
      open.set(url, (open.get(url) ?? 0) - 1);
      return 204;
    };

    let [claims, mostClaims] = [0, 0];
    const claim = async (...times: [Date, Date]) => {
      claims += 1;
      mostClaims = Math.max(mostClaims, claims);
      const delivery = await repositories.webhookOutbox.claim(...times);
      claims -= 1;
      return delivery;
    };

    const webhookOutbox = { ...repositories.webhookOutbox, claim };
    await deliverDue(deps({ webhookOutbox, webhookClient: { send } }));

    expect([most, all]).toEqual([1, 2]);
    // Claims at the same time do not see each other.
    expect(mostClaims).toBe(1);
  });

  it('turns the webhook off at a 410, without another try, and tells the account', async () => {
    responses = [410];
    await record();

    await runAt(0);

    expect(await isActive()).toBe(false);
    expect(await states()).toEqual(['delivered', 'failed']);
    expect(mails).toMatchObject([{ to: 'owner@example.com', title: 'The webhook to hooks.example was turned off' }]);
  });

  it('turns the webhook off after 5 days of failures without a success, and tells the account once', async () => {
    for (const minute of [0, 2 * DAY, 4 * DAY, 5 * DAY - 1]) {
      responses = Array.from({ length: 20 }, () => 503);
      await record();
      await runAt(minute);
    }
    expect(await isActive()).toBe(true);

    responses = Array.from({ length: 20 }, () => 503);
    await runAt(5 * DAY);
    await runAt(6 * DAY);

    expect(await isActive()).toBe(false);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.paragraphs.join(' ')).toContain('since 2026-11-20 12:00 UTC');
  });

  it('tries again after one failure, however long ago another one was', async () => {
    responses = [500, 503];
    await testWebhook({ ...deps(), webhooks: repositories.webhooks }, accountId, webhook.id);
    await record();

    await runAt(6 * DAY);
    expect([await isActive(), await states()]).toEqual([true, ['pending', 'failed']]);
    await runAt(6 * DAY + 1);
    expect([await isActive(), await states()]).toEqual([true, ['delivered', 'failed']]);
  });

  it('leaves the webhook on when a test fails, however long it has failed', async () => {
    responses = [500, 500];
    const test = () => testWebhook({ ...deps(), webhooks: repositories.webhooks }, accountId, webhook.id);
    await test();
    now = after(6 * DAY);
    await test();

    expect([await isActive(), await states()]).toEqual([true, ['failed', 'failed']]);
  });

  it('begins to count failures again after a success', async () => {
    for (const [minute, response] of [
      [0, 503],
      [3 * DAY, 204],
      [4 * DAY, 503],
      [6 * DAY, 503],
    ] as const) {
      responses = Array.from({ length: 9 }, () => response);
      await record();
      await runAt(minute);
    }

    expect(await isActive()).toBe(true);
  });

  it('tells the account again when the mail server fails, under the same Message-ID', async () => {
    responses = [410];
    mailFaults = [new MailFailed('no such owner@example.com')];
    await record();

    await runAt(0);
    const [notice] = await repositories.webhookOutbox.list(accountId, webhook.id, 1);
    expect(notice).toMatchObject({ state: 'pending', error: 'no such ***', dueAt: after(1) });
    await runAt(1);

    expect(mails).toMatchObject([{ messageId: `webhook.${notice?.id}@stats.example` }]);
    expect(await states()).toEqual(['delivered', 'failed']);
  });

  it('says so where the account has no address', async () => {
    await repositories.access.updateAccount(accountId, { email: null }, UNRECORDED);
    responses = [410];
    await record();

    await runAt(0);

    const [notice] = await repositories.webhookOutbox.list(accountId, webhook.id, 1);
    expect(notice).toMatchObject({ state: 'failed', error: 'The account has no e-mail address.' });
  });

  it('delivers again under the same id what a process that was killed has not recorded', async () => {
    await record();
    const kill = deps({
      webhookOutbox: { ...repositories.webhookOutbox, finish: () => Promise.reject(new Error('killed')) },
    });

    await expect(deliverDue(kill)).rejects.toThrow('killed');
    await runAt(2);
    expect(sent).toHaveLength(1);
    await runAt(3);

    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
    expect(sent).toHaveLength(2);
    expect(await states()).toEqual(['delivered']);
  });

  it('sends a test at once, and never again', async () => {
    responses = [500];

    const delivery = await testWebhook({ ...deps(), webhooks: repositories.webhooks }, accountId, webhook.id);
    await runAt(2 * DAY);

    expect(delivery).toMatchObject({ state: 'failed', responseCode: 500, event: { type: 'webhook.test' } });
    expect(sent).toHaveLength(1);
  });

  it('sends no test to a webhook that is turned off', async () => {
    await repositories.webhooks.replace(
      { accountId },
      { ...webhook, isActive: false, updatedAt: after(1) },
      AT,
      UNRECORDED,
    );

    await expect(
      testWebhook({ ...deps(), webhooks: repositories.webhooks }, accountId, webhook.id),
    ).rejects.toMatchObject({ code: 'webhook_inactive' });
  });

  it('deletes deliveries after 30 days', async () => {
    await record();
    await runAt(0);

    now = after(30 * DAY);
    await deleteOldDeliveries(deps());
    expect(await states()).toEqual(['delivered']);
    now = new Date(now.getTime() + 1);
    await deleteOldDeliveries(deps());
    expect(await states()).toEqual([]);
  });
}
