import { sql } from 'kysely';
import type { Transaction } from '../../connection/transaction.ts';
import { readDayHits } from '../book/read-day-hits.ts';
import { chosenDays, readBatches } from '../book/waiting-hits.ts';
import { createDayHits, type DayHits } from '../columns/day-hits.ts';
import type { Turns } from '../turns.ts';
import { splitDays } from '../website-days.ts';
import { type CountedHits, createCountedHits } from './counted-hits.ts';
import type { KnownDay, LookedAtDays, NotedDay } from './looked-at.ts';
import { isAfter, isIn, type Moment } from './moment.ts';

/** Days of a website. */
export interface DaysToCount {
  /** A bigint, as the driver writes it. */
  readonly websiteNumber: string;
  /** Of the snapshot. */
  readonly moment: Moment;
  readonly days: readonly NotedDay[];
  /** The rules by which pages are shown. */
  readonly pageRules: readonly string[];
}

/** The days that are counted from their hits, which this process caches. */
export interface OpenDays {
  /** Yields the hits of these days. None is read elsewhere until the next one is requested. */
  read(transaction: Transaction, days: DaysToCount, turns: Turns): AsyncIterable<CountedHits>;
}

/**
 * A read has to begin again with another snapshot: the hits of a later moment than its own are cached, or another one reads hits of
 * the website, for which it must not wait within a transaction.
 */
export class BeginAgain extends Error {
  /** Resolves when it may. */
  readonly ready: Promise<void>;

  constructor(ready: Promise<void> = Promise.resolve()) {
    super('A read of statistics has to begin again.');
    this.ready = ready;
  }
}

/** How many hits are read at once, of several small days. */
const MAX_HITS = 100_000;

/** @param cache of the days */
export function createOpenDays(cache: LookedAtDays['open']): OpenDays {
  /** The websites whose hits are being read. */
  const reading = new Map<string, Promise<void>>();

  return {
    async *read(transaction, { websiteNumber, moment, days, pageRules }, turns) {
      const leave = enter(reading, websiteNumber);
      const keyOf = ({ day }: NotedDay) => [websiteNumber, day, ...pageRules].join(' ');
      try {
        const found = days.map((day) => ({ day, known: cache.get(keyOf(day)) }));
        const later = found.filter(({ day, known }) => known && !isSame(day, known) && !isIn(known.moment, moment));
        if (later.some(({ known }) => known?.moment.server === moment.server)) throw new BeginAgain();
        const left: NotedDay[] = [];
        for (const { day, known } of found) {
          if (known === undefined || known.moment.server !== moment.server || known.rewrittenIn !== day.rewrittenIn) {
            left.push(day);
            continue;
          }
          if (known.hits !== day.hits) {
            // If reading fails, it has a part of the new hits.
            cache.delete(keyOf(day));
            if (!(await extend(transaction, websiteNumber, known, day, turns))) {
              left.push(day);
              continue;
            }
            cache.set(keyOf(day), { ...known, ...day, moment });
          }
          yield known.counted;
        }
        for (const part of splitDays(left, MAX_HITS)) {
          for (const [day, hits] of await readDays(transaction, websiteNumber, part)) {
            const counted = createCountedHits(hits, pageRules);
            const known = { ...day, moment, counted };
            cache.set(keyOf(day), known);
            yield counted;
            // Its answers take memory, too.
            cache.set(keyOf(day), known);
          }
        }
      } finally {
        leave();
      }
    },
  };
}

function isSame(day: NotedDay, known: NotedDay): boolean {
  return day.hits === known.hits && day.rewrittenIn === known.rewrittenIn;
}

/**
 * Adds the hits that came since, from the batches that the journal still has. Returns whether they are as many as were noted.
 */
async function extend(
  transaction: Transaction,
  websiteNumber: string,
  { moment, counted, hits: before }: KnownDay,
  { day, hits }: NotedDay,
  turns: Turns,
): Promise<boolean> {
  const isChosen = sql`${isAfter(moment)} and website_numbers @> array[${sql.lit(websiteNumber)}::bigint]`;
  const isOfDay = chosenDays([{ websiteNumber, day }]);
  const added = await counted.extend(turns, (add) =>
    readBatches(transaction, isChosen, isOfDay, ({ hit }) => add(hit)),
  );
  return added === hits - before;
}

/** Reads the hits of these days. */
async function readDays(
  transaction: Transaction,
  websiteNumber: string,
  days: readonly NotedDay[],
): Promise<readonly (readonly [NotedDay, DayHits])[]> {
  const read = await readDayHits(
    transaction,
    days.map(({ day }) => ({ websiteNumber, day })),
  );
  const byDay = new Map(read.map(({ hits }) => [hits.day, hits]));
  return days.map((noted) => [noted, byDay.get(noted.day) ?? createDayHits(noted.day)]);
}

/** Returns a function that lets others enter again. Throws if somebody is in there. */
function enter(entered: Map<string, Promise<void>>, key: string): () => void {
  const before = entered.get(key);
  if (before !== undefined) throw new BeginAgain(before);
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  entered.set(key, left);
  return () => {
    entered.delete(key);
    leave();
  };
}
