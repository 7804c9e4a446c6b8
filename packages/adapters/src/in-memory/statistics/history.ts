import { type CountedHit, overlapOn, type StatisticsHistory, type TimeZone, visitsOf } from '@hitherto/domain';
import { note } from '../audit-trail.ts';
import type { State } from '../state.ts';
import { tell } from '../webhooks/deliveries.ts';
import { dayNumbers } from './day-numbers.ts';
import { groupBy } from './group-by.ts';
import { storableHit } from './hit-repository.ts';
import type { EngineState, ImportState, JournalState } from './state.ts';

/** Keeps the hits of imports apart until they count. */
export function createHistory(
  state: State,
  journal: JournalState,
  engine: EngineState,
  zoneOf: (websiteId: string) => TimeZone | undefined,
): StatisticsHistory {
  const rejectOverlap = ({ imported }: ImportState, days: readonly string[]) => {
    for (const other of engine.imports.values()) {
      const isOther = other.imported.id !== imported.id && other.imported.websiteId === imported.websiteId;
      const day = isOther ? other.days.find((each) => days.includes(each)) : undefined;
      if (day !== undefined) throw overlapOn(day, other.imported.id);
    }
  };

  /** Hits of days whose hits are deleted count in their summaries alone. */
  const summarise = (hits: readonly CountedHit[]) => {
    for (const [day, ofDay] of groupBy(hits, (hit) => hit.day)) {
      const [first] = ofDay;
      const zone = first && zoneOf(first.websiteId);
      if (first === undefined || zone === undefined) continue;
      const numbers = dayNumbers(visitsOf(ofDay), zone);
      engine.summaries.push({ websiteId: first.websiteId, day, numbers });
    }
  };

  return {
    async stage(importId, hits) {
      engine.imports.get(importId)?.hits.push(...hits.map(storableHit));
    },

    async publish(importId, counts, _now, event) {
      const own = engine.imports.get(importId);
      if (own?.imported.status !== 'running' || zoneOf(own.imported.websiteId) === undefined) return false;
      const days = [...new Set(own.hits.map(({ day }) => day))].sort();
      rejectOverlap(own, days);
      own.days = days;
      own.imported = { ...own.imported, ...structuredClone(counts), status: 'done' };
      const isKept = ({ day }: CountedHit) => day >= engine.keptFrom;
      summarise(own.hits.filter((hit) => !isKept(hit)));
      journal.hits = [...journal.hits, ...own.hits.filter(isKept)];
      tell(state, event);
      return true;
    },

    async remove(importId, _now, entry) {
      const own = engine.imports.get(importId);
      if (own === undefined) return false;
      const { websiteId } = own.imported;
      const isOwn = new Set(own.hits);
      journal.hits = journal.hits.filter((hit) => !isOwn.has(hit));
      engine.summaries = engine.summaries.filter(
        (summary) => summary.websiteId !== websiteId || !own.days.includes(summary.day) || isMixed(summary, own),
      );
      engine.imports.delete(importId);
      note(state, entry);
      return true;
    },

    async discard(importId) {
      const own = engine.imports.get(importId);
      if (own !== undefined && own.imported.status !== 'done') own.hits.length = 0;
    },

    async *hits(websiteId) {
      const found = journal.hits.filter((hit) => hit.websiteId === websiteId && hit.day >= engine.keptFrom);
      if (zoneOf(websiteId) === undefined) return;
      yield* found.sort((a, b) => (a.day < b.day ? -1 : 1)).map((hit) => structuredClone(hit));
    },
  };
}

/** Whether a summary has other hits than those of the import. */
function isMixed({ day, numbers }: EngineState['summaries'][number], { hits }: ImportState): boolean {
  const own = hits.filter((hit) => hit.day === day).length;
  return numbers.total.reduce((sum, { pageviews, events }) => sum + pageviews + events, 0) !== own;
}
