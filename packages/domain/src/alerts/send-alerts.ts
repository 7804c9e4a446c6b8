import { firstLocale, type Locale } from '@hitherto/words';
import type { AccessRepository } from '../access/access-repository.ts';
import { mailBrandOf } from '../access/mail-brand.ts';
import { dayOf, type TimeZone, zoneOf } from '../calendar/time-zone.ts';
import { findMailRecipient, type MailRecipient } from '../people/subscribe.ts';
import type { SubscriptionRepository } from '../people/subscription.ts';
import { type Mailer, MailFailed } from '../reports/mailer.ts';
import { doDueTasks, type TaskDependencies, type TaskResult } from '../tasks/do-tasks.ts';
import { retryDelay } from '../tasks/retries.ts';
import type { ClaimedTask, TaskFailure } from '../tasks/task-queue.ts';
import type { WebsiteDirectory } from '../websites/website-directory.ts';
import { readAlertMail } from './alert-mail.ts';
import { mailOf } from './words.ts';

const DAY_MS = 24 * 3_600_000;
const KEPT_MS = 30 * DAY_MS;
/** Later, an alert is no news any more; its retries end before. */
const LATEST_MS = DAY_MS;
const NO_CONTENT = 'The alert has no content.';
const INTERNAL_FAILURE = 'The mail could not be made because of an internal error; see the log.';

export interface SendAlertsDependencies extends TaskDependencies {
  readonly access: Pick<AccessRepository, 'findAccount' | 'findLogo'>;
  readonly subscriptions: SubscriptionRepository;
  readonly directory: Pick<WebsiteDirectory, 'findById'>;
  /** The installation's. */
  readonly zone: TimeZone;
  readonly mailer: Pick<Mailer, 'notify'>;
  /** The language of mails to people who have chosen none, where the website has none either. */
  readonly locale: Locale;
  /** The host that Message-IDs end with: the same on all instances. */
  readonly messageHost: string;
  /** Called after every attempt. */
  readonly onMail: (task: ClaimedTask, result: TaskResult) => void;
}

/**
 * Sends the mails of alerts that are due now, retries included, until none is left or `signal` aborts. Rejects with
 * `unavailable` while the database is unreachable.
 */
export async function sendDueAlerts(deps: SendAlertsDependencies, signal?: AbortSignal): Promise<void> {
  const perform = (task: ClaimedTask) => sendAlert(deps, task);
  await doDueTasks(deps, { kind: 'alert', perform, onResult: deps.onMail }, signal);
}

/** Deletes the records of mails after 30 days. */
export async function deleteOldAlerts({ tasks, now }: Pick<SendAlertsDependencies, 'tasks' | 'now'>): Promise<void> {
  await tasks.deleteBefore('alert', new Date(now().getTime() - KEPT_MS));
}

async function sendAlert(
  deps: SendAlertsDependencies,
  { key, websiteId, payload, failures, failure }: ClaimedTask,
): Promise<TaskResult> {
  const { mailer, messageHost, now } = deps;
  const mail = readAlertMail(payload);
  if (mail === undefined) return { outcome: 'failed', failure: { detail: NO_CONTENT, at: now() }, retryAt: undefined };
  if (now().getTime() - new Date(mail.at).getTime() > LATEST_MS) return endOf(failure);
  const [, personId] = key.split(' ');
  const recipient = await recipientOf(deps, mail.accountId, websiteId ?? '', personId);
  if (recipient === undefined) return { outcome: 'dropped' };
  const { to } = recipient;
  try {
    const entry = await deps.directory.findById(mail.website.id);
    const locale = firstLocale([recipient.language, entry?.website.language], deps.locale);
    const brand = await mailBrandOf(deps.access, mail.accountId);
    const zone = zoneOf({ timeZone: entry?.website.timeZone ?? null }, deps.zone);
    const day = dayOf(zone, new Date(mail.at));
    const messageId = `alert.${key.replace(' ', '.')}@${messageHost}`;
    await mailer.notify({ ...mailOf(locale, mail, day, to, messageId), brand });
    return { outcome: 'sent' };
  } catch (error) {
    const at = now();
    const delay = retryDelay(failures + 1);
    const retryAt = delay === undefined ? undefined : new Date(at.getTime() + delay);
    if (!(error instanceof MailFailed)) {
      return { outcome: 'failed', failure: { detail: INTERNAL_FAILURE, at }, retryAt, error };
    }
    return { outcome: 'failed', failure: { detail: error.detail.replaceAll(to, '***'), at }, retryAt };
  }
}

/** The address of the account, or a person who has turned the alerts on. */
async function recipientOf(
  deps: SendAlertsDependencies,
  accountId: string,
  websiteId: string,
  personId: string | undefined,
): Promise<Pick<MailRecipient, 'to' | 'language'> | undefined> {
  if (personId === undefined) {
    const to = (await deps.access.findAccount(accountId))?.email?.address;
    return to === undefined ? undefined : { to, language: null };
  }
  const recipient = await findMailRecipient(deps, personId, websiteId);
  return recipient?.alerts === true ? recipient : undefined;
}

/** The outcome of a mail that is too late: it is abandoned if it has failed. */
function endOf(failure: TaskFailure | undefined): TaskResult {
  return failure === undefined ? { outcome: 'dropped' } : { outcome: 'failed', failure, retryAt: undefined };
}
