import { COUNT_LIMIT } from '@hitherto/domain';
import { type Results, samplesOf } from '../results.ts';
import type { Sample } from '../rounds.ts';
import { spreadOf } from '../spread.ts';
import { mostMemory, worstOfMany, worstSearch, worstTotal } from './worst.ts';

const NOT_KNOWN = 'unknown.';

const BY_HAND =
  'The times and blocks of the parts were measured by hand, with EXPLAIN (analyze, buffers), once each, on a database filled by the benchmark.';

/** Why a show is not faster than on a server that does nothing but two queries. */
function showAgainstBare(results: Results): string {
  const median = (variant: Sample['variant'], pick: (sample: Sample) => number | undefined) =>
    spreadOf(samplesOf(results, 'show', variant).map((sample) => pick(sample) ?? Number.NaN)).median.toFixed();
  const [ours, bares] = (['hitherto', 'bare'] as const).map((variant) => ({
    node: median(variant, ({ nodeCpu }) => nodeCpu),
    database: median(variant, ({ databaseCpu }) => databaseCpu),
  }));
  return `bare has no logging, metrics, limits, validation or routing. Hitherto's cache of keys saves one of the two queries: its database takes ${ours?.database} µs a request instead of ${bares?.database}. Its process takes ${ours?.node} µs instead of ${bares?.node}, and no function has more than a tenth of that in a profile; writing to sockets comes first, garbage collection second.`;
}

/** Why a figure can miss its target, by the name of the figure. The report uses a reason only if the target is missed. */
const REASONS: Readonly<Record<string, (results: Results) => string | undefined>> = {
  'create, against as usually written': () =>
    'both variants wait for the same disk and fill the same indexes, which is most of the cost of a create; only the rest can differ. With batching it was 2.4 ×, but [creates are not batched](decisions/0005-no-batching-of-creates.md).',

  'show, requests/s against bare': showAgainstBare,
  'show, node CPU per request against bare': showAgainstBare,

  'show with a matching If-None-Match, against show': () =>
    'a match saves only the body, because the website has to be read to know that it matches. The difference is within the spread.',

  'update, against as usually written': () =>
    'both variants read the website, wait for the same disk and change the same indexes; only the rest can differ.',

  'search at 1 M: rare term': () =>
    'each trigram of the term has a posting list in the index, across all accounts; the longest of them are read in part.',

  'search at 1 M: any term of 3 or more': (results) =>
    worstSearch(results, 'rare', 'term')?.request === 'search: term of a tenth, sorts late'
      ? `the slowest is the term that is in a tenth of the urls and sorts late. The trigram index finds its 100,000 matches (30 to 60 ms); they are read from 19,000 blocks of the table and compared (66 to 108 ms), then sorted and counted (30 to 50 ms). Separate scans for counting and sorting took as long (104 + 44 ms), and so did window functions (150 ms) and two parallel workers (170 ms instead of 172). Walking the list in order is fast only if matches come early. ${BY_HAND}`
      : undefined,

  'search at 1 M: 1 or 2 characters': (results) => {
    const worst = worstSearch(results, '1', '2');
    return (
      worst &&
      `the slowest is "${worst.request}". So short a term has no trigram: if few websites match, all 1,000,000 are compared in turn, at ${(worst.p50 / 1000).toFixed(2)} µs each. An index of single characters and pairs would find them at once, at the cost of more disk and more work for each create.`
    );
  },

  'total without search, capped at 10,000': (results) => {
    const worst = worstTotal(results);
    if (worst === undefined) return undefined;
    const { countMs, countBuffers } = worst.firstPage;
    const entries = Math.min(worst.websites, COUNT_LIMIT + 1);
    return `PostgreSQL counts ${entries.toLocaleString('en')} entries of the primary key from ${countBuffers} blocks of the index, without reading the table. What remains is its time per entry, here ${((countMs * 1000) / entries).toFixed(2)} µs.`;
  },

  '1 M websites over 1,000 accounts: any request, p50': (results) => {
    const worst = worstOfMany(results);
    return worst?.request.startsWith('search: ')
      ? `the slowest is "${worst.request}". A search compares all 1,000 websites of the account in one statement. The statement is planned for its term, so that the plan of a rare term is never used for a frequent one: about 0.4 ms of planning, 2.5 ms of comparing and counting, the rest in transit. A cached plan made no measurable difference. ${BY_HAND}`
      : undefined;
  },

  'memory of the API process under load, the most after any round': (results) => {
    const most = mostMemory(results);
    return (
      most &&
      `the peak came after a round of "${most.operation}": at full load the garbage collector has not freed all memory yet. A lower heap limit would reduce the peak, but the process would end whenever it needs more.`
    );
  },
};

/** Why a figure misses its target, if this result explains it. */
export function reasonOf(figure: string, results: Results): string {
  return REASONS[figure]?.(results) ?? NOT_KNOWN;
}
