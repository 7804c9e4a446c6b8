import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Author } from '../changes/entry.ts';
import { unsubscribePerson } from '../people/subscribe.ts';
import { isOn, type SubscriptionRepository } from '../people/subscription.ts';
import type { RecipientRepository } from '../recipients/recipient-repository.ts';
import { RECIPIENT } from '../recipients/recipient-type.ts';
import { deleteResource } from '../resources/use-cases.ts';
import type { WebsiteDependencies } from '../websites/create-website.ts';
import { wholeAccount } from '../websites/reach.ts';
import { hasReports, type ReportKind } from '../websites/settings.ts';
import { updateWebsite } from '../websites/use-cases.ts';
import { parseWebsiteChanges } from '../websites/website.ts';
import type { DirectoryEntry, WebsiteDirectory } from '../websites/website-directory.ts';
import type { SecretRepository } from './secret-repository.ts';

export interface UnsubscribeDependencies {
  readonly secrets: SecretRepository;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

const PURPOSE = 'unsubscribe';
const SECRET_BYTES = 32;
const OF_RECIPIENT = 'recipient';

/** Who gets which reports: the person, a recipient, whose reports all end at once, or the account of the website. */
export interface ReportReader {
  readonly kind: ReportKind;
  readonly personId?: string | undefined;
  readonly recipientId?: string | undefined;
}

/**
 * The token in the unsubscribe link of a website's reports: an HMAC of the website's id and of who gets which of them, under a
 * key that all instances share. It does not expire, as mails do not, and works for this website, recipient and kind only.
 */
export async function unsubscribeToken(
  deps: UnsubscribeDependencies,
  websiteId: string,
  reader: ReportReader,
): Promise<string> {
  const named =
    reader.recipientId === undefined
      ? [...(reader.kind === 'weekly' ? [] : [reader.kind]), ...(reader.personId ? [reader.personId] : [])]
      : [OF_RECIPIENT, reader.recipientId];
  const secret = await deps.secrets.secretOf(PURPOSE, deps.randomBytes(SECRET_BYTES));
  const signed = [PURPOSE, websiteId, ...named].join('\0');
  return [...named, createHmac('sha256', secret).update(signed).digest('base64url')].join('.');
}

/** Whether the token belongs to the website. Accepts any strings; the time does not reveal how wrong a token is. */
export async function isUnsubscribeToken(
  deps: UnsubscribeDependencies,
  websiteId: string,
  token: string,
): Promise<boolean> {
  // Not decoded: decoders ignore characters, so that altered tokens would pass.
  const expected = Buffer.from(await unsubscribeToken(deps, websiteId, readerIn(token)));
  const given = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

export interface SubscriptionDependencies extends UnsubscribeDependencies {
  readonly directory: Pick<WebsiteDirectory, 'findById'>;
  readonly subscriptions: SubscriptionRepository;
  readonly recipients: RecipientRepository;
}

/** Who gets reports about a website, of which a link turns them off. */
export interface ReportSubscription extends DirectoryEntry, ReportReader {
  readonly isOn: boolean;
}

/** The reports that the token turns off; `undefined` where the token is not the website's, or that is gone. */
export async function findSubscription(
  deps: SubscriptionDependencies,
  websiteId: string,
  token: string,
): Promise<ReportSubscription | undefined> {
  if (!(await isUnsubscribeToken(deps, websiteId, token))) return undefined;
  const entry = await deps.directory.findById(websiteId);
  if (entry === undefined) return undefined;
  const { kind, personId, recipientId } = readerIn(token);
  if (recipientId !== undefined) {
    const found = await deps.recipients.findById(recipientId);
    return {
      ...entry,
      kind,
      recipientId,
      isOn: found?.website.id === websiteId && found.recipient.confirmedAt !== null,
    };
  }
  if (personId === undefined) return { ...entry, kind, isOn: hasReports(entry.website, kind) };
  const subscriber = await deps.subscriptions.find(personId, websiteId);
  return { ...entry, kind, personId, isOn: subscriber !== undefined && isOn(subscriber, kind) };
}

/**
 * Turns the reports of a token off, once or again (reports.md): those of the account as an update does, or those of a person.
 *
 * @param request the request of the link
 * @returns what is off now, or `undefined` as {@link findSubscription}
 */
export async function unsubscribe(
  deps: SubscriptionDependencies & WebsiteDependencies,
  websiteId: string,
  token: string,
  request: Omit<Author, 'actor'>,
): Promise<ReportSubscription | undefined> {
  const entry = await findSubscription(deps, websiteId, token);
  if (entry === undefined) return undefined;
  const off = { ...entry, isOn: false };
  if (!entry.isOn) return off;
  const author: Author = { ...request, actor: { type: 'unsubscribe_link', id: null, label: null } };
  if (entry.recipientId !== undefined) {
    await deleteResource({ ...deps, author }, RECIPIENT, { accountId: entry.accountId, websiteId }, entry.recipientId);
    return off;
  }
  if (entry.personId !== undefined) {
    await unsubscribePerson(deps, entry.personId, websiteId, entry.kind);
    return off;
  }
  const other = entry.kind === 'weekly' ? 'monthly' : 'weekly';
  const changes = parseWebsiteChanges(hasReports(entry.website, other) ? { report: other } : { emailReports: false });
  await updateWebsite({ ...deps, author }, wholeAccount(entry.accountId), websiteId, changes);
  return off;
}

/** Who a token names; weekly reports go without saying. */
function readerIn(token: string): ReportReader {
  const named = token.split('.').slice(0, -1);
  if (named[0] === OF_RECIPIENT) return { kind: 'weekly', recipientId: named[1] };
  const isMonthly = named[0] === 'monthly';
  return { kind: isMonthly ? 'monthly' : 'weekly', personId: named[isMonthly ? 1 : 0] };
}
