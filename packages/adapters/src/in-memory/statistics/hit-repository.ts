import type { CountedHit, HitRepository, SaltRepository } from '@hitherto/domain';
import { storableText } from '../../texts.ts';
import type { StatisticsState } from './state.ts';

/** Keeps hits in `state`, as they were added. */
export function createHitRepository(state: StatisticsState, isKnown: (websiteId: string) => boolean): HitRepository {
  return {
    async add(batchId, hits, dropped = []) {
      if ((hits.length === 0 && dropped.length === 0) || state.batches.has(batchId)) return;
      state.batches.add(batchId);
      const kept = hits.filter(({ websiteId, day }) => isKnown(websiteId) && day >= state.keptFrom);
      state.hits = [...state.hits, ...kept.map(storableHit)];
      state.dropped = [...state.dropped, ...structuredClone(dropped.filter(({ websiteId }) => isKnown(websiteId)))];
    },
  };
}

/** Keeps the days' salts in `state`. */
export function createSaltRepository(state: StatisticsState): SaltRepository {
  return {
    async saltOf(day, fresh) {
      const salt = state.salts.get(day) ?? fresh;
      state.salts.set(day, salt.slice());
      return salt.slice();
    },

    async deleteBefore(day) {
      const old = [...state.salts.keys()].filter((known) => known < day);
      for (const known of old) state.salts.delete(known);
      return old.length;
    },
  };
}

/** A copy, with texts as a database can keep them. */
function storableHit(hit: CountedHit): CountedHit {
  const text = (value: string | null) => value && storableText(value);
  const props = Object.entries(hit.props ?? {}).map(([name, value]) => [
    storableText(name),
    typeof value === 'string' ? storableText(value) : value,
  ]);
  return {
    ...hit,
    time: new Date(hit.time),
    host: storableText(hit.host),
    page: storableText(hit.page),
    referrer: text(hit.referrer),
    source: text(hit.source),
    utmSource: text(hit.utmSource),
    utmMedium: text(hit.utmMedium),
    utmCampaign: text(hit.utmCampaign),
    utmContent: text(hit.utmContent),
    utmTerm: text(hit.utmTerm),
    language: text(hit.language),
    name: text(hit.name),
    props: hit.props && Object.fromEntries(props),
  };
}
