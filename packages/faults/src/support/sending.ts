import { UNRECORDED } from '@hitherto/domain/changes';
import type { Repositories } from '@hitherto/domain/repositories';
import { anAccount } from '@hitherto/domain/testing';
import { newId } from '@hitherto/outside/system';
import type { Trials } from '../row.ts';
import { startMailServer } from './mail-server.ts';
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts';
import { runProgram } from './program.ts';

/** Starts a migrated database and a mail server, with the settings of programs that use both, and the given ones. */
export async function startSending({ open }: Trials, settings: Readonly<Record<string, string>> = {}) {
  const postgres = await open(startOwnPostgres());
  const mailServer = await open(startMailServer());
  const env = {
    DATABASE_URL: postgres.url,
    SMTP_URL: mailServer.url,
    MAIL_FROM: 'stats@example.com',
    PUBLIC_URL: 'https://stats.example',
    ...settings,
  };
  await runProgram(['migrate'], env);
  return { postgres, mailServer, env };
}

/** Creates an account that gets mails; returns its id. */
export async function addRecipient({ access }: Pick<Repositories, 'access'>): Promise<string> {
  const account = anAccount({ id: newId(), email: { address: 'owner@example.com', since: new Date(0) } });
  await access.insertAccount(account, UNRECORDED);
  return account.id;
}

/**
 * Runs senders until every mail and delivery is recorded as sent.
 *
 * @throws if `mostRuns` are not enough
 */
export async function runUntilSent(
  { query }: OwnPostgres,
  mostRuns: number,
  run: (n: number) => Promise<unknown>,
): Promise<void> {
  const open = `select from task where state <> 'sent' union all
    select from webhook_delivery where state <> 'delivered'`;
  for (let n = 1; n <= mostRuns; n += 1) {
    await run(n);
    if ((await query(open)).length === 0) return;
  }
  throw new Error('Some mails or deliveries are not recorded as sent.');
}
