import type { Change } from '../changes/change.ts';
import type { ResourceRepository } from '../resources/resource-repository.ts';
import type { DirectoryEntry } from '../websites/website-directory.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Recipient } from './recipient.ts';

/** A recipient with its website and the account that tracks it. */
export interface FoundRecipient extends DirectoryEntry {
  readonly recipient: Recipient;
}

/** Stores the recipients of websites. An insert throws {@link recipientTaken} as well. */
export interface RecipientRepository extends ResourceRepository<WebsiteKey, Recipient> {
  /** The recipient of any website, or `undefined`. Any string is accepted as an id. */
  findById(id: string): Promise<FoundRecipient | undefined>;

  /** Notes that a recipient has confirmed. Returns false if they have already, or are gone. */
  confirm(id: string, now: Date, change: Change): Promise<boolean>;

  /**
   * Records the mails that ask recipients to confirm, each once: the first of those that were added with an address, unless that
   * was asked within the last day. Returns how many.
   */
  ask(now: Date): Promise<number>;

  /** Forgets which addresses were asked before `time`. */
  forgetAsked(time: Date): Promise<void>;
}
