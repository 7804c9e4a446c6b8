import { firstLocale, type Locale } from '@hitherto/words';
import type { AccessRepository } from '../access/access-repository.ts';
import { type MailBrand, mailBrandOf } from '../access/mail-brand.ts';
import {
  findInvitation,
  findPersonLink,
  INVITATION_MS,
  type LinkMailKind,
  type PeopleRepository,
  type PersonLinkRepository,
  type PersonMail,
  readMail,
} from '../people/index.ts';
import { ASKED_MS, isAsked, type RecipientRepository } from '../recipients/index.ts';
import { confirmToken } from '../reports/confirm.ts';
import { type Mailer, MailFailed } from '../reports/mailer.ts';
import type { UnsubscribeDependencies } from '../reports/unsubscribe.ts';
import { doDueTasks, type TaskDependencies, type TaskResult } from '../tasks/do-tasks.ts';
import type { ClaimedTask, TaskFailure } from '../tasks/task-queue.ts';
import {
  type Words,
  wordsOfAddressLink,
  wordsOfInvitation,
  wordsOfNotice,
  wordsOfPasswordLink,
  wordsOfRecipient,
} from './words.ts';

const MINUTE_MS = 60_000;
/** How long after each failure a mail is tried again. */
const RETRIES_MS = [MINUTE_MS, 4 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS] as const;
/** Later, a mail is not sent any more. */
const LATEST_MS = 60 * MINUTE_MS;
/** How long failed mails are known: as long as an invitation, whose page tells of them. */
const KEPT_MS = INVITATION_MS;
const NO_CONTENT = 'The mail has no content.';
const NO_TOKEN = 'The link of the mail was encrypted with another SECRET_KEY.';
const TOO_LATE = 'No mail was sent for an hour.';
const INTERNAL_FAILURE = 'The mail could not be made because of an internal error; see the log.';

export interface SendMailsDependencies extends TaskDependencies, UnsubscribeDependencies {
  readonly people: PeopleRepository;
  readonly personLinks: PersonLinkRepository;
  readonly recipients: RecipientRepository;
  readonly access: Pick<AccessRepository, 'findAccount' | 'findLogo'>;
  readonly mailer: Pick<Mailer, 'notify'>;
  /** The language of mails to people who have chosen none. */
  readonly locale: Locale;
  /** The URL at which people reach the service. */
  readonly origin: string;
  /** The address of a link. */
  readonly linkOf: (kind: LinkMailKind | 'recipient', token: string) => string;
  /** The host that Message-IDs end with: the same on all instances. */
  readonly messageHost: string;
  /** Called after every attempt. */
  readonly onMail: (task: ClaimedTask, result: TaskResult) => void;
}

type Message = Words & { readonly to: string; readonly locale: Locale; readonly brand?: MailBrand | undefined };

/**
 * Sends the mails to people that are due now, retries included, until none is left or `signal` aborts. Rejects with `unavailable`
 * while the database is unreachable.
 */
export async function sendDueMails(deps: SendMailsDependencies, signal?: AbortSignal): Promise<void> {
  await deps.recipients.ask(deps.now());
  const perform = (task: ClaimedTask) => sendMail(deps, task);
  await doDueTasks(deps, { kind: 'mail', perform, onResult: deps.onMail }, signal);
}

/** Deletes the records of old mails. */
export async function deleteOldMails({
  tasks,
  recipients,
  now,
}: Pick<SendMailsDependencies, 'tasks' | 'recipients' | 'now'>): Promise<void> {
  await recipients.forgetAsked(new Date(now().getTime() - ASKED_MS));
  await tasks.deleteBefore('mail', new Date(now().getTime() - KEPT_MS));
}

async function sendMail(deps: SendMailsDependencies, task: ClaimedTask): Promise<TaskResult> {
  const { now, mailer, messageHost } = deps;
  const mail = readMail(task.payload);
  if (mail === undefined) return { outcome: 'failed', failure: { detail: NO_CONTENT, at: now() }, retryAt: undefined };
  const latest = mail.at.getTime() + LATEST_MS;
  if (now().getTime() > latest) return { outcome: 'failed', failure: failureOf(task, now()), retryAt: undefined };
  let to = '';
  try {
    const message = await compose(deps, mail, task.token);
    if (message === undefined) return { outcome: 'dropped' };
    to = message.to;
    const messageId = `mail.${task.key}@${messageHost}`;
    await mailer.notify({ title: message.subject, lists: [], ...message, messageId, date: mail.at });
    return { outcome: 'sent' };
  } catch (error) {
    const at = now();
    const next = at.getTime() + (RETRIES_MS[task.failures] ?? Number.POSITIVE_INFINITY);
    const retryAt = next <= latest ? new Date(next) : undefined;
    if (!(error instanceof MailFailed)) {
      return { outcome: 'failed', failure: { detail: INTERNAL_FAILURE, at }, retryAt, error };
    }
    return { outcome: 'failed', failure: { detail: error.detail.replaceAll(to, '***'), at }, retryAt };
  }
}

/** Why a mail is abandoned that is too late. */
function failureOf({ failure }: ClaimedTask, at: Date): TaskFailure {
  return failure ?? { detail: TOO_LATE, at };
}

/** Who gets a mail, and what it says; `undefined` where nobody gets it any more. */
async function compose(
  deps: SendMailsDependencies,
  { about }: Pick<PersonMail, 'about'>,
  token: string | undefined,
): Promise<Message | undefined> {
  const { people, access, origin } = deps;
  if (about.kind === 'notice') {
    const { personId, notice } = about;
    const person = await people.find(personId);
    const to = notice.to ?? (person?.isVerified === true ? person.email : undefined);
    const locale = firstLocale([person?.language], deps.locale);
    return to === undefined ? undefined : { to, locale, ...wordsOfNotice(locale, notice, { email: to }, origin) };
  }
  if (about.kind === 'recipient') return composeAsking(deps, about.recipientId);
  if (token === undefined) throw new MailFailed(NO_TOKEN);
  const url = deps.linkOf(about.kind, token);
  if (about.kind === 'invitation') {
    const invitation = await findInvitation(deps, token);
    const account = invitation && (await access.findAccount(invitation.accountId));
    if (account === undefined || invitation?.email == null) return undefined;
    return {
      to: invitation.email,
      locale: deps.locale,
      brand: await mailBrandOf(access, account.id),
      ...wordsOfInvitation(deps.locale, invitation, account.name, origin, url),
    };
  }
  const found = await findPersonLink(deps, token);
  if (found === undefined) return undefined;
  const { link, person } = found;
  const locale = firstLocale([person.language], deps.locale);
  if (about.kind === 'password_link') return { to: person.email, locale, ...wordsOfPasswordLink(locale, origin, url) };
  return link.email === null ? undefined : { to: link.email, locale, ...wordsOfAddressLink(locale, origin, url) };
}

/** The mail that asks somebody to confirm that they get reports. */
async function composeAsking(deps: SendMailsDependencies, id: string): Promise<Message | undefined> {
  const found = await deps.recipients.findById(id);
  if (found === undefined || !isAsked(found.recipient, deps.now())) return undefined;
  const { accountId, website, recipient } = found;
  const account = await deps.access.findAccount(accountId);
  const locale = firstLocale([website.language], deps.locale);
  const url = deps.linkOf('recipient', await confirmToken(deps, recipient));
  return {
    to: recipient.email,
    locale,
    brand: await mailBrandOf(deps.access, accountId),
    ...wordsOfRecipient(locale, account?.brand.name ?? account?.name ?? '', website.url, deps.origin, url),
  };
}
