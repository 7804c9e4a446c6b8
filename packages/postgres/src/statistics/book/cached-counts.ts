import { createHash } from 'node:crypto';
import type { Day } from '@hitherto/domain/calendar';
import { LRUCache } from 'lru-cache';
import type { Transaction } from '../../connection/transaction.ts';
import type { Counter } from '../columns/counter.ts';
import { NO_CACHE } from '../columns/known-parts.ts';
import type { Question } from '../columns/question.ts';
import type { Turns } from '../turns.ts';
import { countColumns, type Scope } from './count.ts';

/** Counts the days of the scope. Returns the results of the days for each question. */
export type CountDays<Result> = (
  transaction: Transaction,
  scope: Scope,
  questions: readonly Question<Result>[],
  turns: Turns,
) => Promise<readonly (readonly Result[])[]>;

/** How many results are cached: enough for 50 goals on 400 days. Each takes less than a kilobyte. */
const MAX_RESULTS = 20_000;

/**
 * Counts as `countColumns` does, and caches the results of days: goals and funnels are counted whenever the page is opened,
 * and days that are over hardly ever change.
 *
 * @param parts of days that are cached
 */
export function cacheCounts<Result extends object>(parts = NO_CACHE): CountDays<Result> {
  // With `max`, it would make room for all of them at once.
  const cache = new LRUCache<string, Result>({ maxSize: MAX_RESULTS, sizeCalculation: () => 1 });

  return async (transaction, scope, questions, turns) => {
    const versions = new Map(scope.days.map(({ day, origin, version }) => [day, `${origin} ${version}`]));
    const scopeName = JSON.stringify([scope.websiteNumber, scope.filters, [...scope.goals], scope.pageRules]);
    const asked = questions.map(({ name, counter }) => {
      const digest = createHash('sha256')
        .update(scopeName)
        .update(name ?? '')
        .digest('base64');
      const keyOf = (day: Day) => `${digest} ${day} ${versions.get(day)}`;
      const known = new Map(scope.days.map(({ day }) => [day, cache.get(keyOf(day))]));
      return { keyOf, known, counter: byDay<Result>(counter) };
    });
    const days = scope.days.filter(({ day }) => asked.some(({ known }) => known.get(day) === undefined));
    let isCounted = false;
    try {
      await countColumns(
        transaction,
        { ...scope, days },
        asked.map(({ counter }) => counter),
        turns,
        parts,
      );
      isCounted = true;
    } finally {
      for (const { keyOf, counter } of asked) {
        const counted = [...counter.result()];
        // If the counting failed, the last day may lack some of its visits. The days before it need not be counted again.
        for (const [day, result] of isCounted ? counted : counted.slice(0, -1)) cache.set(keyOf(day), result);
      }
    }
    return asked.map(({ known, counter }) => {
      const counted = counter.result();
      return scope.days.map(({ day }) => counted.get(day) ?? known.get(day)).filter((result) => result !== undefined);
    });
  };
}

/** Counts each day separately. */
function byDay<Result>(counterOfDay: () => Counter<Result>): Counter<ReadonlyMap<Day, Result>> {
  const counters = new Map<Day, Counter<Result>>();
  return {
    columns: counterOfDay().columns,
    add(visits, chosen, sign) {
      const counter = counters.get(visits.day) ?? counterOfDay();
      counters.set(visits.day, counter);
      counter.add(visits, chosen, sign);
    },
    include(result) {
      for (const [day, ofDay] of result) {
        const counter = counters.get(day) ?? counterOfDay();
        counters.set(day, counter);
        counter.include(ofDay);
      }
    },
    result: () => new Map(Array.from(counters, ([day, counter]) => [day, counter.result()] as const)),
  };
}
