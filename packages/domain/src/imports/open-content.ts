import { dayOf, type TimeZone } from '../calendar/time-zone.ts';
import { compileSettings } from '../hits/count-hit.ts';
import type { CrawlerHits } from '../hits/crawlers.ts';
import type { CountedHit } from '../hits/hit.ts';
import type { DaySum } from '../visits/day-sum.ts';
import { wholeAccount } from '../websites/reach.ts';
import { showWebsite } from '../websites/use-cases.ts';
import type { Website } from '../websites/website.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import { ACCESS_LOG } from './import.ts';
import type { ImportContent } from './import-content.ts';
import type { ImportedDay } from './import-repository.ts';
import { createDayJudge, createRowJudge } from './judge-row.ts';
import { openLogImport } from './log-import.ts';
import { createLogReader } from './log-reader.ts';
import { type ContentReader, createRowReader } from './read-rows.ts';
import { createSumReader } from './read-sums.ts';
import type { ImportDependencies, ImportOptions } from './run-import.ts';

const SECRET_BYTES = 32;

/** Gets what counts, in batches. */
export interface ContentTarget {
  readonly hits: (hits: readonly CountedHit[]) => Promise<void>;
  readonly sums: (sums: readonly DaySum[]) => Promise<void>;
  readonly crawled: (crawled: readonly CrawlerHits[]) => Promise<void>;
}

/** A reader of a file's content by the rules of the website. Rejects with `not_found`. */
export async function openContent(
  deps: ImportDependencies,
  { accountId, websiteId }: WebsiteKey,
  content: ImportContent,
  options: ImportOptions,
  signal: AbortSignal,
  target: ContentTarget,
): Promise<ContentReader> {
  const website = await showWebsite(deps, wholeAccount(accountId), websiteId);
  const { until, keepGoing = false } = options;
  const settings = compileSettings(website, deps.zone);
  const covered = await deps.imports.importedDays(website.id);
  const collectedFrom = await firstCollectedDay(deps, website, settings.zone, covered);
  if (content.format === ACCESS_LOG) {
    const imported = await openLogImport(deps, website, { until, collectedFrom }, target);
    return createLogReader(deps, imported, content, keepGoing, signal);
  }
  const { lookups } = deps;
  const now = deps.now();
  const days = { until, collectedFrom, covered };
  if ('sumRows' in content) {
    const judge = createDayJudge(days);
    return createSumReader(content, { judge, keepGoing, signal, lookups, now, onSums: target.sums });
  }
  const judge = createRowJudge({ ...days, settings, lookups, secret: deps.randomBytes(SECRET_BYTES), now });
  return createRowReader(content, { judge, keepGoing, signal, onHits: target.hits });
}

/** The first day with a hit that none of these days covers. */
export async function firstCollectedDay(
  { statistics, now }: Pick<ImportDependencies, 'statistics' | 'now'>,
  { id: websiteId }: Pick<Website, 'id'>,
  zone: TimeZone,
  covered: readonly Pick<ImportedDay, 'day'>[],
): Promise<string | undefined> {
  const from = await statistics.firstDay(websiteId);
  if (from === undefined) return undefined;
  const known = new Set(covered.map(({ day }) => day));
  const days = await statistics.series({ websiteId, from, to: dayOf(zone, now()), filters: [] }, 'day');
  return days.map(({ start }) => String(start)).find((day) => !known.has(day));
}
