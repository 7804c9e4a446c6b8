import { zoneOf } from '@hitherto/domain/calendar';
import {
  lastFullPeriod,
  makeReport,
  messageIdOf,
  type ReportEvent,
  type ReportLinks,
  type ReportPeriod,
  readReportPeriod,
  sendDueReports,
  sendTestReport,
} from '@hitherto/domain/reports';
import type { ReportKind } from '@hitherto/domain/websites';
import { firstLocale, localeOf } from '@hitherto/words';
import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from '../cli/context.ts';
import { PIPE, readFileName } from '../cli/file-name.ts';
import { writeNewFile } from '../cli/new-file.ts';
import { requireWebsite } from '../cli/require-website.ts';
import { clockOf, parseTime } from '../cli/times.ts';
import { withDatabase } from '../cli/with-database.ts';
import type { OpenedDatabase } from '../installation/database.ts';
import { loadSettings, missingForMail, type Settings } from '../installation/settings.ts';
import { type Mail, openMail } from '../service/mail.ts';
import { openReportMailing, openReportSender, reportLinks } from '../service/reports.ts';

/** Who a preview comes from and goes to where that is not set. */
const NOBODY = { sender: 'hitherto@localhost', recipient: 'owner@localhost', host: 'localhost' };

/** What would go wrong with a time in the future. */
const EARLY =
  'The reports would count as sent, and would not be sent when they are due. To see one now, send it with "reports test", or write it to a file with "reports preview".';

interface PreviewOptions {
  readonly week?: ReportPeriod;
  readonly month?: ReportPeriod;
  readonly out: string;
}

/** `reports preview`, `reports test` and `reports run`. */
export function reportCommands(program: Command, context: Context): void {
  const reports = program.command('reports').description('preview and send weekly and monthly reports');

  reports
    .command('preview')
    .description('write the report of a website to a file, without sending it')
    .argument('<website-id>', 'the id of the website')
    .option(
      '--week <week>',
      'the ISO week that it is about, such as 2026-W47; it need not be over (default: the last full week)',
      readPeriodOf('weekly', 'A week must be written as 2026-W47.'),
    )
    .option(
      '--month <month>',
      'the month that it is about instead, such as 2026-11',
      readPeriodOf('monthly', 'A month must be written as 2026-11.'),
    )
    .requiredOption('--out <file>', 'the file to write, which must not exist yet; - for standard output', readFileName)
    .addHelpText(
      'after',
      '\nExample:\n  $ hitherto reports preview 01997c3e-5a10-7c3a-9d21-3f6f0f3f4f10 --out report.eml',
    )
    .action(async (id: string, { week, month, out }: PreviewOptions) => {
      const settings = loadSettings(context.env);
      const message = await withDatabase(context, (database) =>
        preview(context, settings, database, id, month ?? week),
      );
      if (out === PIPE) return context.writeBytes(inOnePart(message));
      await writeNewFile(out, inOnePart(message));
      context.tell(`The mail was written to ${out}. You can open it in a mail program.\n`);
    });

  reports
    .command('test')
    .description(
      'send the latest report of a website to the address of its account now; it is still sent when it is due',
    )
    .argument('<website-id>', 'the id of the website')
    .addHelpText('after', '\nExample:\n  $ hitherto reports test 01997c3e-5a10-7c3a-9d21-3f6f0f3f4f10')
    .action(async (id: string) => {
      const settings = loadSettings(context.env);
      const to = await withDatabase(context, (database) => sendTest(context, settings, database, id));
      context.tell(`The report was sent to ${to}.\n`);
    });

  reports
    .command('run')
    .description('send the reports that are due, retries included, and print how many')
    .option('--at <time>', 'act as if it were this past time, such as 2026-11-23T09:00:00Z', parseTime)
    .addHelpText('after', '\nExample:\n  $ hitherto reports run --at 2026-11-23T09:00:00Z')
    .action(async ({ at }: { at?: Date }) => {
      const settings = loadSettings(context.env);
      const now = clockOf(at, context.now, EARLY);
      const events = await withDatabase(context, (database) => sendAll({ ...context, now }, settings, database));
      const counts = (['sent', 'skipped', 'retried', 'failed'] as const).map(
        (outcome) => `${events.filter((event) => event.outcome === outcome).length} ${outcome}`,
      );
      context.tell(`Reports: ${counts.join(', ')}.\n`);
    });
}

/** The mail of a website about a period, by default the last full week, as it would be sent. */
async function preview(
  context: Context,
  { publicUrl, timeZone, language, mailFrom = NOBODY.sender }: Settings,
  { directory, access, definitions, annotations, findings, statistics, secrets }: OpenedDatabase,
  id: string,
  chosen: ReportPeriod | undefined,
): Promise<Uint8Array> {
  const { website, accountId } = await requireWebsite(directory, id);
  const zone = zoneOf(website, timeZone);
  const period = chosen ?? lastFullPeriod('weekly', zone, context.now());
  const report = await makeReport(
    { statistics, definitions, annotations, findings, zone, now: context.now },
    accountId,
    website,
    period,
  );
  const links =
    publicUrl === undefined ? NO_LINKS : await reportLinks(publicUrl, { ...context, secrets })(website.id, period);
  const account = await access.findAccount(accountId);
  const host = publicUrl === undefined ? NOBODY.host : new URL(publicUrl).hostname;
  return context.composeReport(mailFrom, {
    to: account?.email?.address ?? NOBODY.recipient,
    report,
    locale: firstLocale([website.language], localeOf(language)),
    ...links,
    messageId: messageIdOf(website.id, period.name, host),
    date: context.now(),
  });
}

/** Sends the latest report, without a record that it was sent. Returns the address. */
async function sendTest(context: Context, settings: Settings, database: OpenedDatabase, id: string): Promise<string> {
  const mailing = openReportMailing(await requireMail(settings, context), database, context);
  const { website, accountId } = await requireWebsite(database.directory, id);
  const sending = { ...database, ...mailing, zone: settings.timeZone, now: context.now, newId: context.newId };
  const to = await sendTestReport(sending, accountId, website);
  if (to === undefined) {
    throw new Error('The account of this website has no e-mail address: set one by "accounts set-email".');
  }
  return to;
}

/** The mail server of the settings. Throws if they name none. */
async function requireMail(settings: Settings, { openMailer }: Context): Promise<Mail> {
  const mail = await openMail(settings, openMailer);
  if (mail === undefined) throw new Error(`Nothing can be sent: ${missingForMail(settings)}.`);
  return mail;
}

/** Sends the reports that are due, prints the outcome of each, and returns all outcomes. */
async function sendAll(
  context: Context,
  settings: Settings,
  database: OpenedDatabase,
): Promise<readonly ReportEvent[]> {
  const mailing = openReportMailing(await requireMail(settings, context), database, context);
  const events: ReportEvent[] = [];
  const sender = openReportSender(mailing, settings, database, context.now, (event) => {
    events.push(event);
    const { outcome, websiteId, period, detail, retryAt } = event;
    const parts = [
      outcome,
      websiteId,
      period,
      ...(retryAt ? [`again at ${retryAt.toISOString()}`] : []),
      ...(detail ? [detail] : []),
    ];
    context.print(`${parts.join('  ')}\n`);
  });
  await sendDueReports(sender);
  return events;
}

const NO_LINKS: ReportLinks = { pageUrl: undefined, unsubscribeUrl: undefined };

async function* inOnePart(message: Uint8Array): AsyncGenerator<Uint8Array> {
  yield message;
}

function readPeriodOf(kind: ReportKind, rule: string): (text: string) => ReportPeriod {
  return (text) => {
    const period = readReportPeriod(text);
    if (period?.kind !== kind) throw new InvalidArgumentError(rule);
    return period;
  };
}
