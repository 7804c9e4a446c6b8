import { ENGLISH, type Words } from '@hitherto/words';

/** The text of a fault or an error on pages, in the words of a language. */
export type Saying = (words: Words) => string;

/**
 * The kind of error in a field. Codes are stable: they are part of the HTTP contract
 * (docs/api.md, "Errors") and mean the same to every other user of this package.
 */
export type FaultCode =
  | 'required'
  | 'unknown'
  | 'repeated'
  | 'not_allowed'
  | 'too_long'
  | 'too_many'
  | 'invalid_url'
  | 'invalid_ip'
  | 'invalid_name'
  | 'password_required'
  | 'unknown_website'
  | 'unknown_goal'
  | 'unknown_segment';

/** One error in a field. `line` counts from 1 in the text or list as given. It never repeats the offending value. */
export interface Fault {
  readonly field: string;
  readonly line?: number;
  readonly code: FaultCode;
  /** In English, as the API sends it. */
  readonly detail: string;
  /** For pages; absent where no page shows the fault. */
  readonly saying?: Saying;
}

/** The text of a fault that a page may show. @param detail in the API, where it speaks of fields and requests */
export function inWords(saying: Saying, detail = saying(ENGLISH.words)): Required<Pick<Fault, 'detail' | 'saying'>> {
  return { detail, saying };
}

/** The text of a fault or an error in the words of a page; in English where it has none for pages. */
export function toldIn(words: Words, told: Pick<Fault, 'detail' | 'saying'> | DomainError): string {
  return told.saying?.(words) ?? (told instanceof DomainError ? told.message : told.detail);
}

/** An error as the fault of a field. */
export function faultOf({ message, saying }: DomainError, field: string, code: FaultCode): Fault {
  return { field, code, detail: message, ...(saying === undefined ? {} : { saying }) };
}

/**
 * A name that the sender chose, as a fault's field may repeat it (docs/api.md, "Errors"): it may hold anything, so only
 * letters, digits, `_` and `-` stay.
 */
export function echoedName(name: string): string {
  return name.replaceAll(/[^\w-]/gu, '_');
}

/** The most faults that are reported, so that hostile input cannot cause a huge response. */
export const MAX_FAULTS = 100;

/** Why an operation failed. Codes are stable, as those of faults are; faces translate them (docs/api.md, "Errors"). */
export type DomainErrorCode =
  | 'invalid_fields'
  | 'not_found'
  | 'url_taken'
  | 'alias_taken'
  | 'name_taken'
  | 'too_many_segments'
  | 'too_many_goals'
  | 'too_many_funnels'
  | 'too_many_links'
  | 'too_many_annotations'
  | 'too_many_cleanups'
  | 'cleanup_busy'
  | 'too_many_recipients'
  | 'segment_in_use'
  | 'too_many_webhooks'
  | 'too_many_alerts'
  | 'webhook_inactive'
  | 'no_secret_key'
  | 'id_taken'
  | 'precondition_failed'
  | 'idempotency_key_reused'
  | 'not_empty'
  | 'email_taken'
  | 'identity_taken'
  | 'has_owner'
  | 'last_owner'
  | 'too_many_members'
  | 'too_many_keys'
  | 'too_many_invitations'
  | 'invalid_file'
  | 'import_overlap'
  | 'too_many_imports'
  | 'unavailable';

/** An error of the domain or its ports. `code` is stable; the message is for people and holds no secret. */
export class DomainError extends Error {
  override readonly name: string = 'DomainError';
  readonly code: DomainErrorCode;
  /** For pages; absent where no page shows the error. */
  readonly saying: Saying | undefined;

  /** @param message in English; a saying where pages tell the same */
  constructor(code: DomainErrorCode, message: string | Saying, options: ErrorOptions & { saying?: Saying } = {}) {
    super(typeof message === 'string' ? message : message(ENGLISH.words), options);
    this.code = code;
    this.saying = options.saying ?? (typeof message === 'string' ? undefined : message);
  }
}

/** The input is invalid; `faults` lists all faults, at most {@link MAX_FAULTS}. */
export class InvalidFields extends DomainError {
  override readonly name = 'InvalidFields';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super('invalid_fields', faults.map((fault) => fault.detail).join(' '));
    this.faults = faults.slice(0, MAX_FAULTS);
  }
}

/** The account already tracks a website with this address; `existingId` is that website's id. */
export class UrlTaken extends DomainError {
  override readonly name = 'UrlTaken';
  /** The website that has it, if whoever asked may know. */
  readonly existingId: string | undefined;

  constructor(existingId: string | undefined) {
    super('url_taken', 'The account already has a website with this address.', {
      saying: ({ settings }) => settings.addressTaken,
    });
    this.existingId = existingId;
  }
}

/** Another website of the installation has one of the aliases, or another account's has it as its address or host. It says nothing of that website, which may be another account's. */
export class AliasTaken extends DomainError {
  override readonly name = 'AliasTaken';

  /** @param number which alias of the list it is, counted from 1 */
  constructor(number: number) {
    super('alias_taken', ({ faults }) => faults.websites.aliasTaken(number));
  }
}

/** Something of the same kind has this name already; `existingId` is its id. */
export class NameTaken extends DomainError {
  override readonly name = 'NameTaken';
  readonly existingId: string;

  constructor(existingId: string) {
    super('name_taken', 'The website already has one with this name.', {
      saying: ({ resources }) => resources.nameTaken,
    });
    this.existingId = existingId;
  }
}

/** A shared link shows the visits of the segment, which therefore cannot be deleted. */
export class SegmentInUse extends DomainError {
  override readonly name = 'SegmentInUse';

  /** @param linkName the name of the link, or of one of several */
  constructor(linkName: string) {
    super('segment_in_use', ({ faults }) => faults.segmentInUse(linkName));
  }
}

/** The database is unreachable or overloaded; a later retry may succeed. */
export function unavailable(message: string, cause?: unknown): DomainError {
  return new DomainError('unavailable', message, { cause });
}
