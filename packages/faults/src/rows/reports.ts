import assert from 'node:assert/strict';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { Repositories } from '@hitherto/domain/repositories';
import { LEASE_MS } from '@hitherto/domain/tasks';
import { aCountedHit, aWebsite } from '@hitherto/domain/testing';
import { newId } from '@hitherto/outside/system';
import { openPostgres } from '@hitherto/postgres';
import { row, type Trial } from '../row.ts';
import type { DatabaseProxy } from '../support/database-proxy.ts';
import { MAIL_POINTS, type MailServer } from '../support/mail-server.ts';
import { addTo, withNumbers } from '../support/numbers-text.ts';
import { type Arm, killWhen, runAt, spawnAt } from '../support/program.ts';
import { addRecipient, runUntilSent, startSending } from '../support/sending.ts';

/** More than one process sends at once. */
const WEBSITES = 6;
const SENT_AT_ONCE = 2;
/** On a busy machine a sender may find the database overloaded, and leave its claimed tasks until the lease ends. */
const MOST_RUNS = 5;
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
/** A Monday, long ago: no command acts as if it were later than it is. */
const FIRST_MONDAY = Date.parse('2010-01-04T09:00:00Z');
/** Reports are on since then. */
const CREATED = new Date('2009-01-01T00:00:00Z');
/** Statements around which a sender is killed, by their names. */
const STATEMENTS = [/record_reports/, /claim_task/, /finish_task/, /find_secret/] as const;

async function addWebsites(ports: Pick<Repositories, 'access' | 'websites'>): Promise<string[]> {
  const accountId = await addRecipient(ports);
  const ids = Array.from({ length: WEBSITES }, () => newId());
  for (const id of ids) {
    const url = `https://${id}.example`;
    const website = aWebsite({ id, url, emailReports: true, createdAt: CREATED, updatedAt: CREATED });
    await ports.websites.insert(accountId, website, UNRECORDED);
  }
  return ids;
}

/** How many mails came twice; the report of each website must have come, and with one Message-ID. */
function duplicatesIn(taken: readonly string[], ids: readonly string[]): number {
  const missing = ids.filter((id) => !taken.some((messageId) => messageId.includes(id)));
  assert.deepEqual(missing, [], 'reports that were not sent');
  assert.equal(new Set(taken).size, ids.length, `a report has several Message-IDs: ${taken.join(', ')}`);
  return taken.length - ids.length;
}

export const reports = row('reports', 100, 'kills', { small: 3 }, async (trials) => {
  const { postgres, mailServer, env } = await startSending(trials);
  const sum = { sent: 0, twice: 0, killed: 0 };
  const repositories = await trials.open(openPostgres({ connection: postgres.url, log: () => {} }));
  const ids = await addWebsites(repositories);
  await trials.each(async (trial) => {
    const monday = FIRST_MONDAY + trial.index * WEEK_MS;
    const time = new Date(monday - WEEK_MS / 2);
    await repositories.hits.add(ids.map((websiteId) => aCountedHit({ websiteId, time })));
    const before = mailServer.taken().length;

    const isKilled = await killOne(trial, monday, env, mailServer, postgres.proxy);
    const fromKilled = mailServer.taken().length - before;
    const run = (n: number) => runAt(monday + n * LEASE_MS, 'reports', { env });
    await runUntilSent(postgres, MOST_RUNS, (n) => Promise.all([run(n), run(n)]));

    const twice = duplicatesIn(mailServer.taken().slice(before), ids);
    if (twice > (isKilled ? Math.min(fromKilled, SENT_AT_ONCE) : 0)) throw new Error(`${twice} mails came twice`);
    addTo(sum, { sent: ids.length, twice, killed: isKilled ? 1 : 0 });
  });
  return withNumbers`${sum.sent} reports, all sent; ${sum.killed} senders killed at work, ${sum.twice} of their mails came twice, each with the same Message-ID`;
});

/** Runs a sender and kills it at a point of a mail, before a statement, or at a random time; whether that came to pass. */
function killOne(
  { index, random }: Trial,
  monday: number,
  env: Readonly<Record<string, string>>,
  mailServer: MailServer,
  proxy: DatabaseProxy,
): Promise<boolean> {
  const sender = spawnAt(monday, 'reports', { env });
  const arm: Arm = (kill) => {
    if (index % 3 === 0) mailServer.at(random.pick(MAIL_POINTS), random.below(WEBSITES), kill);
    else if (index % 3 === 1) proxy.whenAsked(random.pick(STATEMENTS), 0, kill);
    else mailServer.at('connection', 0, () => setTimeout(kill, random.below(60)));
  };
  return killWhen(sender, arm, mailServer, proxy);
}
