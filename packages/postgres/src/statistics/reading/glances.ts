import { type Day, daysOf } from '@hitherto/domain/calendar';
import { type DayVisitors, type Glance, type GlanceQuery, NO_GLANCE } from '@hitherto/domain/engine';
import type { Transaction } from '../../connection/transaction.ts';
import { movedAway } from '../../moved-away.ts';
import { remembered } from '../columns/visit-columns.ts';
import { toGaps } from '../summary-columns.ts';
import { countHits, type FirstHits } from './glance-hits.ts';
import { type FoundWebsite, findWebsites } from './glance-websites.ts';

/** With hidden visits, where there are any. */
interface FoundGlance extends Glance {
  readonly hasRules: boolean;
}

/**
 * Reads the glances at websites with three statements: one finds their days and numbers, the others read the hits of days without
 * numbers, of parts of days, and of now, each of them once. The cut days of the first look take another one.
 */
export async function readGlances(
  transaction: Transaction,
  queries: readonly GlanceQuery[],
  readsInactiveEngine: boolean,
  firstHits: FirstHits,
): Promise<readonly FoundGlance[]> {
  const found = await findWebsites(transaction, queries);
  if (found.some(({ isOutside }) => isOutside) && !readsInactiveEngine) throw movedAway();
  const counted = await countHits(transaction, found, queries, firstHits);
  // Most websites are asked for the same days.
  const periods = new Map<string, readonly Day[]>();
  const datesOf = ({ from, to }: GlanceQuery) => remembered(periods, `${from} ${to}`, () => daysOf(from, to));
  const glances: FoundGlance[] = queries.map(() => ({ ...NO_GLANCE, hasRules: false }));
  for (const [index, website] of found.entries()) {
    const { current = 0, cut = 0, open = [], last } = counted[index] ?? {};
    const query = queries[website.place - 1];
    const lastHit = Math.max(last ?? 0, website.lastBooked ?? 0);
    glances[website.place - 1] = {
      days: query === undefined ? [] : visitorsOfDays(website, datesOf(query), open),
      cut: website.cutHasSums ? undefined : cut,
      current,
      lastHit: last === undefined && website.lastBooked === null ? undefined : new Date(lastHit),
      firstDay: website.firstDay ?? undefined,
      hasRules: website.hasRules,
    };
  }
  return glances;
}

function visitorsOfDays(
  { numbered, visitors: ofNumbered, open, sums }: FoundWebsite,
  dates: readonly Day[],
  visitorsOfOpen: readonly number[],
): readonly DayVisitors[] {
  const visitors = new Float64Array(dates.length);
  const gaps = new Uint8Array(dates.length);
  const add = (place: number, more: number, gap = 0) => {
    visitors[place] = (visitors[place] ?? 0) + more;
    gaps[place] = (gaps[place] ?? 0) | gap;
  };
  for (const [index, after] of numbered.entries()) add(after, ofNumbered[index] ?? 0);
  for (const [index, day] of open.entries()) add(dates.indexOf(day), visitorsOfOpen[index] ?? 0);
  for (const [day, ofDay, gap] of sums) add(dates.indexOf(day), ofDay, gap);
  return dates.flatMap((day, place) => {
    const ofDay = visitors[place] ?? 0;
    return ofDay > 0 ? { day, visitors: ofDay, ...toGaps(gaps[place] ?? 0) } : [];
  });
}
