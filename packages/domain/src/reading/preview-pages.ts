import { compareBytes } from '../base/byte-order.ts';
import { groupBy } from '../base/group-by.ts';
import { readWebUrl } from '../base/url.ts';
import type { Period } from '../calendar/days.ts';
import type { StatisticsQuery, StatisticsRepository, ValueTotals } from '../engine/statistics-repository.ts';
import { compileExcludedParameters } from '../hits/excluded-parameters.ts';
import { readPageUrl } from '../hits/page-url.ts';
import { hidingSet } from '../visits/hiding.ts';
import { compilePageRules } from '../visits/shown-pages.ts';
import type { Totals } from '../visits/totals.ts';

/** How pages of the past would have been stored with another setting. */
export interface PagesPreview {
  readonly pages: { readonly before: number; readonly after: number };
  /** The pages that would have been one, those with the most pageviews first. */
  readonly merged: readonly MergedPages[];
  /** The numbers that the setting cannot change. */
  readonly unchanged: Pick<Totals, 'visits' | 'pageviews' | 'visitors'>;
}

export interface MergedPages {
  readonly into: string;
  /** Some of them. */
  readonly from: readonly string[];
  readonly count: number;
  readonly pageviews: number;
}

/** The most entries of a preview, and the most pages that each names. */
export const PREVIEWED_PAGES = { merged: 20, from: 5 } as const;
/** How many values are read at once. */
const MAX_VALUES = 10_000;

/** A setting that can be tried. */
export type TriedSetting = { readonly excludedParams: readonly string[] } | { readonly pageRules: readonly string[] };

/** Applies a setting to the stored pages of the kept hits of a period, and stores nothing. */
export async function previewPages(
  { statistics }: { readonly statistics: StatisticsRepository },
  websiteId: string,
  period: Period,
  setting: TriedSetting,
): Promise<PagesPreview> {
  const pageOf = compileSetting(setting);
  // A choice of all visits: lists of whole days lack rare values.
  const query = { websiteId, ...period, filters: [hidingSet([], true)], storedPages: true };
  const [rows, { visits, pageviews, visitors }] = await statistics.reading(query, async (reads) => [
    await allPages(reads, query),
    await reads.totals(query),
  ]);
  const groups = [...groupBy(rows, ({ value }) => pageOf(value ?? ''))];
  const merged = groups
    .filter(([into, ofPage]) => ofPage.length > 1 || ofPage[0]?.value !== into)
    .map(([into, ofPage]) => ({
      into,
      from: ofPage.slice(0, PREVIEWED_PAGES.from).map(({ value }) => value ?? ''),
      count: ofPage.length,
      pageviews: ofPage.reduce((sum, row) => sum + row.pageviews, 0),
    }))
    .sort((a, b) => b.pageviews - a.pageviews || compareBytes(a.into, b.into));
  return {
    pages: { before: rows.length, after: groups.length },
    merged: merged.slice(0, PREVIEWED_PAGES.merged),
    unchanged: { visits, pageviews, visitors },
  };
}

function compileSetting(setting: TriedSetting): (page: string) => string {
  if ('pageRules' in setting) return compilePageRules(setting.pageRules);
  const excluded = compileExcludedParameters(setting.excludedParams);
  return (page) => pageWithout(page, excluded);
}

async function allPages(
  { values }: Pick<StatisticsRepository, 'values'>,
  query: StatisticsQuery,
): Promise<readonly ValueTotals[]> {
  const pages = [await values(query, 'page', MAX_VALUES)];
  for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next) {
    pages.push(await values(query, 'page', MAX_VALUES, next));
  }
  return pages.flatMap(({ rows }) => rows);
}

/** A stored page as it would be collected; one that no tracker has sent stays as it is. */
function pageWithout(page: string, excluded: ReturnType<typeof compileExcludedParameters>): string {
  const url = page.startsWith('/') ? readWebUrl(`https://page.invalid${page}`) : undefined;
  return url === undefined ? page : readPageUrl(url, excluded).page;
}
