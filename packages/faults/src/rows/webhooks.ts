import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { openPostgres, type PostgresRepositories } from '@hitherto/adapters/postgres';
import { newId } from '@hitherto/adapters/system';
import {
  COMMAND_LINE,
  createAlert,
  createWebhook,
  parseWebsiteChanges,
  timeZone,
  updateWebsite,
  type Website,
} from '@hitherto/domain';
import { aCountedHit, anAccount, aWebsite } from '@hitherto/domain/testing';
import { secretKeyOf } from '@hitherto/program/secret-key';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { row, type Trial } from '../row.ts';
import type { DatabaseProxy } from '../support/database-proxy.ts';
import { MAIL_POINTS, type MailServer, startMailServer } from '../support/mail-server.ts';
import { addTo, withNumbers } from '../support/numbers-text.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { runAt, runProgram, spawnAt } from '../support/program.ts';
import { DELIVERY_POINTS, type Receiver, startReceiver } from '../support/receiver.ts';

const WEBSITES = 4;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** More than the leases of deliveries and of mails. */
const STEP_MS = 11 * MINUTE_MS;
/** A noon long after the websites are created. */
const FIRST_NOON = Date.parse('2030-01-07T12:00:00Z');
/** On a busy machine a sender may find the database overloaded, and leave its claims until the lease ends. */
const MAX_RUNS = 5;
const SECRET_KEY = 'a key for the fault suite, of 32 characters and more';
/** Statements around which a process is killed, by their names and its command. */
const STATEMENTS = {
  alerts: [/claim_alerts/, /record_alert_check/, /claim_task/, /finish_task/],
  webhooks: [/claim_webhook_delivery/, /finish_webhook_delivery/],
} as const;
type Command = keyof typeof STATEMENTS;

interface World {
  readonly repositories: PostgresRepositories;
  readonly env: Readonly<Record<string, string>>;
  readonly accountId: string;
  readonly websites: readonly Website[];
  readonly mailServer: MailServer;
  readonly receiver: Receiver;
  readonly proxy: DatabaseProxy;
}

export const webhooks = row('webhooks', 100, 'kills', { small: 4 }, async (trials) => {
  const postgres = await trials.open(startOwnPostgres());
  const mailServer = await trials.open(startMailServer());
  const receiver = await trials.open(startReceiver());
  const env = {
    DATABASE_URL: postgres.url,
    SMTP_URL: mailServer.url,
    MAIL_FROM: 'stats@example.com',
    PUBLIC_URL: 'https://stats.example',
    SECRET_KEY,
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.1',
  };
  await runProgram(['migrate'], env);
  const secretKey = secretKeyOf({ secretKey: SECRET_KEY, databaseUrl: postgres.url, dataDir: '' });
  const repositories = await trials.open(openPostgres({ connection: postgres.url, log: () => {}, secretKey }));
  const owned = await addWebsites(repositories, receiver.url);
  const world: World = { repositories, env, ...owned, mailServer, receiver, proxy: postgres.proxy };
  const run = (command: Command, at: number) => runAt(at, command, { env, receivers: [receiver.url] });
  const sum = { events: 0, mails: 0, twice: 0, killed: 0 };
  await trials.each(async (trial) => {
    const noon = FIRST_NOON + trial.index * DAY_MS;
    const [received, mails] = [receiver.received().length, mailServer.taken().length];
    await change(world, new Date(noon));

    const isKilled = await killOne(world, trial, noon);
    const isOpen = async () =>
      (
        await postgres.query(`select from task where state <> 'sent' union all
          select from webhook_delivery where state <> 'delivered'`)
      ).length > 0;
    let runs = 0;
    do {
      if (runs > MAX_RUNS) throw new Error('Some mails or deliveries are not recorded as sent.');
      // The hits of the trial are current for 5 minutes.
      if (runs === 0) await Promise.all([run('alerts', noon + MINUTE_MS), run('alerts', noon + MINUTE_MS)]);
      runs += 1;
      const at = noon + runs * STEP_MS;
      await Promise.all([run('webhooks', at), run('webhooks', at), run('alerts', at)]);
    } while (await isOpen());

    const twice = check(world, received, mails);
    if (twice > 0 && !isKilled) throw new Error(`${twice} mails or deliveries came twice without a kill`);
    addTo(sum, { events: 2 * WEBSITES, mails: WEBSITES, twice, killed: isKilled ? 1 : 0 });
  });
  return withNumbers`${sum.events} events and ${sum.mails} mails of alerts, all sent; ${sum.killed} processes killed at work, ${sum.twice} events and mails came twice, each with the same id`;
});

/** An account with a webhook, and websites that each have an alert. */
async function addWebsites(repositories: PostgresRepositories, url: string) {
  const email = { address: 'owner@example.com', since: new Date(0) };
  const account = anAccount({ id: newId(), email });
  await repositories.access.insertAccount(account);
  const deps = {
    ...repositories,
    author: COMMAND_LINE,
    now: () => new Date(),
    newId,
    randomBytes,
    zone: timeZone('UTC'),
  };
  await createWebhook(deps, account.id, { url, events: ['website.updated', 'alert.fired'] });
  const websites = Array.from({ length: WEBSITES }, () => newId()).map((id) =>
    aWebsite({ id, url: `https://${id}.example` }),
  );
  for (const website of websites) {
    await repositories.websites.insert(account.id, website);
    await createAlert(deps, { accountId: account.id, websiteId: website.id }, { rule: 'spike', threshold: 1 });
  }
  return { accountId: account.id, websites };
}

/** Changes each website, which is an event, and gives it a visitor, which is an alert. */
async function change({ repositories, accountId, websites }: World, now: Date): Promise<void> {
  const deps = { ...repositories, author: COMMAND_LINE, passwords: quickHasher, now: () => now, newId };
  for (const { id } of websites) {
    const changes = parseWebsiteChanges({ excludedParams: [`a${now.getTime()}`] });
    await updateWebsite(deps, accountId, id, changes);
  }
  await repositories.hits.add(websites.map(({ id }) => aCountedHit({ websiteId: id, time: now })));
}

/** How many mails and deliveries came twice; each must have come, and under one id. */
function check({ websites, receiver, mailServer }: World, received: number, mails: number): number {
  const deliveries = receiver.received().slice(received);
  for (const { id } of websites) {
    for (const type of ['website.updated', 'alert.fired']) {
      const ids = deliveries.filter((each) => each.websiteId === id && each.type === type).map((each) => each.id);
      assert.equal(new Set(ids).size, 1, `${type} of a website came under ${new Set(ids).size} ids`);
    }
  }
  const taken = mailServer.taken().slice(mails);
  assert.equal(new Set(taken).size, WEBSITES, `mails of alerts with these ids: ${taken.join(', ')}`);
  return deliveries.length - 2 * WEBSITES + taken.length - WEBSITES;
}

/** Runs a command and kills it at a point of a mail or a delivery, or before a statement; whether that came to pass. */
async function killOne(world: World, { index, random }: Trial, noon: number): Promise<boolean> {
  const { env, mailServer, receiver, proxy } = world;
  const command: Command = index % 2 === 0 ? 'alerts' : 'webhooks';
  const program = spawnAt(noon, command, { env, receivers: [receiver.url] });
  const kill = () => void program.process.kill('SIGKILL');
  const after = random.below(WEBSITES);
  if (random.below(2) === 0) proxy.whenAsked(random.pick(STATEMENTS[command]), after, kill);
  else if (command === 'alerts') mailServer.at(random.pick(MAIL_POINTS), after, kill);
  else receiver.at(random.pick(DELIVERY_POINTS), after, kill);
  const end = await program.ended;
  mailServer.clear();
  receiver.clear();
  proxy.clear();
  return end === 'SIGKILL';
}
