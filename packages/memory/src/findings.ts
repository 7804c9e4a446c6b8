import type { Finding, FindingRepository } from '@hitherto/domain/checks';
import { hasWebsite, type State } from './state.ts';
import { deliver } from './webhooks/deliveries.ts';

/** A finding, and the website that it is of. */
export interface StoredFinding {
  readonly websiteId: string;
  readonly finding: Finding;
}

/** Stores findings in `state`. */
export function createFindingRepository(state: State): FindingRepository {
  const ofWebsite = (id: string) =>
    [...state.findings.values()].flatMap(({ websiteId, finding }) => (websiteId === id ? [finding] : []));
  const isOwn = (accountId: string, websiteId: string) =>
    state.accounts.get(accountId)?.websites.has(websiteId) === true;

  return {
    async list({ accountId, websiteId }) {
      if (!isOwn(accountId, websiteId)) return undefined;
      const all = ofWebsite(websiteId).reverse();
      return structuredClone(all.sort((a, b) => b.openedAt.getTime() - a.openedAt.getTime()));
    },

    async record({ accountId, websiteId }, changes) {
      if (!isOwn(accountId, websiteId)) return 0;
      let recorded = 0;
      for (const { finding, expected, event } of changes) {
        const { id, check, subject } = finding;
        const known = state.findings.get(id)?.finding;
        const isTaken = ofWebsite(websiteId).some((each) => each.check === check && each.subject === subject);
        if (expected === undefined ? isTaken : known?.updatedAt.getTime() !== expected.getTime()) continue;
        state.findings.set(id, structuredClone({ websiteId, finding }));
        deliver(state, event);
        recorded += 1;
      }
      return recorded;
    },

    async countOpen(websiteIds) {
      const counts = websiteIds.map((id) => {
        const open = hasWebsite(state, id) ? ofWebsite(id).filter(({ status }) => status === 'open') : [];
        const hosts = open.flatMap((finding) => (finding.check === 'unknown_host' ? [finding] : []));
        const largest = hosts.toSorted((one, other) => other.size - one.size)[0]?.evidence;
        return [id, { count: open.length, unknownHost: largest && structuredClone(largest) }] as const;
      });
      return new Map(counts.filter(([, { count }]) => count > 0));
    },

    async claim(timeZone, day, limit) {
      const websites = [...state.accounts].flatMap(([accountId, account]) =>
        [...account.websites.values()].map((website) => ({ accountId, website })),
      );
      const due = websites.filter(({ website }) => {
        const checked = state.checkedDays.get(website.id);
        return website.timeZone === timeZone && (checked === undefined || checked < day);
      });
      return due.slice(0, limit).map(({ accountId, website: { id: websiteId } }) => {
        state.checkedDays.set(websiteId, day);
        return { accountId, websiteId };
      });
    },

    async deleteFixedBefore(time) {
      for (const [id, { finding }] of state.findings) {
        if (finding.status === 'fixed' && finding.updatedAt < time) state.findings.delete(id);
      }
    },
  };
}

/** Forgets the findings of a website that is deleted. */
export function forgetFindings(state: State, websiteId: string): void {
  state.checkedDays.delete(websiteId);
  for (const [id, stored] of state.findings) if (stored.websiteId === websiteId) state.findings.delete(id);
}
