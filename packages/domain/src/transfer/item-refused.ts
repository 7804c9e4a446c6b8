import { DomainError, type DomainErrorCode } from '../errors.ts';

/** Why a record cannot be imported; `not_found` means that its account is not among the records before it. */
export type RefusalCode = Extract<DomainErrorCode, 'not_found' | 'name_taken' | 'url_taken' | 'id_taken'>;

const REASONS: Readonly<Record<RefusalCode, string>> = {
  not_found: 'there is no account with this id before it',
  name_taken: 'there is already an account with this name',
  url_taken: 'the account already has a website with this address',
  id_taken: 'there is already a record with this id or key hash',
};

/** A record conflicts with those before it, so nothing is imported. */
export class ItemRefused extends DomainError {
  override readonly name = 'ItemRefused';
  override readonly code: RefusalCode;
  /** Which record it is, counted from 1. */
  readonly position: number;
  /** Why, in words that can follow the place of the record. */
  readonly reason: string;

  constructor(code: RefusalCode, position: number, options?: ErrorOptions) {
    const reason = REASONS[code];
    super(code, `Record ${position}: ${reason}.`, options);
    this.code = code;
    this.position = position;
    this.reason = reason;
  }
}
