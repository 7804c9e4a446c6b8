import type { Period } from '@hitherto/domain/calendar';
import { formatShare, formatValue } from '@hitherto/domain/format';
import {
  type CrawlerRepository,
  type CrawlerSums,
  type CrawlerValues,
  OTHER_VALUES,
  PURPOSES,
  type Purpose,
} from '@hitherto/domain/hits';
import { shareOf4xx } from '@hitherto/domain/reading';
import { LIST_LENGTH } from './cards.ts';

/** Who crawls the website, and which pages, in a period. */
export interface CrawlersView {
  /** All purposes in a sentence: `Search 60 %, AI training 40 %`. */
  readonly purposes: string;
  readonly lists: readonly CrawlerListView[];
}

export interface CrawlerListView {
  /** As the API names it. */
  readonly list: 'operator' | 'page';
  readonly title: string;
  readonly head: string;
  readonly rows: readonly CrawlerRow[];
  readonly total: number;
}

export interface CrawlerRow extends CrawlerSums {
  readonly value: string;
  readonly label: string;
  /** Of the row with the most hits, 0 to 1: the length of the bar. */
  readonly bar: number;
  readonly share4xx: number | null;
}

const PURPOSE_NAMES: Readonly<Record<Purpose, string>> = {
  search: 'search',
  ai_training: 'AI training',
  ai_search: 'AI search',
  ai_agent: 'AI agents',
  seo: 'SEO',
  preview: 'previews',
  monitoring: 'monitoring',
  other: 'other',
};

/** The crawlers of a period, whatever the filters; `undefined` if there were none. */
export async function readCrawlers(
  crawlers: Pick<CrawlerRepository, 'values'>,
  websiteId: string,
  { from, to }: Period,
): Promise<CrawlersView | undefined> {
  const [operators, pages, purposes] = await Promise.all([
    crawlers.values(websiteId, from, to, 'operator', LIST_LENGTH),
    crawlers.values(websiteId, from, to, 'page', LIST_LENGTH),
    crawlers.values(websiteId, from, to, 'purpose', PURPOSES.length),
  ]);
  if (operators.total === 0) return undefined;
  return {
    purposes: describePurposes(purposes),
    lists: [
      { list: 'operator', title: 'Crawlers', head: 'Operator', rows: rowsOf(operators), total: operators.total },
      {
        list: 'page',
        title: 'Crawled pages',
        head: 'Page',
        rows: rowsOf(pages, (page) => formatValue('page', page)),
        total: pages.total,
      },
    ],
  };
}

function rowsOf({ rows }: CrawlerValues, format = (value: string) => value): CrawlerRow[] {
  const most = rows[0]?.hits ?? 0;
  return rows.map((row) => ({
    ...row,
    label: row.value === OTHER_VALUES ? 'All others' : format(row.value),
    bar: row.hits / most,
    share4xx: shareOf4xx(row),
  }));
}

function describePurposes({ rows }: CrawlerValues): string {
  const hits = rows.reduce((sum, row) => sum + row.hits, 0);
  const names = new Map<string, string>(Object.entries(PURPOSE_NAMES));
  const shares = rows.map((row) => `${names.get(row.value) ?? row.value} ${formatShare(row.hits / hits)}`);
  return `Purpose: ${shares.join(', ')}`;
}
