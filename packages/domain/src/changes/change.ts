import type { AuditEntry } from './entry.ts';
import type { IdempotencyRecord } from './idempotency-record.ts';

/** The records that a repository writes with a change of settings, in one transaction. */
export interface Change {
  /** Of the audit trail. */
  readonly entry: AuditEntry | undefined;
  /** Of a create that can be repeated. An earlier record of the same key that has not expired wins: then nothing is written. */
  readonly record?: IdempotencyRecord | undefined;
}

/** A change that leaves no trace, because nobody asked for it. */
export const UNRECORDED = { entry: undefined, event: undefined } as const;
