import { addAccount } from '@hitherto/contracts/support/repositories';
import { AT, after, anEvent, aWebhook } from '@hitherto/contracts/support/webhooks';
import { UNRECORDED } from '@hitherto/domain/changes';
import { newId } from '@hitherto/outside/system';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { aWebsite } from '@hitherto/testing/fixtures';
import { afterAll, expect, inject, test } from 'vitest';
import { openPostgres } from '../src/index.ts';
import { countSessions, hold } from './sessions.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const repositories = openPostgres({
  connection: database.url,
  log: () => {},
  secretKey: () => new Uint8Array(32).fill(7),
});

afterAll(async () => {
  await repositories.close();
  await database.drop();
});

test('an event of a change that began before its webhook was turned off is not sent', async () => {
  const { websites, webhooks, webhookOutbox } = repositories;
  const accountId = await addAccount(repositories);
  const [website, webhook] = [aWebsite({ id: newId(), updatedAt: AT }), aWebhook({ id: newId() })];
  await websites.insert(accountId, website, UNRECORDED);
  await webhooks.insert({ accountId }, webhook, UNRECORDED);
  const holding = await hold(
    database.url,
    `do $$ begin perform from website where id = '${website.id}' for update; perform pg_sleep(1.5); end $$`,
  );

  const event = anEvent(accountId, website.id);
  const changing = websites.replace(accountId, { ...website, updatedAt: after(1) }, AT, { ...UNRECORDED, event });
  await expect.poll(() => waiting(), { interval: 10 }).toBe(1);
  await webhooks.replace({ accountId }, { ...webhook, isActive: false, updatedAt: after(1) }, AT, UNRECORDED);
  expect(holding.isHeld()).toBe(true);
  expect(await changing).toBe(true);

  expect(await webhookOutbox.list(accountId, webhook.id, 10)).toMatchObject([{ state: 'pending' }]);
  expect(await webhookOutbox.claim(after(1), after(2))).toBeUndefined();
  await webhooks.replace({ accountId }, { ...webhook, updatedAt: after(2) }, after(1), UNRECORDED);
  expect(await webhookOutbox.list(accountId, webhook.id, 10)).toMatchObject([{ state: 'failed' }]);
});

test('a webhook that is deleted at the same time is not tested', async () => {
  const { webhooks, webhookOutbox } = repositories;
  const accountId = await addAccount(repositories);
  const webhook = aWebhook({ id: newId() });
  await webhooks.insert({ accountId }, webhook, UNRECORDED);
  await hold(database.url, `do $$ begin delete from webhook where id = '${webhook.id}'; perform pg_sleep(1); end $$`);

  const event = { type: 'webhook.test', at: AT, data: { message: '' } } as const;
  const claimed = webhookOutbox.claimTest(accountId, webhook.id, event, after(2));

  expect(await claimed).toBeUndefined();
});

/** How many sessions wait for a lock. */
function waiting(): Promise<number> {
  return countSessions(database.url, `wait_event_type = 'Lock' and datname = current_database()`);
}
