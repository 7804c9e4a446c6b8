import type { Language } from '@hitherto/words';
import { nameFaults } from '../access/account.ts';
import { isEmailAddress } from '../access/email-address.ts';
import { DomainError, type Fault, InvalidFields, inWords, type Saying } from '../base/errors.ts';
import type { ProviderIdentity } from './provider.ts';

/** One sign-in of the installation (people.md). Accounts have people as members. */
export interface Person {
  /** UUIDv7. */
  readonly id: string;
  /** Unique, compared without case ({@link foldEmail}). */
  readonly email: string;
  /** Whether the person has shown that the mailbox is theirs. Nothing is ever mailed to, or matched by, another address. */
  readonly isVerified: boolean;
  readonly name: string;
  /** argon2id, in PHC format; `null` for who signs in in other ways alone. */
  readonly passwordHash: string | null;
  /** Who the person is at a provider; `null` where they have not signed in through one. No other person is the same. */
  readonly identity: Identity | null;
  /** Of pages and mails; `null` if the person has chosen none. */
  readonly language: Language | null;
  readonly createdAt: Date;
  /** Strictly later with every change, to the millisecond. */
  readonly updatedAt: Date;
}

/** Somebody at a provider. */
export interface Identity {
  /** Without a slash at the end. */
  readonly issuer: string;
  readonly subject: string;
}

/** Who somebody is at their first sign-in, and how they sign in: with a password, or through a provider. */
export type PersonInput = { readonly email: string; readonly name: string } & (
  | { readonly password: string }
  | { readonly identity: ProviderIdentity }
);

/** Whether a password is one of the most common ones. */
export type IsCommonPassword = (password: string) => boolean;

const PASSWORD_LENGTH = { least: 10, most: 256 } as const;

/** An address as it is compared. */
export function foldEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

/** The faults of a name, an address and a password. */
export function personFaults(input: PersonInput, isCommon: IsCommonPassword): Fault[] {
  const { email, name } = input;
  const faults = 'password' in input ? passwordFaults(input.password, email, isCommon) : [];
  return [...emailFaults(email), ...nameFaults(name), ...faults];
}

export function emailFaults(email: string): Fault[] {
  if (isEmailAddress(email)) return [];
  return [{ field: 'email', code: 'not_allowed', ...inWords(({ faults }) => faults.email) }];
}

/** The faults of a password of the person with this address. */
export function passwordFaults(password: string, email: string, isCommon: IsCommonPassword): Fault[] {
  const fault = (saying: Saying): Fault[] => [{ field: 'password', code: 'not_allowed', ...inWords(saying) }];
  const length = [...password].length;
  if (/\p{Cs}/u.test(password)) return fault(({ faults }) => faults.people.character);
  if (length < PASSWORD_LENGTH.least) return fault(({ faults }) => faults.people.short(PASSWORD_LENGTH.least));
  if (length > PASSWORD_LENGTH.most) return fault(({ faults }) => faults.people.long(PASSWORD_LENGTH.most));
  if (foldEmail(password) === foldEmail(email)) return fault(({ faults }) => faults.people.isAddress);
  return isCommon(password) ? fault(({ faults }) => faults.people.isCommon) : [];
}

/** Throws `InvalidFields` if there are faults. */
export function rejectFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw new InvalidFields(faults);
}

/** There is no such person, member or invitation. */
export function personNotFound(): DomainError {
  return new DomainError('not_found', 'There is no such person.');
}

/** Somebody else has the address. */
export function emailTaken(cause?: unknown): DomainError {
  return new DomainError('email_taken', ({ faults }) => faults.people.taken, { cause });
}

/** Somebody else is linked with this identity at the provider. */
export function identityTaken(cause?: unknown): DomainError {
  return new DomainError('identity_taken', ({ faults }) => faults.people.identityTaken, { cause });
}
