import { setImmediate as nextTurn } from 'node:timers/promises';
import { standalone } from '../base/remembered.ts';
import { storedText } from '../base/stored-text.ts';
import { addDays, type Day, isDay } from '../calendar/days.ts';
import { OTHER_VALUES } from '../hits/dimensions.ts';
import type { HitLookups } from '../hits/hit.ts';
import { type DaySum, MAX_VALUES_PER_IMPORTED_DAY, type SumKind } from '../visits/day-sum.ts';
import { areVisitorsAtMost, GAPS, sumTotals, type Totals } from '../visits/totals.ts';
import { InvalidFile } from './errors.ts';
import type { ImportCounts } from './import.ts';
import type { SumContent, SumRow } from './import-content.ts';
import type { DayJudge } from './judge-row.ts';
import { type ContentReader, type ReadRowsOptions, ROWS_PER_TURN } from './read-rows.ts';
import { countSkipped, placeOf } from './skipped-rows.ts';

/** How many sums are passed on in one piece. */
const BATCH = 5_000;
/** How many days a website may be ahead of UTC. */
const DAYS_AHEAD = 1;

interface ReadSumsOptions extends Pick<ReadRowsOptions, 'keepGoing' | 'signal'> {
  readonly judge: DayJudge;
  readonly lookups: Pick<HitLookups, 'sourceNamed'>;
  readonly now: Date;
  /** Gets the sums that count, in batches. */
  readonly onSums: (sums: readonly DaySum[]) => Promise<void>;
}

/**
 * Reads a file of sums of days. Rows with the same day, kind and value are added up: then there are at most as many visitors, and
 * never more than on the whole day.
 */
export function createSumReader(
  content: SumContent,
  { judge, keepGoing, signal, onSums, lookups, now }: ReadSumsOptions,
): ContentReader {
  /** The visitors of each day. */
  const days = new Map<Day, number>();
  const skipped = countSkipped();
  const lastDay = addDays(now.toISOString().slice(0, 10), DAYS_AHEAD);
  /** Our names of sources; those on no list stay as they are. */
  const nameOf = (content: string | null) => content && (lookups.sourceNamed(content) ?? content);
  let last: { readonly day: Day; readonly verdict: ReturnType<DayJudge['leavesOut']> } | undefined;
  /** The day whose rows are being read. */
  let open: OpenDay | undefined;
  let rows = 0;
  let hits = 0;

  const counts = (): ImportCounts => {
    const sorted = [...days.keys()].sort();
    return {
      from: sorted[0] ?? null,
      to: sorted.at(-1) ?? null,
      hits,
      days: sorted.length,
      rows,
      share: content.share(),
      skipped: skipped.result(),
      sums: content.dimensions,
    };
  };

  /** Whether a row counts; notes why it does not. */
  const isCounted = (row: SumRow): boolean => {
    const { day, sums } = row;
    const reason = row.skipped ?? verdictOf(day) ?? orphaned(day, sums);
    if (reason !== undefined) {
      skipped.add(reason.reason, row, reason.text);
      return false;
    }
    judge.rejectOverlap(day);
    return true;
  };

  /** Rows of a day come together, so the last verdict is most often the one of the next row. */
  const verdictOf = (day: Day) => {
    if (last?.day !== day) last = { day, verdict: faultOf(day) ?? judge.leavesOut(day) };
    return last.verdict;
  };

  const faultOf = (day: Day) => {
    if (!isDay(day)) return { reason: 'faulty', text: storedText('notDay', day.slice(0, 40)) } as const;
    return day > lastDay ? ({ reason: 'faulty', text: storedText('futureDay', day) } as const) : undefined;
  };

  const orphaned = (day: Day, sums: SumRow['sums']) => {
    const isKnown = days.has(day) || (open?.day === day && open.total !== undefined);
    // Events alone do not say who came.
    const isOfDay = sums.some(
      ({ kind, numbers }) => kind === 'total' && (numbers.visitors > 0 || numbers.events === 0),
    );
    if (isKnown || isOfDay) return undefined;
    return { reason: 'faulty', text: storedText('noWholeDay', day) } as const;
  };

  return {
    counts,

    async read() {
      const known = new Set<string>();
      let batch: DaySum[] = [];
      const close = async () => {
        if (open === undefined) return;
        const { total } = open;
        if (total !== undefined) {
          days.set(open.day, (days.get(open.day) ?? 0) + total.visitors);
          hits += total.pageviews + total.events;
        }
        for (const sum of open.sums(days.get(open.day) ?? 0)) {
          batch.push(sum);
          if (batch.length < BATCH) continue;
          await onSums(batch);
          batch = [];
        }
        open = undefined;
      };
      for await (const piece of content.sumRows()) {
        await nextTurn();
        signal.throwIfAborted();
        for (const row of piece) {
          rows += 1;
          if (rows % ROWS_PER_TURN === 0) {
            await nextTurn();
            signal.throwIfAborted();
          }
          if (!isCounted(row)) continue;
          const { table, day } = row;
          if (open?.table !== table || open.day !== day) {
            await close();
            const key = `${table} ${day}`;
            if (known.has(key)) {
              throw new InvalidFile(storedText('unsorted', placeOf(row), day));
            }
            known.add(key);
            open = createOpenDay(table, day);
          }
          for (const { kind, value, numbers } of row.sums) {
            open.add(kind, kind === 'source' ? nameOf(value) : value, numbers);
          }
        }
      }
      signal.throwIfAborted();
      if (!keepGoing) skipped.rejectFaults(rows);
      await close();
      if (batch.length > 0) await onSums(batch);
      return undefined;
    },
  };
}

/** A day of a table whose rows are being read. */
interface OpenDay {
  readonly table: string;
  readonly day: Day;
  readonly total: Totals | undefined;
  add(kind: SumKind, value: string | null, numbers: Totals): void;
  /** @param visitors of the whole day */
  sums(visitors: number): Iterable<DaySum>;
}

/** The bytes that the values of a day may take before and after the rare ones are added up. */
const MAX_HELD = { before: 64 * 2 ** 20, after: 48 * 2 ** 20 } as const;

/** About the bytes that a value takes with its numbers. */
function bytesOf(value: string | null): number {
  return 200 + 2 * (value?.length ?? 0);
}

function createOpenDay(table: string, day: Day): OpenDay {
  const kinds = new Map<SumKind, Map<string | null, Totals>>();
  let held = 0;

  const foldEarly = () => {
    held = 0;
    for (const [kind, values] of kinds) {
      const kept = new Map(folded(values));
      kinds.set(kind, kept);
      for (const value of kept.keys()) held += bytesOf(value);
    }
    if (held <= MAX_HELD.after) return;
    throw new InvalidFile(storedText('manyValues', table, day));
  };

  return {
    table,
    day,
    get total() {
      return kinds.get('total')?.get(null);
    },

    add(kind, value, numbers) {
      const values = kinds.get(kind) ?? new Map<string | null, Totals>();
      kinds.set(kind, values);
      const before = values.get(value);
      if (before !== undefined) {
        values.set(value, merged([before, numbers]));
        return;
      }
      values.set(value === null ? null : standalone(value), numbers);
      held += bytesOf(value);
      if (held > MAX_HELD.before) foldEarly();
    },

    *sums(visitors) {
      for (const [kind, values] of kinds) {
        for (const [value, numbers] of folded(values)) {
          const capped = areVisitorsAtMost(numbers) ? Math.min(numbers.visitors, visitors) : numbers.visitors;
          yield { ...numbers, visitors: capped, day, kind, value };
        }
      }
    },
  };
}

/** Of several values, a visitor can have had more than one. */
function merged(numbers: readonly Totals[]): Totals {
  const sum = sumTotals(numbers);
  const isCertain = numbers.filter(({ visitors }) => visitors > 0).length <= 1;
  return isCertain ? sum : { ...sum, gaps: (sum.gaps ?? 0) | GAPS.visitorsAtMost };
}

/** The values, the rare ones of very many added up. */
function folded(values: ReadonlyMap<string | null, Totals>): Iterable<readonly [string | null, Totals]> {
  if (values.size <= MAX_VALUES_PER_IMPORTED_DAY) return values;
  // The value that the file itself calls other is part of the rest.
  const ofRest = ([value]: readonly [string | null, Totals]) => (value === OTHER_VALUES ? 1 : 0);
  const sorted = [...values].sort((a, b) => ofRest(a) - ofRest(b) || b[1].visitors - a[1].visitors);
  const rest = sorted.slice(MAX_VALUES_PER_IMPORTED_DAY).map(([, numbers]) => numbers);
  return [...sorted.slice(0, MAX_VALUES_PER_IMPORTED_DAY), [OTHER_VALUES, merged(rest)]];
}
