import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Author } from '../changes/entry.ts';
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
 * The token in the unsubscribe link of a website's reports: an HMAC of the website's id under a key that all instances share.
 * It does not expire, as mails do not, and works for this website only.
 */
export async function unsubscribeToken(deps: UnsubscribeDependencies, websiteId: string): Promise<string> {
  return (await signatureOf(deps, websiteId)).toString('base64url');
}

/** Whether the token belongs to the website. Accepts any strings; the time does not reveal how wrong a token is. */
export async function isUnsubscribeToken(
  deps: UnsubscribeDependencies,
  websiteId: string,
  token: string,
): Promise<boolean> {
  // Not decoded: decoders ignore characters, so that altered tokens would pass.
  const expected = Buffer.from(await unsubscribeToken(deps, websiteId));
  const given = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

export interface SubscriptionDependencies extends UnsubscribeDependencies {
  readonly directory: Pick<WebsiteDirectory, 'findById'>;
}

/** The website whose reports the token turns off; `undefined` where the token is not its, or the website is gone. */
export async function findSubscription(
  deps: SubscriptionDependencies,
  websiteId: string,
  token: string,
): Promise<DirectoryEntry | undefined> {
  return (await isUnsubscribeToken(deps, websiteId, token)) ? deps.directory.findById(websiteId) : undefined;
}

/**
 * Turns the reports of a website off as an update does, once or again (reports.md).
 *
 * @param request the request of the link
 * @returns the website, or `undefined` as {@link findSubscription}
 */
export async function unsubscribe(
  deps: SubscriptionDependencies & WebsiteDependencies,
  websiteId: string,
  token: string,
  request: Omit<Author, 'actor'>,
): Promise<Website | undefined> {
  const entry = await findSubscription(deps, websiteId, token);
  if (entry === undefined) return undefined;
  const author: Author = { ...request, actor: { type: 'unsubscribe_link', id: null, label: null } };
  const changes = parseWebsiteChanges({ emailReports: false });
  return updateWebsite({ ...deps, author }, wholeAccount(entry.accountId), websiteId, changes);
}

async function signatureOf({ secrets, randomBytes }: UnsubscribeDependencies, websiteId: string): Promise<Buffer> {
  const secret = await secrets.secretOf(PURPOSE, randomBytes(SECRET_BYTES));
  return createHmac('sha256', secret).update(`${PURPOSE}\0${websiteId}`).digest();
}
