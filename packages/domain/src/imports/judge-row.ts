import { type StoredText, storedText } from '../base/stored-text.ts';
import { addDays, type Day } from '../calendar/days.ts';
import { dayOf } from '../calendar/time-zone.ts';
import { type CountingSettings, countHit } from '../hits/count-hit.ts';
import type { CountedHit, Hit, HitLookups } from '../hits/hit.ts';
import { readHit } from '../hits/read-hit.ts';
import { visitorsUnder } from '../hits/visitors.ts';
import { ImportOverlap } from './errors.ts';
import type { SkipReason } from './import.ts';
import type { ImportRow, RowHit } from './import-content.ts';
import type { ImportedDay } from './import-repository.ts';

/** As for hits from servers: clocks differ a little. */
const MAX_AHEAD_MS = 5 * 60_000;

/** The facts that decide whether a row counts. */
export interface ImportRules extends DayRules {
  readonly settings: CountingSettings;
  readonly lookups: HitLookups;
  /** 32 random bytes, which are forgotten when the import ends. */
  readonly secret: Uint8Array;
  readonly now: Date;
}

/** The facts that decide whether the rows of a day count. */
export interface DayRules {
  /** The last day to import; later ones are left out. */
  readonly until: Day | undefined;
  /** The first day that was collected here. */
  readonly collectedFrom: Day | undefined;
  /** The days of other imports. */
  readonly covered: readonly ImportedDay[];
}

/** A hit that counts, or why the row does not count. */
export type JudgedRow =
  | { readonly hit: CountedHit }
  | { readonly hit: undefined; readonly reason: SkipReason; readonly text: StoredText };

/**
 * Decides which rows count, as hits that are collected do. A visitor is the identifier in the file, or address and agent, under
 * the secret of the import and the day.
 *
 * @returns a function that throws {@link ImportOverlap} for a hit on a day of another import
 */
export function createRowJudge(rules: ImportRules): (row: ImportRow) => JudgedRow {
  const { settings, lookups } = rules;
  const { websiteId, zone } = settings;
  const latest = rules.now.getTime() + MAX_AHEAD_MS;
  const judgeDay = createDayJudge(rules);
  const visitorOn = visitorsUnder(rules.secret, websiteId);
  const skip = (reason: SkipReason, text: StoredText): JudgedRow => ({ hit: undefined, reason, text });

  return ({ hit: input, stated, skipped, day: statedDay }) => {
    if (input === undefined) return skip(skipped?.reason ?? 'faulty', skipped?.text ?? storedText('noHit'));
    const read = readRow(input, latest);
    if ('fault' in read) return skip('faulty', read.fault);
    const { hit } = read;
    const day = statedDay ?? dayOf(zone, hit.time);
    const leftOut = judgeDay.leavesOut(day);
    if (leftOut !== undefined) return skip(leftOut.reason, leftOut.text);
    const verdict = countHit(settings, hit, lookups);
    if (verdict.drop !== undefined) return skip(verdict.drop.reason, verdict.drop.text);
    judgeDay.rejectOverlap(day);
    // Copying its many fields takes twenty times as long as adding to it.
    return {
      hit: Object.assign(verdict.details, stated, { websiteId, time: hit.time, day, visitor: visitorOn(day, hit) }),
    };
  };
}

/** Decides which days count. */
export interface DayJudge {
  /** Why the rows of a day are left out, if they are. */
  leavesOut(day: Day): { readonly reason: SkipReason; readonly text: StoredText } | undefined;
  /** Throws {@link ImportOverlap} for a day of another import. */
  rejectOverlap(day: Day): void;
}

/** Leaves out days after `until`, and from the first one on that was collected here. */
export function createDayJudge({ until, collectedFrom, covered }: DayRules): DayJudge {
  const imports = new Map(covered.map(({ day, importId }) => [day, importId]));
  return {
    leavesOut(day) {
      if (until !== undefined && day > until)
        return { reason: 'after_until', text: storedText('afterUntil', day, until) };
      if (collectedFrom === undefined || day < collectedFrom) return undefined;
      return { reason: 'collected_here', text: storedText('collectedHere', collectedFrom) };
    },

    rejectOverlap(day) {
      const other = imports.get(day);
      if (other !== undefined) throw overlapOn(day, other);
    },
  };
}

/** The error for a day that another import covers. Its message says how to continue. */
export function overlapOn(day: Day, importId: string): ImportOverlap {
  const before = addDays(day, -1);
  const detail = `Import ${importId} covers ${day} already. Delete that import first, or import only up to ${before}.`;
  return new ImportOverlap(importId, detail, storedText('overlap', day, before));
}

/** The hit of a row, or why it is faulty. */
function readRow(row: RowHit, latest: number): { readonly hit: Hit } | { readonly fault: StoredText } {
  const { ip, userAgent, language, visitor, time } = row;
  const read = readHit(row, { sender: 'server', ip, userAgent, language, visitor, time });
  if ('faults' in read) {
    const fields = [...new Set(read.faults.map(({ field }) => field))].join(', ');
    const sentences = read.faults.map(({ field, detail }) => `${field}: ${detail}`).join(' ');
    return { fault: storedText('badFields', fields, sentences) };
  }
  if (Number.isNaN(time.getTime()) || time.getTime() < 0) return { fault: storedText('time') };
  return time.getTime() > latest ? { fault: storedText('futureTime') } : read;
}
