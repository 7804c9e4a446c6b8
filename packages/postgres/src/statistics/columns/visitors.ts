import { add, type Chosen, type Counter, createTally } from './counter.ts';
import type { Grouping, Groups } from './grouping.ts';
import type { VisitColumns } from './visit-columns.ts';

/** The numbers of a group in a short list: its visitors, and its hits if it is a group of hits. */
export interface VisitorNumbers {
  readonly visitors: number;
  readonly hits: number;
}

const VISITORS = 0;
const HITS = 1;
const WIDTH = 2;

/** Counts the visitors of chosen visits by group. It takes a fraction of the time of `countTotals`. */
export function countVisitors<Key>({ columns, groupsOf }: Grouping<Key>): Counter<ReadonlyMap<Key, VisitorNumbers>> {
  const tally = createTally<Key>(WIDTH);
  return {
    columns: ['repeats', ...columns],
    add(visits, chosen, sign) {
      const groups = groupsOf(visits);
      tally.add(groups.keys, (groups.per === 'visit' ? ofVisits : ofHits)(visits, chosen, groups), sign);
    },
    include(result) {
      const numbers = Array.from(result.values(), ({ visitors, hits }) => [visitors, hits]);
      tally.add([...result.keys()], Float64Array.from(numbers.flat()));
    },
    result: () =>
      new Map(Array.from(tally.rows(), ([key, [visitors = 0, hits = 0]]) => [key, { visitors, hits }] as const)),
  };
}

function ofVisits<Key>(visits: VisitColumns, chosen: Chosen, { keys, codes }: Groups<Key>): Float64Array {
  const visitors = visits.visitors();
  const sums = new Float64Array(keys.length * WIDTH);
  const lastVisitors = new Uint32Array(keys.length);
  for (const visit of chosen) {
    const code = codes[visit] ?? 0;
    const visitor = visitors[visit] ?? 0;
    if (lastVisitors[code] !== visitor) add(sums, code * WIDTH + VISITORS, 1);
    lastVisitors[code] = visitor;
  }
  return sums;
}

function ofHits<Key>(visits: VisitColumns, chosen: Chosen, { keys, codes }: Groups<Key>): Float64Array {
  const [hits, starts, visitors] = [visits.numbers('hits'), visits.starts(), visits.visitors()];
  const sums = new Float64Array(keys.length * WIDTH);
  const lastVisitors = new Uint32Array(keys.length);
  for (const visit of chosen) {
    const visitor = visitors[visit] ?? 0;
    const end = starts[visit + 1] ?? 0;
    for (let hit = starts[visit] ?? 0; hit < end; hit += 1) {
      const code = codes[hits[hit] ?? 0] ?? 0;
      if (code === 0) continue;
      add(sums, code * WIDTH + HITS, 1);
      if (lastVisitors[code] !== visitor) add(sums, code * WIDTH + VISITORS, 1);
      lastVisitors[code] = visitor;
    }
  }
  return sums;
}
