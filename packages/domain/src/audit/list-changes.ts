import type { AuditFilter, AuditPosition, AuditTrail } from './audit-trail.ts';
import type { AuditEntry } from './entry.ts';

/** A page of the audit trail, newest first. */
export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Where the next page begins; `undefined` after the last one. */
  readonly next: AuditPosition | undefined;
}

/** A page of an account's changes. */
export async function listChanges(
  { audit }: { readonly audit: Pick<AuditTrail, 'list'> },
  accountId: string,
  filter: AuditFilter,
  limit: number,
  after?: AuditPosition,
): Promise<AuditPage> {
  const found = await audit.list(accountId, filter, limit + 1, after);
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  return { entries, next: found.length > limit && last !== undefined ? { at: last.at, id: last.id } : undefined };
}
