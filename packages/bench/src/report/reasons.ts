import { COUNT_LIMIT } from '@hitherto/domain';
import type { Results } from '../results.ts';
import { mostMemory, worstOfMany, worstSearch, worstTotal } from './worst.ts';

const NOT_KNOWN = 'not known.';

const BY_HAND =
  'The times and blocks of parts in this explanation were taken by hand, with EXPLAIN (analyze, buffers), once each, on a database as the benchmark fills it.';

/** Why a figure may miss its target, by the figure's name; told only where it does. */
const REASONS: Readonly<Record<string, (results: Results) => string | undefined>> = {
  'store, against as usually written': () =>
    'both variants wait for the same disk and fill the same indexes, which is most of what a store costs; only the rest can differ.',

  'search at 1 M: rare term': () =>
    'each trigram of the term has a list in the index, over all accounts; the longest of them are read in part.',

  'search at 1 M: any term of 3 or more': (results) =>
    worstSearch(results, 'rare', 'term')?.request === 'search: term of a tenth, sorts late'
      ? `the worst is the term that is in a tenth of the urls and sorts late. Its 100,000 matches are found by the trigram index (30 to 60 ms), read from 19,000 blocks of the table and compared (66 to 108 ms), then kept to be sorted and counted (30 to 50 ms). To count and to sort in scans of their own took as long (104 + 44 ms), and so did window functions (150 ms) and two parallel workers (170 ms against 172). A walk in the order of the list is quick only where matches come early. ${BY_HAND}`
      : undefined,

  'search at 1 M: 1 or 2 characters': (results) => {
    const worst = worstSearch(results, '1', '2');
    return (
      worst &&
      `the worst is "${worst.request}". So short a text has no trigram: where few match, all 1,000,000 websites are looked at in turn, which comes to ${(worst.p50 / 1000).toFixed(2)} µs each. An index of single and paired characters would find them at once, for more room on the disk and more work for each store.`
    );
  },

  'total without search, capped at 10,000': (results) => {
    const worst = worstTotal(results);
    if (worst === undefined) return undefined;
    const { countMs, countBuffers } = worst.firstPage;
    const entries = Math.min(worst.websites, COUNT_LIMIT + 1);
    return `${entries.toLocaleString('en')} entries of the primary key are counted, from ${countBuffers} blocks of the index alone without a visit to the table: what remains is the time that PostgreSQL takes for an entry, here ${((countMs * 1000) / entries).toFixed(2)} µs.`;
  },

  '1 M websites over 1,000 accounts: any request, p50': (results) => {
    const worst = worstOfMany(results);
    return worst?.request.startsWith('search: ')
      ? `the worst is "${worst.request}". A search looks at all 1,000 websites of the account, in one statement that is planned for its text, so that no plan for a rare text is used for a frequent one: about 0.4 ms of planning, 2.5 ms of looking and counting, the rest on the way. A kept plan saved nothing that could be measured. ${BY_HAND}`
      : undefined;
  },

  'memory of the API process under load, the most after any round': (results) => {
    const most = mostMemory(results);
    return (
      most &&
      `it was the most after a round of "${most.operation}", and is what the collector has not yet freed at full load. A lower limit to the heap would hold it down and end the process where a moment needs more.`
    );
  },
};

/** Why a figure misses its target, as far as that is known of this result. */
export function reasonOf(figure: string, results: Results): string {
  return REASONS[figure]?.(results) ?? NOT_KNOWN;
}
