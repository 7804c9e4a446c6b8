import { DomainError } from '@hitherto/domain/base';
import { endOfDay, startOfDay, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { type AuditFilter, listChanges } from '@hitherto/domain/records';
import { wholeAccount } from '@hitherto/domain/websites';
import type { Command } from 'commander';
import type { Context } from '../cli/context.ts';
import { printList } from '../cli/print-list.ts';
import { parseDay } from '../cli/times.ts';
import { withDatabase } from '../cli/with-database.ts';
import type { OpenedDatabase } from '../installation/database.ts';
import { loadSettings } from '../installation/settings.ts';

interface ListOptions {
  readonly account: string;
  readonly website?: string;
  readonly from?: string;
  readonly to?: string;
  readonly json?: true;
}

/** How many entries are read in one query. */
const BATCH = 500;

/** `audit list`. */
export function auditCommands(program: Command, context: Context): void {
  program
    .command('audit')
    .description('list changes to settings')
    .command('list')
    .description('list the changes of an account, newest first')
    .requiredOption('--account <account>', 'the name or id of the account')
    .option('--website <id>', 'only those of this website, which may have been deleted')
    .option('--from <day>', 'the first day, such as 2026-11-20', parseDay)
    .option('--to <day>', 'the last day', parseDay)
    .option('--json', 'as a JSON array, with all details')
    .addHelpText('after', '\nExample:\n  $ hitherto audit list --account agency --from 2026-11-01')
    .action(async (options: ListOptions, command: Command) => {
      const { from, to } = options;
      if (from !== undefined && to !== undefined && from > to) {
        command.error(`error: --from ${from} must not be after --to ${to}.`);
      }
      const { timeZone } = loadSettings(context.env);
      const rows = await withDatabase(context, (database) => listAll(database, timeZone, options));
      if (options.json) context.print(`${JSON.stringify(rows, null, 2)}\n`);
      else printList(context, rows.map(toLine), false);
    });
}

type Row = Awaited<ReturnType<typeof listAll>>[number];

async function listAll(
  database: OpenedDatabase,
  installation: TimeZone,
  { account: nameOrId, website, from, to }: ListOptions,
) {
  // Loaded here, because other commands do without the words of the API.
  const { writeEntry } = await import('@hitherto/wire');
  const account = await database.access.findAccount(nameOrId);
  if (account === undefined) throw new DomainError('not_found', 'There is no account with this name or id.');
  const websiteId = website?.toLowerCase();
  const found = websiteId === undefined ? undefined : await database.websites.find(wholeAccount(account.id), websiteId);
  const zone = found === undefined ? installation : zoneOf(found, installation);
  const filter: AuditFilter = {
    ...(websiteId === undefined ? {} : { websiteId }),
    ...(from === undefined ? {} : { from: startOfDay(zone, from) }),
    ...(to === undefined ? {} : { until: endOfDay(zone, to) }),
  };
  const entries = [];
  let page = await listChanges(database, wholeAccount(account.id), filter, BATCH);
  entries.push(...page.entries);
  while (page.next !== undefined) {
    page = await listChanges(database, wholeAccount(account.id), filter, BATCH, page.next);
    entries.push(...page.entries);
  }
  return entries.map(writeEntry);
}

/** An entry on one line, for people. */
function toLine({ at, action, subject, actor, network, changes }: Row) {
  return {
    at,
    action,
    subject: subject.name ?? subject.id,
    by: actor.label ?? actor.id ?? actor.type,
    network,
    fields: changes.map(({ field }) => field).join(', ') || null,
  };
}
