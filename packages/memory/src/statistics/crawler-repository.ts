import { compareBytes, groupBy } from '@hitherto/domain/base';
import {
  type CrawlerHits,
  type CrawlerRepository,
  type CrawlerSums,
  MAX_CRAWLER_VALUES,
  OTHER_VALUES,
} from '@hitherto/domain/hits';
import type { CrawlerSum, EngineState, JournalState } from './state.ts';

/** The sums of crawlers in `state`. */
export function createCrawlerRepository(
  state: JournalState,
  { imports }: Pick<EngineState, 'imports'>,
  isKnown: (websiteId: string) => boolean,
): CrawlerRepository {
  const between = (websiteId: string, from: string, to: string) => {
    if (!isKnown(websiteId)) return [];
    const done = [...imports.values()].filter(({ imported }) => imported.status === 'done');
    const all = [...state.crawled, ...done.flatMap(({ crawled }) => crawled)];
    return all.filter((row) => row.websiteId === websiteId && from <= row.day && row.day <= to);
  };

  return {
    add(crawled) {
      if (isKnown(crawled.websiteId)) state.crawled = [...state.crawled, ...sumsOf(crawled)];
    },

    async byDay(websiteId, from, to) {
      const rows = between(websiteId, from, to).filter(({ list }) => list === 'operator');
      return [...groupBy(rows, ({ day }) => day)]
        .map(([day, ofDay]) => ({ day, ...sumUp(ofDay) }))
        .sort((a, b) => compareBytes(a.day, b.day));
    },

    async values(websiteId, from, to, list, limit) {
      const rows = between(websiteId, from, to).filter((row) => row.list === (list === 'page' ? 'page' : 'operator'));
      const values = [...groupBy(rows, (row) => (list === 'purpose' ? row.purpose : row.value))]
        .map(([value, ofValue]) => ({ value, ...sumUp(ofValue) }))
        .sort((a, b) => b.hits - a.hits || compareBytes(a.value, b.value));
      return { rows: values.slice(0, limit), total: values.length };
    },

    async trim(from, to) {
      const isTrimmed = (day: string) => from <= day && day <= to;
      const others = state.crawled.filter(({ day }) => !isTrimmed(day));
      const trimmed = withoutRare(state.crawled.filter(({ day }) => isTrimmed(day)));
      state.crawled = [...others, ...trimmed];
      return false;
    },

    async deleteAll(websiteId) {
      state.crawled = state.crawled.filter((row) => row.websiteId !== websiteId);
    },
  };
}

/** The rows that these hits are added to: one of their operator, one of their page. */
export function sumsOf({ websiteId, day, operator, purpose, page, hits, hits4xx }: CrawlerHits): CrawlerSum[] {
  const sums = { websiteId, day, hits, hits4xx };
  return [
    { ...sums, list: 'operator', value: operator, purpose },
    { ...sums, list: 'page', value: page, purpose: '' },
  ];
}

/** The rows, with the value `(other)` for all but the most frequent values of each day and list. */
export function withoutRare(rows: readonly CrawlerSum[]): CrawlerSum[] {
  const days = groupBy(rows, ({ websiteId, day, list }) => `${websiteId} ${day} ${list}`);
  return [...days.values()].flatMap(withoutRareOfDay);
}

/** The rows of a list of one day, with the value `(other)` for all but the most frequent values. */
function withoutRareOfDay(rows: readonly CrawlerSum[]): CrawlerSum[] {
  const kept = [
    ...groupBy(
      rows.filter(({ value }) => value !== OTHER_VALUES),
      ({ purpose, value }) => `${value} ${purpose}`,
    ),
  ]
    .map(([key, ofValue]) => ({ key, ...sumUp(ofValue) }))
    .sort((a, b) => b.hits - a.hits || compareBytes(a.key, b.key))
    .slice(0, MAX_CRAWLER_VALUES);
  const keys = new Set(kept.map(({ key }) => key));
  return rows.map((row) => (keys.has(`${row.value} ${row.purpose}`) ? row : { ...row, value: OTHER_VALUES }));
}

function sumUp(rows: readonly CrawlerSums[]): CrawlerSums {
  return {
    hits: rows.reduce((sum, { hits }) => sum + hits, 0),
    hits4xx: rows.reduce((sum, { hits4xx }) => sum + hits4xx, 0),
  };
}
