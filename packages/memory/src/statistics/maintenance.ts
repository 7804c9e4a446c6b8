import { groupBy } from '@hitherto/domain/base';
import type { TimeZone } from '@hitherto/domain/calendar';
import type { StatisticsMaintenance } from '@hitherto/domain/engine';
import {
  chosenSets,
  compileFilters,
  type HidingRule,
  hiddenHits,
  showPages,
  storableFilters,
  visitsOf,
} from '@hitherto/domain/visits';
import { dayNumbers } from './day-numbers.ts';
import type { EngineState, JournalState } from './state.ts';

/** There is little to do, because every read computes its numbers from the hits. */
export function createStatisticsMaintenance(
  journal: JournalState,
  state: EngineState,
  zoneOf: (websiteId: string) => TimeZone | undefined,
  rulesOf: (websiteId: string) => readonly HidingRule[],
  pageRulesOf: (websiteId: string) => readonly string[],
): StatisticsMaintenance {
  return {
    jobs: () => [],
    settle: async () => {},

    async forget(websiteId) {
      journal.hits = journal.hits.filter((hit) => hit.websiteId !== websiteId);
      state.summaries = state.summaries.filter((summary) => summary.websiteId !== websiteId);
      return false;
    },

    async deleteHitsBefore(day) {
      const visits = visitsOf(journal.hits.filter((hit) => state.keptFrom <= hit.day && hit.day < day));
      for (const [, ofDay] of groupBy(visits, (visit) => `${visit.websiteId} ${visit.day}`)) {
        const [first] = ofDay;
        const zone = first && zoneOf(first.websiteId);
        if (first === undefined || zone === undefined) continue;
        const sets = chosenSets([], rulesOf(first.websiteId), undefined).map(storableFilters);
        const shown = showPages(ofDay, pageRulesOf(first.websiteId)).filter(compileFilters(sets, new Map()));
        state.summaries.push({ websiteId: first.websiteId, day: first.day, numbers: dayNumbers(shown, zone) });
      }
      journal.hits = journal.hits.filter((hit) => hit.day >= day);
      if (day > state.keptFrom) state.keptFrom = day;
      return false;
    },

    async erase(websiteId, day, rule) {
      if (day < state.keptFrom) return;
      const ofDay = journal.hits.filter((hit) => hit.websiteId === websiteId && hit.day === day);
      const erased = new Set(hiddenHits(ofDay, [rule]));
      journal.hits = journal.hits.filter((hit) => !erased.has(hit));
    },

    keptFrom: async () => state.keptFrom,

    async rebuild({ websiteId, from, to }, _now, onProgress = () => {}) {
      const rebuilt = journal.hits.filter(
        (hit) =>
          zoneOf(hit.websiteId) !== undefined &&
          hit.day >= state.keptFrom &&
          (websiteId === undefined || hit.websiteId === websiteId) &&
          (from === undefined || hit.day >= from) &&
          (to === undefined || hit.day <= to),
      );
      const total = new Set(rebuilt.map((hit) => `${hit.websiteId} ${hit.day}`)).size;
      onProgress({ done: total, total });
      return total;
    },
  };
}
