import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Author } from '../changes/entry.ts';
import { CONFIRM_MS, RECIPIENT, type Recipient, type RecipientDependencies } from '../recipients/index.ts';
import type { FoundRecipient } from '../recipients/recipient-repository.ts';
import { resourceChange } from '../resources/resource-type.ts';
import type { UnsubscribeDependencies } from './unsubscribe.ts';

const PURPOSE = 'confirm';
const SECRET_BYTES = 32;

export type ConfirmDependencies = RecipientDependencies & UnsubscribeDependencies;

/**
 * The token in the link that confirms a recipient: an HMAC of its id and of when it was asked, under a key that all instances
 * share. It is stored nowhere, works for 7 days, and ends with the recipient.
 */
export async function confirmToken(
  deps: UnsubscribeDependencies,
  { id, askedAt }: Pick<Recipient, 'id' | 'askedAt'>,
): Promise<string> {
  const secret = await deps.secrets.secretOf(PURPOSE, deps.randomBytes(SECRET_BYTES));
  const signed = [PURPOSE, id, askedAt?.getTime()].join('\0');
  return `${id}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** The recipient that a token confirms, or has confirmed; `undefined` if it is no such token, or too late. */
export async function findConfirmation(deps: ConfirmDependencies, token: string): Promise<FoundRecipient | undefined> {
  const found = await deps.recipients.findById(token.split('.', 1)[0] ?? '');
  if (found === undefined) return undefined;
  const expected = Buffer.from(await confirmToken(deps, found.recipient));
  const given = Buffer.from(token);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const { askedAt, confirmedAt } = found.recipient;
  const isLate = askedAt === null || deps.now().getTime() >= askedAt.getTime() + CONFIRM_MS;
  return confirmedAt === null && isLate ? undefined : found;
}

/**
 * Confirms a recipient, once or again.
 *
 * @param request the request of the link
 * @returns as {@link findConfirmation}, after it
 */
export async function confirmRecipient(
  deps: ConfirmDependencies,
  token: string,
  request: Omit<Author, 'actor'>,
): Promise<FoundRecipient | undefined> {
  const found = await findConfirmation(deps, token);
  if (found === undefined || found.recipient.confirmedAt !== null) return found;
  const { recipient, accountId, website } = found;
  const confirmed = { ...recipient, confirmedAt: deps.now() };
  const author: Author = { ...request, actor: { type: 'confirm_link', id: null, label: null } };
  const owner = { accountId, websiteId: website.id };
  const change = resourceChange({ ...deps, author }, RECIPIENT, owner, recipient, confirmed);
  await deps.recipients.confirm(recipient.id, confirmed.confirmedAt, change);
  return findConfirmation(deps, token);
}
