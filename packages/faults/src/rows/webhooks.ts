import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createAlert, parseAlert } from '@hitherto/domain/alerts';
import { timeZone } from '@hitherto/domain/calendar';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import { createResource } from '@hitherto/domain/resources';
import { aCountedHit, aWebsite } from '@hitherto/domain/testing';
import { parseNewWebhook, WEBHOOK } from '@hitherto/domain/webhooks';
import { parseWebsiteChanges, updateWebsite, type Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { openPostgres, type PostgresRepositories } from '@hitherto/postgres';
import { secretKeyOf } from '@hitherto/program/secret-key';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { row, type Trial } from '../row.ts';
import type { DatabaseProxy } from '../support/database-proxy.ts';
import { MAIL_POINTS, type MailServer } from '../support/mail-server.ts';
import { addTo, withNumbers } from '../support/numbers-text.ts';
import { type Arm, killWhen, runAt, spawnAt } from '../support/program.ts';
import { DELIVERY_POINTS, type Receiver, startReceiver } from '../support/receiver.ts';
import { addRecipient, runUntilSent, startSending } from '../support/sending.ts';

const WEBSITES = 4;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** More than the leases of deliveries and of mails. */
const STEP_MS = 11 * MINUTE_MS;
/** A noon long ago: no command acts as if it were later than it is. */
const FIRST_NOON = Date.parse('2010-01-04T12:00:00Z');
/** On a busy machine a sender may find the database overloaded, and leave its claims until the lease ends. */
const MOST_RUNS = 6;
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
  const settings = { SECRET_KEY, WEBHOOK_ALLOW_PRIVATE: '127.0.0.1' };
  const { postgres, mailServer, env } = await startSending(trials, settings);
  const receiver = await trials.open(startReceiver());
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
    // The hits of the trial are current for 5 minutes.
    await Promise.all([run('alerts', noon + MINUTE_MS), run('alerts', noon + MINUTE_MS)]);
    await runUntilSent(postgres, MOST_RUNS, (n) => {
      const at = noon + n * STEP_MS;
      return Promise.all([run('webhooks', at), run('webhooks', at), run('alerts', at)]);
    });

    const twice = check(world, received, mails);
    if (twice > 0 && !isKilled) throw new Error(`${twice} mails or deliveries came twice without a kill`);
    addTo(sum, { events: 2 * WEBSITES, mails: WEBSITES, twice, killed: isKilled ? 1 : 0 });
  });
  return withNumbers`${sum.events} events and ${sum.mails} mails of alerts, all sent; ${sum.killed} processes killed at work, ${sum.twice} events and mails came twice, each with the same id`;
});

/** An account with a webhook, and websites that each have an alert. */
async function addWebsites(repositories: PostgresRepositories, url: string) {
  const accountId = await addRecipient(repositories);
  const deps = {
    ...repositories,
    author: COMMAND_LINE,
    now: () => new Date(),
    newId,
    randomBytes,
    zone: timeZone('UTC'),
  };
  await createResource(
    deps,
    WEBHOOK,
    { accountId },
    parseNewWebhook({ url, events: ['website.updated', 'alert.fired'] }),
  );
  const websites = Array.from({ length: WEBSITES }, () => newId()).map((id) =>
    aWebsite({ id, url: `https://${id}.example` }),
  );
  for (const website of websites) {
    await repositories.websites.insert(accountId, website, UNRECORDED);
    await createAlert(deps, { accountId, websiteId: website.id }, parseAlert({ rule: 'spike', threshold: 1 }));
  }
  return { accountId, websites };
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
function killOne(world: World, { index, random }: Trial, noon: number): Promise<boolean> {
  const { env, mailServer, receiver, proxy } = world;
  const command: Command = index % 2 === 0 ? 'alerts' : 'webhooks';
  const program = spawnAt(noon, command, { env, receivers: [receiver.url] });
  const arm: Arm = (kill) => {
    const after = random.below(WEBSITES);
    if (random.below(2) === 0) proxy.whenAsked(random.pick(STATEMENTS[command]), after, kill);
    else if (command === 'alerts') mailServer.at(random.pick(MAIL_POINTS), after, kill);
    else receiver.at(random.pick(DELIVERY_POINTS), after, kill);
  };
  return killWhen(program, arm, mailServer, receiver, proxy);
}
