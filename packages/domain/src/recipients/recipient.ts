import { DomainError, InvalidFields, inWords } from '../base/errors.ts';
import { DAY_MS } from '../calendar/days.ts';
import { emailFaults } from '../people/person.ts';

/** An address that gets the reports of a website, once whoever reads it has confirmed that (reports.md, "Further recipients"). */
export interface Recipient {
  /** UUIDv7, lower case. */
  readonly id: string;
  /** Once for each website, compared without case. */
  readonly email: string;
  /** When the mail was recorded that asks to confirm; `null` before. */
  readonly askedAt: Date | null;
  readonly confirmedAt: Date | null;
  readonly createdAt: Date;
}

/** The most recipients that a website has. */
export const MAX_RECIPIENTS = 20;
/** How long an address may be confirmed after it was asked, in milliseconds. */
export const CONFIRM_MS = 7 * DAY_MS;
/** How long no other mail asks the same address, whoever adds it. */
export const ASKED_MS = DAY_MS;

/** Checks the address of a new recipient. Throws `InvalidFields`. */
export function parseNewRecipient({ email = '' }: { readonly email?: string | undefined }): Pick<Recipient, 'email'> {
  const faults = emailFaults(email.trim());
  if (faults.length > 0) throw new InvalidFields(faults);
  return { email: email.trim() };
}

/** Whether the recipient can still confirm. */
export function isAsked({ askedAt, confirmedAt }: Recipient, now: Date): boolean {
  return confirmedAt === null && askedAt !== null && now.getTime() < askedAt.getTime() + CONFIRM_MS;
}

/** The website has this address already. */
export function recipientTaken(): InvalidFields {
  const detail = 'The website already has a recipient with this address.';
  return new InvalidFields([
    { field: 'email', code: 'repeated', ...inWords(({ resources }) => resources.recipient.taken, detail) },
  ]);
}

/** The website has as many recipients as it may have. */
export function tooManyRecipients(): DomainError {
  const detail = `A website has at most ${MAX_RECIPIENTS} recipients. Delete one first.`;
  return new DomainError('too_many_recipients', detail, { saying: ({ faults }) => faults.full(MAX_RECIPIENTS) });
}
