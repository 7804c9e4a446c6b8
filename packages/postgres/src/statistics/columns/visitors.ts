import { add, type Chosen, type Counter, createTally, type Tallied } from './counter.ts';
import type { Grouping, Groups } from './grouping.ts';
import type { VisitColumns } from './visit-columns.ts';

/** The numbers of a group in a short list: its visitors, and its hits if it is a group of hits. */
export const VISITOR_NUMBERS = ['visitors', 'hits'] as const;
export type VisitorNumber = (typeof VISITOR_NUMBERS)[number];

const VISITORS = 0;
const HITS = 1;
const WIDTH = VISITOR_NUMBERS.length;

/** Counts the visitors of chosen visits by group. It takes a fraction of the time of `countTotals`. */
export function countVisitors<Key>({ columns, groupsOf }: Grouping<Key>): Counter<Tallied<Key, VisitorNumber>> {
  const tally = createTally<Key, VisitorNumber>(VISITOR_NUMBERS);
  return {
    columns: ['repeats', ...columns],
    add(visits, chosen, sign) {
      const groups = groupsOf(visits);
      tally.add(groups.keys, (groups.per === 'visit' ? ofVisits : ofHits)(visits, chosen, groups), sign);
    },
    include: tally.include,
    result: tally.result,
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
