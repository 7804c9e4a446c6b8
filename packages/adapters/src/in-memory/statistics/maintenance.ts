import { type StatisticsMaintenance, type TimeZone, visitsOf } from '@hitherto/domain';
import { dayNumbers } from './day-numbers.ts';
import { groupBy } from './group-by.ts';
import type { StatisticsState } from './state.ts';

/** There is little to do, because every read computes its numbers from the hits. */
export function createStatisticsMaintenance(
  state: StatisticsState,
  isKnown: (websiteId: string) => boolean,
  zone: TimeZone,
): StatisticsMaintenance {
  return {
    updateVisits: async () => false,
    summarise: async () => false,

    async purge() {
      const isKept = ({ websiteId }: { websiteId: string }) => isKnown(websiteId);
      state.hits = state.hits.filter(isKept);
      state.dropped = state.dropped.filter(isKept);
      state.summaries = state.summaries.filter(isKept);
      return false;
    },

    async deleteHitsBefore(day) {
      const visits = visitsOf(state.hits.filter((hit) => hit.day < day));
      for (const [, ofDay] of groupBy(visits, (visit) => `${visit.websiteId} ${visit.day}`)) {
        const [first] = ofDay;
        if (first === undefined) continue;
        state.summaries.push({ websiteId: first.websiteId, day: first.day, numbers: dayNumbers(ofDay, zone) });
      }
      state.hits = state.hits.filter((hit) => hit.day >= day);
      if (day > state.keptFrom) state.keptFrom = day;
      return false;
    },

    prepare: async () => {},

    async rebuild({ websiteId, from, to }) {
      const rebuilt = state.hits.filter(
        (hit) =>
          isKnown(hit.websiteId) &&
          (websiteId === undefined || hit.websiteId === websiteId) &&
          (from === undefined || hit.day >= from) &&
          (to === undefined || hit.day <= to),
      );
      return new Set(rebuilt.map((hit) => `${hit.websiteId} ${hit.day}`)).size;
    },
  };
}
