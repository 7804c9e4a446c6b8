/**
 * What is wrong with one field of an input. Codes are stable: they are part of the HTTP contract
 * (docs/decisions.md, "Errors") and mean the same to every other user of this package.
 */
export type FaultCode =
  | 'required'
  | 'unknown'
  | 'repeated'
  | 'invalid_type'
  | 'not_allowed'
  | 'too_long'
  | 'too_many'
  | 'invalid_url'
  | 'invalid_ip'
  | 'invalid_name'
  | 'invalid_cursor'
  | 'password_required'
  | 'unknown_website';

/** One fault of one field. `line` counts from 1 within the text or list as it was given. The offending value is never repeated. */
export interface Fault {
  readonly field: string;
  readonly line?: number;
  readonly code: FaultCode;
  readonly detail: string;
}

/** More faults than this are not told, so that a hostile input cannot make a huge answer. */
export const MAX_FAULTS = 100;

export type DomainErrorCode =
  | 'invalid_fields'
  | 'not_found'
  | 'url_taken'
  | 'name_taken'
  | 'precondition_failed'
  | 'idempotency_key_reused'
  | 'not_empty'
  | 'unavailable';

/** Every refusal of the domain and of its ports. `code` is stable; the message is for people and holds no secret. */
export class DomainError extends Error {
  override readonly name: string = 'DomainError';
  readonly code: DomainErrorCode;

  constructor(code: DomainErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The input breaks rules; `faults` names all of them, at most {@link MAX_FAULTS}. */
export class InvalidFields extends DomainError {
  override readonly name = 'InvalidFields';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super('invalid_fields', faults.map((fault) => fault.detail).join(' '));
    this.faults = faults.slice(0, MAX_FAULTS);
  }
}

/** The account already tracks a website of this address; `existingId` is that website's id. */
export class UrlTaken extends DomainError {
  override readonly name = 'UrlTaken';
  readonly existingId: string;

  constructor(existingId: string) {
    super('url_taken', 'The account already has a website with this address.');
    this.existingId = existingId;
  }
}

/** The store behind a port cannot be reached or is overloaded; trying again later may work. */
export function unavailable(message: string, cause?: unknown): DomainError {
  return new DomainError('unavailable', message, { cause });
}
