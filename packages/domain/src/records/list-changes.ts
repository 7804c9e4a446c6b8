import type { AuditEntry } from '../changes/entry.ts';
import type { Reach } from '../websites/reach.ts';
import type { AuditFilter, AuditPosition, AuditTrail } from './audit-trail.ts';

/** A page of the audit trail, newest first. */
export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Where the next page begins; `undefined` after the last one. */
  readonly next: AuditPosition | undefined;
}

/** A page of the changes; one with long changes is shorter than `limit`. */
export async function listChanges(
  { audit }: { readonly audit: Pick<AuditTrail, 'list'> },
  reach: Reach,
  filter: AuditFilter,
  limit: number,
  after?: AuditPosition,
): Promise<AuditPage> {
  const { entries, hasMore } = await audit.list(reach, filter, limit, after);
  const last = entries.at(-1);
  return { entries, next: hasMore && last !== undefined ? { at: last.at, id: last.id } : undefined };
}
