import { firstLocale, type Locale } from '@hitherto/words';
import type { AccessRepository } from '../access/access-repository.ts';
import { mailBrandOf } from '../access/mail-brand.ts';
import { isUnavailable } from '../base/outage.ts';
import { DAY_MS } from '../calendar/days.ts';
import { endOfDay, type TimeZone, zoneOf } from '../calendar/time-zone.ts';
import type { PeopleRepository } from '../people/people-repository.ts';
import { foldEmail } from '../people/person.ts';
import { findMailRecipient } from '../people/subscribe.ts';
import type { SubscriptionRepository } from '../people/subscription.ts';
import type { RecipientRepository } from '../recipients/recipient-repository.ts';
import { doDueTasks, type TaskDependencies, type TaskResult } from '../tasks/do-tasks.ts';
import type { ClaimedTask, TaskFailure, TaskQueue } from '../tasks/task-queue.ts';
import { knownVisits } from '../visits/totals.ts';
import { REPORT_KINDS, type ReportKind } from '../websites/settings.ts';
import type { WebsiteDirectory } from '../websites/website-directory.ts';
import { type Mailer, MailFailed } from './mailer.ts';
import type { DueReports, ReportOutbox, ReportRecipient } from './outbox.ts';
import { duePeriod, isTooLate, type ReportPeriod, readReportPeriod, retryTime } from './period.ts';
import { makeReport, type Report, type ReportDependencies } from './report.ts';

/** The addresses in a mail. */
export interface ReportLinks {
  readonly pageUrl: string | undefined;
  readonly unsubscribeUrl: string | undefined;
}

/**
 * The outcome of an attempt: `skipped` had nothing to report, `retried` failed and is tried again, `failed` was the last one.
 */
export type ReportOutcome = 'sent' | 'skipped' | 'retried' | 'failed';

/** A try to send the report of a website about a week or month. */
export interface ReportEvent {
  readonly outcome: ReportOutcome;
  readonly websiteId: string;
  /** The name of the week or month. */
  readonly period: string;
  /** Why it failed, without the recipient's address. */
  readonly detail?: string;
  /** The error within the service, for its log. */
  readonly error?: unknown;
  /** When it is tried again. */
  readonly retryAt?: Date;
}

/** Who gets a report, if that is not the account: a person, or a recipient. */
export type MailReader = { readonly personId: string } | { readonly recipientId: string };

/** How reports are mailed. */
export interface ReportMailing {
  /** The language of mails to people who have chosen none, where the website has none either. */
  readonly locale: Locale;
  readonly mailer: Pick<Mailer, 'send'>;
  /** The addresses in the mail about a website and a period, of the account, a person or a recipient. */
  readonly linksOf: (websiteId: string, period: ReportPeriod, reader?: MailReader) => Promise<ReportLinks>;
  /** The host that Message-IDs end with: the same on all instances. */
  readonly messageHost: string;
}

export interface SendReportsDependencies extends Omit<ReportDependencies, 'zone'>, ReportMailing, TaskDependencies {
  /** The installation's. */
  readonly zone: TimeZone;
  readonly access: Pick<AccessRepository, 'findAccount' | 'findLogo'>;
  readonly outbox: ReportOutbox;
  readonly subscriptions: SubscriptionRepository;
  readonly people: Pick<PeopleRepository, 'findByEmail'>;
  readonly recipients: Pick<RecipientRepository, 'findById'>;
  readonly directory: Pick<WebsiteDirectory, 'findById'>;
  /** Called after every attempt. */
  readonly onReport: (event: ReportEvent) => void;
}

/** How many reports an instance makes and sends at once: few, because there are few connections to read statistics. */
const SENDERS = 2;
/** How long records of sent reports are stored: no report of that age is ever sent. */
const KEPT_DAYS = 55 * 7;
const INTERNAL_FAILURE = 'The report could not be made because of an internal error; see the log.';
const DATABASE_FAILURE = 'The report could not be made: the database was unreachable or took too long.';

/**
 * Sends the reports that are due now and not claimed by another process, retries included, until none is left or `signal`
 * aborts. Rejects with `unavailable` while the database is unreachable.
 */
export async function sendDueReports(deps: SendReportsDependencies, signal?: AbortSignal): Promise<void> {
  const { outbox, now } = deps;
  const due = await findDueReports(deps);
  while (due.length > 0 && !signal?.aborted && (await outbox.record(due, now())) > 0);
  const perform = (task: ClaimedTask) => sendReport(deps, task);
  const onResult = (task: ClaimedTask, result: TaskResult) => eventsOf(task, result).forEach(deps.onReport);
  const senders = Array.from({ length: SENDERS }, () =>
    doDueTasks(deps, { kind: 'report', perform, onResult }, signal),
  );
  for (const sender of await Promise.allSettled(senders)) if (sender.status === 'rejected') throw sender.reason;
}

/** The periods that reports are due about now: it may be Monday in one zone while it is Sunday in another. */
async function findDueReports({ outbox, zone: installation, now }: SendReportsDependencies): Promise<DueReports[]> {
  const time = now();
  return [null, ...(await outbox.timeZones())].flatMap((timeZone) => {
    const zone = zoneOf({ timeZone }, installation);
    const periods = REPORT_KINDS.flatMap((kind) => duePeriod(kind, zone, time) ?? []);
    return periods.map((period) => ({ timeZone, period, end: endOfDay(zone, period.to) }));
  });
}

/** Deletes the records of reports that are about a year old. */
export async function deleteOldReports({ tasks, now }: Pick<SendReportsDependencies, 'tasks' | 'now'>): Promise<void> {
  await tasks.deleteBefore('report', new Date(now().getTime() - KEPT_DAYS * DAY_MS));
}

/** An abandoned report. */
export interface ReportFailure extends TaskFailure {
  /** The name of the week or month. */
  readonly period: string;
}

/** The failure of the website's latest weekly or monthly report to its account that was sent or abandoned, if it failed. Any string is accepted as an id. */
export async function latestReportFailure(tasks: TaskQueue, websiteId: string): Promise<ReportFailure | undefined> {
  const records = await tasks.records('report', websiteId);
  const ended = records.filter(({ key, state }) => !key.includes(' ') && (state === 'sent' || state === 'failed'));
  const failures = REPORT_KINDS.flatMap((kind) => {
    const latest = ended.find(({ key }) => readReportPeriod(key)?.kind === kind);
    return latest?.state === 'failed' && latest.failure ? [{ period: latest.key, ...latest.failure }] : [];
  });
  return failures.toSorted((one, other) => other.at.getTime() - one.at.getTime())[0];
}

/** The Message-ID of the report about a website's week or month to its account or a reader, without angle brackets. */
export function messageIdOf(websiteId: string, period: string, host: string, reader?: MailReader): string {
  const id = reader && ('personId' in reader ? reader.personId : reader.recipientId);
  return `${['report', period, websiteId, ...(id === undefined ? [] : [id])].join('.')}@${host}`;
}

const OF_RECIPIENT = 'recipient.';

/** The period of a report, and who gets it: no reader if it goes to the address of the account. */
function readKey(key: string): { readonly period: ReportPeriod | undefined; readonly reader: MailReader | undefined } {
  const [name = '', id] = key.split(' ');
  const period = readReportPeriod(name);
  if (id === undefined) return { period, reader: undefined };
  const isRecipient = id.startsWith(OF_RECIPIENT);
  return { period, reader: isRecipient ? { recipientId: id.slice(OF_RECIPIENT.length) } : { personId: id } };
}

type Finding = Pick<SendReportsDependencies, 'outbox' | 'subscriptions' | 'directory' | 'people' | 'recipients'>;

/** Where a report goes now; `undefined` if it goes nowhere. */
async function findRecipient(
  deps: Finding,
  websiteId: string,
  kind: ReportKind,
  reader: MailReader | undefined,
): Promise<ReportRecipient | undefined> {
  if (reader === undefined) return deps.outbox.findRecipient(websiteId, kind);
  if ('recipientId' in reader) return findGuest(deps, websiteId, kind, reader.recipientId);
  const [entry, found] = await Promise.all([
    deps.directory.findById(websiteId),
    findMailRecipient(deps, reader.personId, websiteId),
  ]);
  const since = found?.reportsSince[kind] ?? null;
  return entry && found && since !== null ? { ...entry, to: found.to, language: found.language, since } : undefined;
}

/** A recipient who has confirmed, unless the same address gets the report as the account's or a member's. */
async function findGuest(
  deps: Finding,
  websiteId: string,
  kind: ReportKind,
  recipientId: string,
): Promise<ReportRecipient | undefined> {
  const found = await deps.recipients.findById(recipientId);
  const since = found?.recipient.confirmedAt ?? null;
  if (found === undefined || since === null || found.website.id !== websiteId) return undefined;
  const { recipient, accountId, website } = found;
  if (website.report !== kind && website.report !== 'both') return undefined;
  const [ofAccount, person] = await Promise.all([
    deps.outbox.findRecipient(websiteId, kind),
    deps.people.findByEmail(recipient.email),
  ]);
  if (ofAccount !== undefined && foldEmail(ofAccount.to) === foldEmail(recipient.email)) return undefined;
  const ofMember = person && (await findMailRecipient(deps, person.id, websiteId));
  if (ofMember !== undefined && ofMember.reportsSince[kind] !== null) return undefined;
  return { accountId, website, to: recipient.email, language: null, isGuest: true, since };
}

async function sendReport(deps: SendReportsDependencies, task: ClaimedTask): Promise<TaskResult> {
  const { now } = deps;
  const { period, reader } = readKey(task.key);
  if (period === undefined) return endOf(task);
  let { zone } = deps;
  let to: string | undefined;
  try {
    const recipient = await findRecipient(deps, task.websiteId ?? '', period.kind, reader);
    if (recipient === undefined) return { outcome: 'dropped' };
    zone = zoneOf(recipient.website, zone);
    // The last midnight may have passed since.
    if (isTooLate(zone, period, now())) return endOf(task);
    if (recipient.since >= endOfDay(zone, period.to)) return { outcome: 'dropped' };
    to = recipient.to;
    return { outcome: await makeAndSend({ ...deps, zone }, recipient, period, reader) };
  } catch (error) {
    const failure = { detail: detailOf(error, to), at: now() };
    const retryAt = retryTime(zone, period, task.failures + 1, now());
    return { outcome: 'failed', failure, retryAt, ...(error instanceof MailFailed ? {} : { error }) };
  }
}

/** The outcome of a report that is too late: it is abandoned if it has failed. */
function endOf({ failure }: ClaimedTask): TaskResult {
  return failure === undefined ? { outcome: 'dropped' } : { outcome: 'failed', failure, retryAt: undefined };
}

async function makeAndSend(
  deps: SendReportsDependencies,
  { accountId, website, to, language, isGuest = false }: ReportRecipient,
  period: ReportPeriod,
  reader: MailReader | undefined,
): Promise<'sent' | 'skipped'> {
  const report = await makeReport(deps, accountId, website, period, isGuest);
  if (isEmpty(report)) return 'skipped';
  const { pageUrl, unsubscribeUrl } = await deps.linksOf(website.id, period, reader);
  // A guest does not see a private page.
  const links = { pageUrl: isGuest && website.privacy === 'private' ? undefined : pageUrl, unsubscribeUrl };
  const messageId = messageIdOf(website.id, period.name, deps.messageHost, reader);
  const locale = firstLocale([language, website.language], deps.locale);
  const brand = await mailBrandOf(deps.access, accountId);
  await deps.mailer.send({ to, report, locale, brand, ...links, messageId, date: deps.now() });
  return 'sent';
}

/** The result as {@link SendReportsDependencies.onReport} hears of it; nothing of reports that were dropped. */
function eventsOf({ websiteId, key }: ClaimedTask, result: TaskResult): ReportEvent[] {
  if (result.outcome === 'dropped' || websiteId === null) return [];
  const { period } = readKey(key);
  if (period === undefined) return [];
  const report = { websiteId, period: period.name };
  if (result.outcome !== 'failed') return [{ outcome: result.outcome, ...report }];
  const { failure, retryAt, error } = result;
  const failed = { ...report, detail: failure.detail, ...(error === undefined ? {} : { error }) };
  return [retryAt === undefined ? { outcome: 'failed', ...failed } : { outcome: 'retried', ...failed, retryAt }];
}

/** Why a try failed, without the recipient's address. */
function detailOf(error: unknown, to: string | undefined): string {
  if (error instanceof MailFailed) return to === undefined ? error.detail : error.detail.replaceAll(to, '…');
  return isUnavailable(error) ? DATABASE_FAILURE : INTERNAL_FAILURE;
}

/** Neither period had a visit. Imported days whose visits are unknown are not empty. */
function isEmpty({ totals, previous }: Report): boolean {
  return knownVisits(totals) === 0 && knownVisits(previous) === 0;
}
