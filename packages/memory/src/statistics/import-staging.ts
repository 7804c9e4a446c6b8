import { groupBy, storableString } from '@hitherto/domain/base';
import type { Day, TimeZone } from '@hitherto/domain/calendar';
import type { CountedHit } from '@hitherto/domain/hits';
import {
  ACCESS_LOG,
  type ImportedLogs,
  type ImportStaging,
  type LogCheckpoint,
  LogConflict,
  overlapOn,
  type ReadLog,
} from '@hitherto/domain/imports';
import { visitsOf } from '@hitherto/domain/visits';
import { audit } from '../audit-trail.ts';
import type { State } from '../state.ts';
import { deliver } from '../webhooks/deliveries.ts';
import { withoutRare } from './crawler-repository.ts';
import { dayNumbers } from './day-numbers.ts';
import { storableHit } from './hit-repository.ts';
import { logKey } from './log-repository.ts';
import type { DaySummary, EngineState, ImportState, JournalState } from './state.ts';

/** Stores the hits of imports apart until they count. */
export function createImportStaging(
  state: State,
  journal: JournalState,
  engine: EngineState,
  zoneOf: (websiteId: string) => TimeZone | undefined,
): ImportStaging {
  const rejectOverlap = ({ imported }: ImportState, days: readonly string[], read: ImportedLogs | undefined) => {
    if (read?.also === true) return;
    for (const other of engine.imports.values()) {
      if (read !== undefined && other.imported.format === ACCESS_LOG) continue;
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

  /** Takes the place of a log back, or leaves that to a later import that goes on from there. */
  const forgetLog = (websiteId: string, { log, from, to }: ReadLog) => {
    const isAt = (place: LogCheckpoint | undefined) => JSON.stringify(place) === JSON.stringify(to);
    for (const other of engine.imports.values()) {
      if (other.imported.websiteId !== websiteId) continue;
      other.logs = other.logs.map((later) => (later.log === log && isAt(later.from) ? { ...later, from } : later));
    }
    if (!isAt(journal.checkpoints.get(logKey(websiteId, log)))) return;
    if (from === undefined) journal.checkpoints.delete(logKey(websiteId, log));
    else journal.checkpoints.set(logKey(websiteId, log), from);
  };

  return {
    async stage(importId, hits) {
      engine.imports.get(importId)?.hits.push(...hits.map(storableHit));
    },

    async stageSums(importId, sums) {
      engine.imports
        .get(importId)
        ?.sums.push(...sums.map((sum) => ({ ...sum, value: sum.value === null ? null : storableString(sum.value) })));
    },

    async publish(importId, counts, _now, event, read) {
      const own = engine.imports.get(importId);
      if (own?.imported.status !== 'running' || zoneOf(own.imported.websiteId) === undefined) return false;
      const days = [...new Set([...own.hits, ...own.sums].map(({ day }) => day))].sort();
      rejectOverlap(own, days, read);
      const { websiteId } = own.imported;
      for (const { log, from } of read?.logs ?? []) {
        const place = journal.checkpoints.get(logKey(websiteId, log));
        if (JSON.stringify(place) !== JSON.stringify(from)) throw new LogConflict(log);
      }
      own.logs = structuredClone(read?.logs ?? []);
      for (const { log, to } of own.logs) journal.checkpoints.set(logKey(websiteId, log), structuredClone(to));
      own.crawled = withoutRare(own.crawled);
      own.days = days;
      own.imported = { ...own.imported, ...structuredClone(counts), status: 'done' };
      const isKept = ({ day }: CountedHit) => day >= engine.keptFrom;
      summarise(own.hits.filter((hit) => !isKept(hit)));
      journal.hits = [...journal.hits, ...own.hits.filter(isKept)];
      deliver(state, event);
      return true;
    },

    async remove(importId, _now, change) {
      const own = engine.imports.get(importId);
      if (own === undefined) return false;
      const { websiteId } = own.imported;
      const isOwn = new Set(own.hits);
      journal.hits = journal.hits.filter((hit) => !isOwn.has(hit));
      const isOfWebsite = (summary: DaySummary) => summary.websiteId === websiteId;
      const mixed = mixedDays(engine.summaries.filter(isOfWebsite), own);
      engine.summaries = engine.summaries.filter(
        (summary) => !isOfWebsite(summary) || !own.days.includes(summary.day) || mixed.has(summary.day),
      );
      engine.imports.delete(importId);
      // The lines of a day that keeps its numbers would count twice.
      if (!own.days.some((day) => mixed.has(day))) for (const log of own.logs) forgetLog(websiteId, log);
      audit(state, change);
      return true;
    },

    async discard(importId) {
      const own = engine.imports.get(importId);
      if (own === undefined || own.imported.status === 'done') return;
      own.hits.length = 0;
      own.sums.length = 0;
    },

    async *hits(websiteId) {
      const found = journal.hits.filter((hit) => hit.websiteId === websiteId && hit.day >= engine.keptFrom);
      if (zoneOf(websiteId) === undefined) return;
      yield* found.sort((a, b) => (a.day < b.day ? -1 : 1)).map((hit) => structuredClone(hit));
    },
  };
}

/** The days whose summaries have hits that are not from the import. */
function mixedDays(summaries: readonly DaySummary[], { hits }: ImportState): ReadonlySet<Day> {
  const isMixed = ([day, ofDay]: [Day, DaySummary[]]) => {
    const totals = ofDay.flatMap(({ numbers }) => numbers.total);
    const all = totals.reduce((sum, { pageviews, events }) => sum + pageviews + events, 0);
    return all !== hits.filter((hit) => hit.day === day).length;
  };
  const days = [...groupBy(summaries, ({ day }) => day)].filter(isMixed);
  return new Set(days.map(([day]) => day));
}
