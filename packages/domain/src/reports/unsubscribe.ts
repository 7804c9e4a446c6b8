import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretRepository } from './secret-repository.ts';

export interface UnsubscribeDependencies {
  readonly secrets: SecretRepository;
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

/** Whether the token is that of the website. Any texts are accepted; the time taken does not tell how wrong a token is. */
export async function isUnsubscribeToken(
  deps: UnsubscribeDependencies,
  websiteId: string,
  token: string,
): Promise<boolean> {
  const expected = await signatureOf(deps, websiteId);
  const given = Buffer.from(token, 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function signatureOf({ secrets, randomBytes }: UnsubscribeDependencies, websiteId: string): Promise<Buffer> {
  const secret = await secrets.secretOf(PURPOSE, randomBytes(SECRET_BYTES));
  return createHmac('sha256', secret).update(`${PURPOSE}\0${websiteId}`).digest();
}
