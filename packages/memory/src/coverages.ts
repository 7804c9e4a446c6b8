import { type CoverageRepository, KEPT_REPORTS } from '@hitherto/domain/insight';
import type { WebsiteKey } from '@hitherto/domain/websites';
import type { State } from './state.ts';

/** Stores what uploaded logs have shown in `state`. */
export function createCoverageRepository(state: State): CoverageRepository {
  const { coverages } = state;
  const isOwn = ({ accountId, websiteId }: WebsiteKey) =>
    state.accounts.get(accountId)?.websites.has(websiteId) === true;

  return {
    async insert(website, report) {
      if (!isOwn(website)) return false;
      const before = coverages.get(website.websiteId) ?? [];
      coverages.set(website.websiteId, structuredClone([...before, report].slice(-KEPT_REPORTS)));
      return true;
    },

    async end(id, result) {
      for (const [websiteId, reports] of coverages) {
        coverages.set(
          websiteId,
          reports.map((report) => (report.id === id ? structuredClone({ ...report, ...result }) : report)),
        );
      }
    },

    async list(website) {
      if (!isOwn(website)) return undefined;
      return structuredClone(coverages.get(website.websiteId) ?? []).toReversed();
    },

    async deleteBefore(time) {
      for (const [websiteId, reports] of coverages) {
        coverages.set(
          websiteId,
          reports.filter(({ createdAt }) => createdAt >= time),
        );
      }
    },
  };
}
