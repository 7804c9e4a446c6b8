import type { AuditEntry, Change } from '@hitherto/domain/changes';
import { type AuditTrail, MAX_AUDIT_BYTES } from '@hitherto/domain/records';
import type { Reach } from '@hitherto/domain/websites';
import type { State } from './state.ts';

/** Reads the audit trail in `state`. */
export function createAuditTrail(state: State): AuditTrail {
  const entriesIn = ({ accountId, websiteIds }: Reach) =>
    state.audit.filter(
      (entry) => entry.accountId === accountId && (websiteIds === null || websiteIds.includes(entry.websiteId ?? '')),
    );

  return {
    async list(reach, { websiteId, from, until }, limit, after) {
      const found = entriesIn(reach)
        .filter((entry) => websiteId === undefined || entry.websiteId === websiteId)
        .filter(({ at }) => (from === undefined || at >= from) && (until === undefined || at < until))
        .sort(newestFirst)
        .filter((entry) => after === undefined || newestFirst(after, entry) < 0);
      let bytes = 0;
      const entries = found.slice(0, limit).filter(({ changes }, index) => {
        bytes += Buffer.byteLength(JSON.stringify(changes));
        return index === 0 || bytes <= MAX_AUDIT_BYTES;
      });
      return structuredClone({ entries, hasMore: entries.length < found.length });
    },

    async find(reach, id) {
      return structuredClone(entriesIn(reach).find((entry) => entry.id === id));
    },

    async deleteBefore(time) {
      const kept = state.audit.filter(({ at }) => at >= time);
      const deleted = state.audit.length - kept.length;
      state.audit = kept;
      return deleted;
    },
  };
}

/** Adds the entry of a change to the trail that was made in the same turn of the event loop. */
export function audit(state: State, { entry }: Change): void {
  if (entry !== undefined) state.audit.push(structuredClone(entry));
}

function newestFirst(one: Pick<AuditEntry, 'at' | 'id'>, other: Pick<AuditEntry, 'at' | 'id'>): number {
  return other.at.getTime() - one.at.getTime() || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0);
}
