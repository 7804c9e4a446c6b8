import { addDays } from '../statistics/calendar/days.ts';
import { endOfDay } from '../statistics/calendar/time-zone.ts';
import { isUnavailable, type MonotonicClock, untilCertain } from '../statistics/collecting/outage.ts';
import { dueWeek, lastFullWeek, retryTime } from './due-reports.ts';
import { type Mailer, MailFailed } from './mailer.ts';
import type { ClaimedReport, ReportOutbox } from './outbox.ts';
import { makeReport, type Report, type ReportDependencies } from './report.ts';
import { isoWeekOf, type Week } from './week.ts';

/** The addresses in a mail. */
export interface ReportLinks {
  readonly pageUrl: string | undefined;
  readonly unsubscribeUrl: string | undefined;
}

/**
 * What became of a try: `skipped` had nothing to report, `retried` failed and is tried again, `failed` was the last try.
 */
export type ReportOutcome = 'sent' | 'skipped' | 'retried' | 'failed';

export interface ReportEvent {
  readonly outcome: ReportOutcome;
  readonly websiteId: string;
  /** The name of the week. */
  readonly week: string;
  /** Why it failed, without the recipient's address. */
  readonly detail?: string;
  /** What went wrong within the service, for its log. */
  readonly error?: unknown;
  /** When it is tried again. */
  readonly retryAt?: Date;
}

export interface SendReportsDependencies extends ReportDependencies {
  readonly outbox: ReportOutbox;
  readonly mailer: Mailer;
  /** The addresses in the mail about a website and a week. */
  readonly linksOf: (websiteId: string, week: Week) => Promise<ReportLinks>;
  /** The host that Message-IDs end with: the same on all instances. */
  readonly messageHost: string;
  readonly clock: MonotonicClock;
  /** Hears of every try. */
  readonly onReport: (event: ReportEvent) => void;
}

/** How long a process may take for one report: longer than any mail takes. */
export const LEASE_MS = 10 * 60 * 1000;
/** How many reports an instance makes and sends at once: few, as connections to read statistics are. */
const SENDERS = 2;
/** How long it is recorded what was sent: nobody sends reports of that age. */
const KEPT_DAYS = 54 * 7;
const INTERNAL_FAILURE = 'The report could not be made because of an internal error; see the log.';
const DATABASE_FAILURE = 'The report could not be made: the database was unreachable or took too long.';

/**
 * Sends the reports that are due now and not claimed by another process, retries included, until none is left, another week
 * is due or `signal` aborts. A process that dies leaves its reports to others when their leases end. Rejects with
 * `unavailable` while the database is unreachable.
 */
export async function sendDueReports(deps: SendReportsDependencies, signal?: AbortSignal): Promise<void> {
  const { outbox, zone, now } = deps;
  const expired = await outbox.expire(lastFullWeek(zone, now()).name, now());
  for (const report of expired) deps.onReport({ outcome: 'failed', ...report });
  const week = dueWeek(zone, now());
  if (week === undefined) return;
  const end = endOfDay(zone, week.to);
  while (!signal?.aborted && (await outbox.record(week.name, end, now())) > 0);
  const senders = Array.from({ length: SENDERS }, () => sendReports(deps, week, end, signal));
  for (const sender of await Promise.allSettled(senders)) if (sender.status === 'rejected') throw sender.reason;
}

/** Deletes the records of reports that are about a year old. */
export async function deleteOldReports(deps: Pick<SendReportsDependencies, 'outbox' | 'zone' | 'now'>): Promise<void> {
  const { from } = lastFullWeek(deps.zone, deps.now());
  await deps.outbox.deleteBefore(isoWeekOf(addDays(from, -KEPT_DAYS)).name);
}

/** The Message-ID of the report about a website's week, without angle brackets. */
export function messageIdOf(websiteId: string, week: string, host: string): string {
  return `report.${week}.${websiteId}@${host}`;
}

/** Claims and sends reports about the week one after the other, until none is left, another week is due or `signal` aborts. */
async function sendReports(deps: SendReportsDependencies, week: Week, end: Date, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const time = deps.now();
    // Midnight on Sunday may pass meanwhile.
    if (dueWeek(deps.zone, time)?.name !== week.name) return;
    const deadline = deps.clock.now() + LEASE_MS;
    const claimed = await deps.outbox.claim(week.name, end, time, new Date(time.getTime() + LEASE_MS));
    if (claimed === undefined) return;
    deps.onReport(await sendReport(deps, claimed, week, deadline));
  }
}

/** @param deadline when the lease ends, on the monotonic clock */
async function sendReport(
  deps: SendReportsDependencies,
  claimed: ClaimedReport,
  week: Week,
  deadline: number,
): Promise<ReportEvent> {
  const { outbox, clock, now } = deps;
  const report = { websiteId: claimed.website.id, week: week.name };
  let outcome: 'sent' | 'skipped';
  try {
    outcome = await makeAndSend(deps, claimed, week);
  } catch (error) {
    const detail = detailOf(error, claimed.to);
    const retryAt = retryTime(deps.zone, week, claimed.failures + 1, now());
    await outbox.fail(claimed, detail, now(), retryAt);
    const failure = { ...report, detail, ...(error instanceof MailFailed ? {} : { error }) };
    return retryAt === undefined ? { outcome: 'failed', ...failure } : { outcome: 'retried', ...failure, retryAt };
  }
  // A mail that is not recorded is sent again when the lease has ended.
  await untilCertain(() => outbox.finish(claimed, outcome), deadline, clock);
  return { outcome, ...report };
}

async function makeAndSend(
  deps: SendReportsDependencies,
  { website, to }: ClaimedReport,
  week: Week,
): Promise<'sent' | 'skipped'> {
  const report = await makeReport(deps, website, week);
  if (isEmpty(report)) return 'skipped';
  const links = await deps.linksOf(website.id, week);
  const messageId = messageIdOf(website.id, week.name, deps.messageHost);
  await deps.mailer.send({ to, report, ...links, messageId, date: deps.now() });
  return 'sent';
}

/** Why a try failed, without the recipient's address. */
function detailOf(error: unknown, to: string): string {
  if (error instanceof MailFailed) return error.detail.replaceAll(to, '…');
  return isUnavailable(error) ? DATABASE_FAILURE : INTERNAL_FAILURE;
}

function isEmpty({ totals, previous }: Report): boolean {
  return totals.visits === 0 && previous.visits === 0;
}
