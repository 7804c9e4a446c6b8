import { DomainError, type Fault, InvalidFields, inWords } from '../base/errors.ts';
import { type Brand, NO_BRAND } from './brand.ts';
import { isEmailAddress } from './email-address.ts';

/** A person, team or client with separate websites and keys. */
export interface Account {
  /** UUIDv7. */
  readonly id: string;
  /** Unique, 1 to 100 characters. */
  readonly name: string;
  readonly createdAt: Date;
  /** Where its reports go; `null` for nowhere. */
  readonly email: AccountEmail | null;
  /** Whether its members need a second factor to sign in. */
  readonly requiresSecondFactor: boolean;
  readonly brand: Brand;
}

/** The e-mail address of an account. */
export interface AccountEmail {
  readonly address: string;
  /** When it was given: no report goes there about a week that ended before. */
  readonly since: Date;
}

const MAX_NAME_LENGTH = 100;

/** An account with this name. Throws `InvalidFields` with the faults of its name and its address. */
export function makeAccount(name: string, address: string | null, id: string, now: Date): Account {
  const faults = [...nameFaults(name), ...addressFaults(address)];
  if (faults.length > 0) throw new InvalidFields(faults);
  return { id, name, createdAt: now, email: emailOf(address, now), requiresSecondFactor: false, brand: NO_BRAND };
}

/** Changes of an account; an absent field stays. */
export interface AccountChanges extends Partial<Pick<Account, 'name' | 'email' | 'requiresSecondFactor' | 'brand'>> {
  /** The content of the brand's logo. */
  readonly logo?: Uint8Array | null;
}

/** Changes as somebody gives them; `null` removes the address. */
export interface AccountInput extends Pick<AccountChanges, 'name' | 'requiresSecondFactor'> {
  readonly address?: string | null;
}

/** The given changes without those that change nothing. Throws `InvalidFields`. */
export function changeAccount(account: Account, given: AccountInput, now: Date): AccountChanges {
  const { name = account.name, address, requiresSecondFactor = account.requiresSecondFactor } = given;
  const faults = [
    ...(name === account.name ? [] : nameFaults(name)),
    ...(address === undefined ? [] : addressFaults(address)),
  ];
  if (faults.length > 0) throw new InvalidFields(faults);
  return {
    ...(name !== account.name && { name }),
    ...(address !== undefined && address !== (account.email?.address ?? null) && { email: emailOf(address, now) }),
    ...(requiresSecondFactor !== account.requiresSecondFactor && { requiresSecondFactor }),
  };
}

function emailOf(address: string | null, since: Date): AccountEmail | null {
  return address === null ? null : { address, since };
}

/** The faults of the name of an account or a person. */
export function nameFaults(name: string): Fault[] {
  const length = [...name].length;
  if (length >= 1 && length <= MAX_NAME_LENGTH && !/[\p{Cc}\p{Cs}]/u.test(name) && name.trim() === name) return [];
  return [{ field: 'name', code: 'not_allowed', ...inWords(({ faults }) => faults.name(MAX_NAME_LENGTH)) }];
}

function addressFaults(address: string | null): Fault[] {
  if (address === null || isEmailAddress(address)) return [];
  const detail = 'The e-mail address must be one address, such as owner@example.com, of at most 254 bytes.';
  return [{ field: 'email', code: 'not_allowed', ...inWords(({ faults }) => faults.email, detail) }];
}

/** No account has this name or id. */
export function accountNotFound(): DomainError {
  return new DomainError('not_found', 'There is no account with this name or id. `accounts list` shows all accounts.');
}
