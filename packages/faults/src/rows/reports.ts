import assert from 'node:assert/strict';
import { openPostgres } from '@hitherto/adapters/postgres';
import { newId } from '@hitherto/adapters/system';
import { LEASE_MS, type Repositories } from '@hitherto/domain';
import { aCountedHit, anAccount, aWebsite } from '@hitherto/domain/testing';
import { row, type Trial } from '../row.ts';
import type { DatabaseProxy } from '../support/database-proxy.ts';
import { MAIL_POINTS, type MailServer, startMailServer } from '../support/mail-server.ts';
import { addTo, withNumbers } from '../support/numbers-text.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { runAt, runProgram, spawnAt } from '../support/program.ts';

/** More than one process sends at once. */
const WEBSITES = 6;
const SENT_AT_ONCE = 2;
/** On a busy machine a sender may find the database overloaded, and leave its claimed tasks until the lease ends. */
const MAX_RUNS = 5;
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
/** A Monday, long after the websites are created. */
const FIRST_MONDAY = Date.parse('2030-01-07T09:00:00Z');
/** Statements around which a sender is killed, by their names. */
const STATEMENTS = [/record_reports/, /claim_task/, /finish_task/, /find_secret/] as const;

type Ports = Pick<Repositories, 'access' | 'websites' | 'hits'>;

async function addWebsites({ access, websites }: Ports): Promise<string[]> {
  const email = { address: 'owner@example.com', since: new Date(0) };
  const account = anAccount({ id: newId(), email });
  await access.insertAccount(account);
  const ids = Array.from({ length: WEBSITES }, () => newId());
  for (const id of ids) {
    await websites.insert(account.id, aWebsite({ id, url: `https://${id}.example`, emailReports: true }));
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
  const postgres = await trials.open(startOwnPostgres());
  const mailServer = await trials.open(startMailServer());
  const env = {
    DATABASE_URL: postgres.url,
    SMTP_URL: mailServer.url,
    MAIL_FROM: 'stats@example.com',
    PUBLIC_URL: 'https://stats.example',
  };
  const sum = { sent: 0, twice: 0, killed: 0 };
  const repositories = await trials.open(openPostgres({ connection: postgres.url, log: () => {} }));
  await runProgram(['migrate'], env);
  const ids = await addWebsites(repositories);
  await trials.each(async (trial) => {
    const monday = FIRST_MONDAY + trial.index * WEEK_MS;
    const time = new Date(monday - WEEK_MS / 2);
    await repositories.hits.add(ids.map((websiteId) => aCountedHit({ websiteId, time })));
    const before = mailServer.taken().length;
    const isOpen = async () => (await postgres.query(`select from task where state <> 'sent'`)).length > 0;

    const isKilled = await killOne(trial, monday, env, mailServer, postgres.proxy);
    const fromKilled = mailServer.taken().length - before;
    let runs = 1;
    do {
      if (runs > MAX_RUNS) throw new Error('Some reports are not recorded as sent.');
      const at = monday + runs * LEASE_MS;
      await Promise.all([runAt(at, 'reports', { env }), runAt(at, 'reports', { env })]);
      runs += 1;
    } while (await isOpen());

    const twice = duplicatesIn(mailServer.taken().slice(before), ids);
    if (twice > (isKilled ? Math.min(fromKilled, SENT_AT_ONCE) : 0)) throw new Error(`${twice} mails came twice`);
    addTo(sum, { sent: ids.length, twice, killed: isKilled ? 1 : 0 });
  });
  return withNumbers`${sum.sent} reports, all sent; ${sum.killed} senders killed at work, ${sum.twice} of their mails came twice, each with the same Message-ID`;
});

/** Runs a sender and kills it at a point of a mail, before a statement, or at a random time; whether that came to pass. */
async function killOne(
  { index, random }: Trial,
  monday: number,
  env: Readonly<Record<string, string>>,
  mailServer: MailServer,
  proxy: DatabaseProxy,
): Promise<boolean> {
  const sender = spawnAt(monday, 'reports', { env });
  const kill = () => void sender.process.kill('SIGKILL');
  const after = random.below(WEBSITES);
  if (index % 3 === 0) mailServer.at(random.pick(MAIL_POINTS), after, kill);
  else if (index % 3 === 1) proxy.whenAsked(random.pick(STATEMENTS), 0, kill);
  else mailServer.at('connection', 0, () => setTimeout(kill, random.below(60)));
  const end = await sender.ended;
  mailServer.clear();
  proxy.clear();
  return end === 'SIGKILL';
}
