import { DomainError, InvalidFields } from '../errors.ts';

/** A person, team or client with separate websites and keys. */
export interface Account {
  /** UUIDv7. */
  readonly id: string;
  /** Unique, 1 to 100 characters. */
  readonly name: string;
  readonly createdAt: Date;
}

const MAX_NAME_LENGTH = 100;

/** An account of this name. Throws `InvalidFields` where the name is empty, too long, or has control characters. */
export function makeAccount(name: string, id: string, now: Date): Account {
  const length = [...name].length;
  if (length < 1 || length > MAX_NAME_LENGTH || /[\p{Cc}\p{Cs}]/u.test(name) || name.trim() !== name) {
    const detail = `The name of an account must have 1 to ${MAX_NAME_LENGTH} characters, with no control characters and no spaces at the ends.`;
    throw new InvalidFields([{ field: 'name', code: 'not_allowed', detail }]);
  }
  return { id, name, createdAt: now };
}

/** No account has this name or id. */
export function accountNotFound(): DomainError {
  return new DomainError('not_found', 'There is no account with this name or id. `accounts list` shows all accounts.');
}
