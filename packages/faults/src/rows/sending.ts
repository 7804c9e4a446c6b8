import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createAlert, parseAlert } from '@hitherto/domain/alerts';
import { timeZone } from '@hitherto/domain/calendar';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import { createResource } from '@hitherto/domain/resources';
import { LEASE_MS } from '@hitherto/domain/tasks';
import { parseNewWebhook, WEBHOOK } from '@hitherto/domain/webhooks';
import { parseWebsiteChanges, updateWebsite, wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { openPostgres } from '@hitherto/postgres';
import { secretKeyOf } from '@hitherto/program/secret-key';
import { aCountedHit, anAccount, aWebsite } from '@hitherto/testing/fixtures';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { row, type Trial, type Trials } from '../row.ts';
import { MAIL_POINTS, startMailServer } from '../support/mail-server.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { type Arm, type Command, killWhen, runAt, runProgram, spawnAt } from '../support/program.ts';
import { DELIVERY_POINTS, startReceiver } from '../support/receiver.ts';

const WEBSITES = 4;
/** How many mails one process sends at a time. */
const SENT_AT_ONCE = 2;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** More than the leases of deliveries and of mails. */
const STEP_MS = LEASE_MS + MINUTE_MS;
/** A Monday, long ago: no command acts as if it were later than it is. */
const FIRST_MONDAY = Date.parse('2010-01-04T12:00:00Z');
const CREATED = new Date('2009-01-01T00:00:00Z');
/** On a busy machine a sender may find the database overloaded, and leave its claims until the lease ends. */
const MOST_RUNS = 6;
const SECRET_KEY = 'a key for the fault suite, of 32 characters and more';
/** Statements around which a process is killed, by its command and their names. */
const STATEMENTS = {
  reports: [/record_reports/, /claim_task/, /finish_task/, /find_secret/],
  alerts: [/claim_alerts/, /record_alert_check/, /claim_task/, /finish_task/],
  webhooks: [/claim_webhook_delivery/, /finish_webhook_delivery/],
} as const;

type World = Awaited<ReturnType<typeof startWorld>>;

/** An account that gets mails and has a webhook, with websites that have reports and an alert each. */
async function startWorld({ open }: Trials) {
  const postgres = await open(startOwnPostgres());
  const mailServer = await open(startMailServer());
  const receiver = await open(startReceiver());
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
  const ports = await open(openPostgres({ connection: postgres.url, log: () => {}, secretKey }));
  const account = anAccount({ id: newId(), email: { address: 'owner@example.com', since: new Date(0) } });
  await ports.access.insertAccount(account, UNRECORDED);
  const zone = timeZone('UTC');
  const deps = {
    ...ports,
    author: COMMAND_LINE,
    passwords: quickHasher,
    now: () => new Date(),
    newId,
    randomBytes,
    zone,
  };
  const webhook = parseNewWebhook({ url: receiver.url, events: ['website.updated', 'alert.fired'] });
  await createResource(deps, WEBHOOK, { accountId: account.id }, webhook);
  const ids = Array.from({ length: WEBSITES }, () => newId());
  for (const id of ids) {
    const times = { createdAt: CREATED, updatedAt: CREATED };
    const website = aWebsite({ id, url: `https://${id}.example`, emailReports: true, ...times });
    await ports.websites.insert(account.id, website, UNRECORDED);
    await createAlert(deps, { accountId: account.id, websiteId: id }, parseAlert({ rule: 'spike', threshold: 1 }));
  }
  return {
    ids,
    mailServer,
    receiver,
    postgres,
    /** Gives each website a hit. */
    addHits: (time: Date) => ports.hits.add(ids.map((websiteId) => aCountedHit({ websiteId, time }))),
    /** Changes each website, which is an event. */
    async change(now: Date) {
      const changes = parseWebsiteChanges({ excludedParams: [`a${now.getTime()}`] });
      for (const id of ids) await updateWebsite({ ...deps, now: () => now }, wholeAccount(account.id), id, changes);
    },
    spawn: (command: Command, at: number) => spawnAt(at, command, { env, receivers: [receiver.url] }),
    run: (command: Command, at: number) => runAt(at, command, { env, receivers: [receiver.url] }),
  };
}

/** Runs a command and kills it at a point of a mail or a delivery, before a statement, or at a random time of its work. */
function kill(world: World, trial: Trial, command: Command, at: number): Promise<boolean> {
  const { mailServer, receiver, postgres, spawn } = world;
  const { index, random } = trial;
  const after = random.below(WEBSITES);
  const arm: Arm = (strike) => {
    if (index % 3 === 0) postgres.proxy.whenAsked(random.pick(STATEMENTS[command]), after, strike);
    else if (command === 'webhooks') receiver.at(random.pick(DELIVERY_POINTS), after, strike);
    else if (index % 3 === 1) mailServer.at(random.pick(MAIL_POINTS), after, strike);
    else mailServer.at('connection', 0, () => setTimeout(strike, random.below(60)));
  };
  return killWhen(trial, spawn(command, at), arm, mailServer, receiver, postgres.proxy);
}

/** Runs senders until every mail and delivery is recorded as sent. */
async function runUntilSent({ postgres }: World, run: (n: number) => Promise<unknown>): Promise<void> {
  const open = `select from task where state <> 'sent' union all
    select from webhook_delivery where state <> 'delivered'`;
  for (let n = 1; n <= MOST_RUNS; n += 1) {
    await run(n);
    if ((await postgres.query(open)).length === 0) return;
  }
  throw new Error('Some mails or deliveries are not recorded as sent.');
}

/** Each report is sent once, or again with the same Message-ID if a process was killed while it sent it. */
const reports = row('reports', 100, 'kills', { small: 3 }, async (trials) => {
  const world = await startWorld(trials);
  const { ids, mailServer, run } = world;
  await trials.each(async (trial) => {
    const monday = FIRST_MONDAY + trial.index * 7 * DAY_MS;
    await world.addHits(new Date(monday - 3 * DAY_MS));
    const before = mailServer.taken().length;
    const isKilled = await kill(world, trial, 'reports', monday);
    const fromKilled = isKilled ? mailServer.taken().length - before : 0;
    await runUntilSent(world, (n) => {
      const at = monday + n * STEP_MS;
      return Promise.all([run('reports', at), run('reports', at)]);
    });

    const taken = mailServer.taken().slice(before);
    const missing = ids.filter((id) => !taken.some((messageId) => messageId.includes(id)));
    assert.deepEqual(missing, [], 'reports that were not sent');
    assert.equal(new Set(taken).size, WEBSITES, `a report has several Message-IDs: ${taken.join(', ')}`);
    const twice = taken.length - WEBSITES;
    if (twice > Math.min(fromKilled, SENT_AT_ONCE)) throw new Error(`${twice} mails came twice`);
    trial.add({ reports: WEBSITES, 'sent twice': twice });
  });
});

/** Each event and each mail of an alert is sent once, or again under the same id if a process was killed. */
const webhooks = row('webhooks', 100, 'kills', { small: 4 }, async (trials) => {
  const world = await startWorld(trials);
  const { ids, mailServer, receiver, run } = world;
  await trials.each(async (trial) => {
    const noon = FIRST_MONDAY + trial.index * DAY_MS;
    const [received, mails] = [receiver.received().length, mailServer.taken().length];
    await world.change(new Date(noon));
    await world.addHits(new Date(noon));
    const isKilled = await kill(world, trial, trial.random.pick(['alerts', 'webhooks']), noon);
    // The hits of the trial are current for 5 minutes.
    await Promise.all([run('alerts', noon + MINUTE_MS), run('alerts', noon + MINUTE_MS)]);
    await runUntilSent(world, (n) => {
      const at = noon + n * STEP_MS;
      return Promise.all([run('webhooks', at), run('webhooks', at), run('alerts', at)]);
    });

    const deliveries = receiver.received().slice(received);
    for (const id of ids) {
      for (const type of ['website.updated', 'alert.fired']) {
        const found = deliveries.filter((each) => each.websiteId === id && each.type === type).map((each) => each.id);
        assert.equal(new Set(found).size, 1, `${type} of a website came under ${new Set(found).size} ids`);
      }
    }
    const taken = mailServer.taken().slice(mails);
    assert.equal(new Set(taken).size, WEBSITES, `mails of alerts with these ids: ${taken.join(', ')}`);
    const twice = deliveries.length - 2 * WEBSITES + taken.length - WEBSITES;
    if (twice > 0 && !isKilled) throw new Error(`${twice} mails or deliveries came twice without a kill`);
    trial.add({ events: 2 * WEBSITES, mails: WEBSITES, 'sent twice': twice });
  });
});

export const sending = [reports, webhooks];
