import { inEnglish, storedText } from '../base/stored-text.ts';
import type { Day } from '../calendar/days.ts';
import { compileSettings } from '../hits/count-hit.ts';
import type { Website } from '../websites/website.ts';
import { ACCESS_LOG, type ImportCounts, type ImportedLogs, type ReadLog, type SkippedRows } from './import.ts';
import type { ImportRepository } from './import-repository.ts';
import { overlapOn } from './judge-row.ts';
import { addressNotes } from './logs/log-notes.ts';
import { type LogSummary, type LogWebsite, newLogSummary } from './logs/read-log.ts';
import type { ContentTarget } from './open-content.ts';
import type { ImportDependencies } from './run-import.ts';
import { exampleOf } from './skipped-rows.ts';

/** The content of logs for a website, as an import. */
export interface LogImport {
  /** Gets the lines. */
  readonly website: LogWebsite;
  /** @param share the share of the logs that was read */
  counts(share: number): ImportCounts;
  /** The places to which the logs were read. */
  read(): ImportedLogs;
}

export interface LogImportOptions {
  /** The last day to import; all by default. */
  readonly until?: Day | undefined;
  /** The first day whose lines are left out, because the website has collected hits itself since; none by default. */
  readonly collectedFrom?: Day | undefined;
  /** Whether days may have another origin as well. */
  readonly also?: boolean;
}

/** Collects the additions of log lines to a website. Lines of a day with another origin throw `ImportOverlap`. */
export async function openLogImport(
  { imports, logs, zone }: Pick<ImportDependencies, 'imports' | 'logs' | 'zone'>,
  website: Website,
  { until, collectedFrom, also = false }: LogImportOptions,
  target: Omit<ContentTarget, 'sums'>,
): Promise<LogImport> {
  const summary = newLogSummary();
  const hitsOf = new Map<Day, number>();
  const places = new Map<string, ReadLog>();
  const others = also ? undefined : await daysOfOtherImports(imports, website.id);

  return {
    website: {
      url: website.url,
      settings: compileSettings(website, zone),
      summary,

      leaveOut(day) {
        if (until !== undefined && day > until) return 'after_until';
        if (collectedFrom !== undefined && day >= collectedFrom) return 'collected_here';
        const other = others?.get(day);
        if (other !== undefined) throw overlapOn(day, other);
        return undefined;
      },

      logs: {
        // Two logs of this import may prove to be one.
        checkpoint: async (websiteId, log) => places.get(log)?.to ?? (await logs.checkpoint(websiteId, log)),

        async checkpoints(websiteId) {
          const all = await logs.checkpoints(websiteId);
          for (const { log, to } of places.values()) all.set(log, to);
          return all;
        },

        async add({ log, from, to, hits, crawled }) {
          if (hits.length > 0) await target.hits(hits);
          if (crawled.length > 0) await target.crawled(crawled);
          for (const { day } of hits) hitsOf.set(day, (hitsOf.get(day) ?? 0) + 1);
          places.set(log, { from, ...places.get(log), log, to });
          return true;
        },
      },
    },

    counts(share) {
      const days = [...hitsOf.keys()].sort();
      const hits = [...hitsOf.values()].reduce((sum, number) => sum + number, 0);
      const skipped = skippedOf(summary);
      // The name of a file on the disk is not stored.
      const noteTexts = addressNotes(summary.addresses);
      return {
        from: days[0] ?? null,
        to: days.at(-1) ?? null,
        hits,
        days: days.length,
        rows: summary.lines,
        share,
        skipped,
        ...(noteTexts.length === 0 ? {} : { notes: noteTexts.map(inEnglish), noteTexts }),
      };
    },

    read: () => ({ logs: [...places.values()], also }),
  };
}

/** The days of imports that are not of logs, each with an import. */
export async function daysOfOtherImports(
  imports: Pick<ImportRepository, 'importedDays'>,
  websiteId: string,
): Promise<ReadonlyMap<Day, string>> {
  const days = await imports.importedDays(websiteId);
  return new Map(days.filter(({ format }) => format !== ACCESS_LOG).map(({ day, importId }) => [day, importId]));
}

/** The lines that do not count, by reason, most first. */
function skippedOf({ left }: LogSummary): SkippedRows[] {
  const skipped: SkippedRows[] = [];
  for (const [reason, { lines, place }] of left) {
    // These are of no import.
    if (reason === 'unknown_host' || reason === 'too_old' || reason === 'imported') continue;
    skipped.push({ reason, rows: lines, ...exampleOf(place, storedText('reason', reason)) });
  }
  return skipped.sort((a, b) => b.rows - a.rows);
}
