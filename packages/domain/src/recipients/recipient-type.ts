import type { Making, ResourceType } from '../resources/resource-type.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Recipient } from './recipient.ts';
import type { RecipientRepository } from './recipient-repository.ts';

interface StoredRecipients {
  readonly recipients: RecipientRepository;
}

/** The dependencies of the use cases of recipients. */
export interface RecipientDependencies extends StoredRecipients, Making {}

export const RECIPIENT = {
  kind: 'recipient',
  absence: 'There is no such website, or no such recipient.',
  repository: ({ recipients }) => recipients,
  make: ({ now, newId }, { email }) => ({ id: newId(), email, askedAt: null, confirmedAt: null, createdAt: now() }),
  // Removed addresses must not remain in the trail.
  nameOf: () => null,
  fieldsOf: ({ confirmedAt }) => ({ confirmedAt: confirmedAt?.toISOString() }),
  secretsOf: ({ email }) => ({ email }),
} satisfies ResourceType<WebsiteKey, Recipient, Pick<Recipient, 'email'>, StoredRecipients>;
