import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Author } from '../changes/entry.ts';
import { unsubscribePerson } from '../people/subscribe.ts';
import type { SubscriptionRepository } from '../people/subscription.ts';
import type { WebsiteDependencies } from '../websites/create-website.ts';
import { wholeAccount } from '../websites/reach.ts';
import { updateWebsite } from '../websites/use-cases.ts';
import { parseWebsiteChanges, type Website } from '../websites/website.ts';
import type { DirectoryEntry, WebsiteDirectory } from '../websites/website-directory.ts';
import type { SecretRepository } from './secret-repository.ts';

export interface UnsubscribeDependencies {
  readonly secrets: SecretRepository;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

const PURPOSE = 'unsubscribe';
const SECRET_BYTES = 32;

/**
 * The token in the unsubscribe link of a website's reports: an HMAC of the website's id, and of the person's who gets them, under a
 * key that all instances share. It does not expire, as mails do not, and works for this website and recipient only.
 */
export async function unsubscribeToken(
  deps: UnsubscribeDependencies,
  websiteId: string,
  personId?: string,
): Promise<string> {
  const signature = (await signatureOf(deps, websiteId, personId)).toString('base64url');
  return personId === undefined ? signature : `${personId}.${signature}`;
}

/** Whether the token belongs to the website. Accepts any strings; the time does not reveal how wrong a token is. */
export async function isUnsubscribeToken(
  deps: UnsubscribeDependencies,
  websiteId: string,
  token: string,
): Promise<boolean> {
  // Not decoded: decoders ignore characters, so that altered tokens would pass.
  const expected = Buffer.from(await unsubscribeToken(deps, websiteId, personIn(token)));
  const given = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

export interface SubscriptionDependencies extends UnsubscribeDependencies {
  readonly directory: Pick<WebsiteDirectory, 'findById'>;
  readonly subscriptions: SubscriptionRepository;
}

/** Who gets reports about a website, of which a link turns them off. */
export interface ReportSubscription extends DirectoryEntry {
  /** A member who has turned them on; `undefined` for the address of the account. */
  readonly personId: string | undefined;
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
  const personId = personIn(token);
  if (personId === undefined) return { ...entry, personId, isOn: entry.website.emailReports };
  const subscriber = await deps.subscriptions.find(personId, websiteId);
  return { ...entry, personId, isOn: subscriber !== undefined && subscriber.reportsSince !== null };
}

/**
 * Turns the reports of a website off, once or again (reports.md): those of the account as an update does, or those of a person.
 *
 * @param request the request of the link
 * @returns the website, or `undefined` as {@link findSubscription}
 */
export async function unsubscribe(
  deps: SubscriptionDependencies & WebsiteDependencies,
  websiteId: string,
  token: string,
  request: Omit<Author, 'actor'>,
): Promise<Pick<Website, 'url'> | undefined> {
  const entry = await findSubscription(deps, websiteId, token);
  if (entry === undefined) return undefined;
  if (entry.personId !== undefined) {
    await unsubscribePerson(deps, entry.personId, websiteId);
    return entry.website;
  }
  const author: Author = { ...request, actor: { type: 'unsubscribe_link', id: null, label: null } };
  const changes = parseWebsiteChanges({ emailReports: false });
  return updateWebsite({ ...deps, author }, wholeAccount(entry.accountId), websiteId, changes);
}

async function signatureOf(
  { secrets, randomBytes }: UnsubscribeDependencies,
  websiteId: string,
  personId: string | undefined,
): Promise<Buffer> {
  const secret = await secrets.secretOf(PURPOSE, randomBytes(SECRET_BYTES));
  const parts = [PURPOSE, websiteId, ...(personId === undefined ? [] : [personId])];
  return createHmac('sha256', secret).update(parts.join('\0')).digest();
}

/** The person that a token names. */
function personIn(token: string): string | undefined {
  const end = token.indexOf('.');
  return end === -1 ? undefined : token.slice(0, end);
}
