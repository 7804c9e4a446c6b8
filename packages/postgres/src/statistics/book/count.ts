import type { GoalRules, VisitSet } from '@hitherto/domain/visits';
import type { Transaction } from '../../connection/transaction.ts';
import { compileChoice } from '../columns/choose.ts';
import type { Counter } from '../columns/counter.ts';
import { NO_CACHE } from '../columns/known-parts.ts';
import { showPages } from '../columns/show-pages.ts';
import type { Turns } from '../turns.ts';
import { type BookedDays, readColumns } from './read.ts';

/** The visits of these days that all sets of filters choose. */
export interface Scope extends BookedDays {
  readonly filters: readonly VisitSet[];
  /** The goals that filters name. */
  readonly goals: GoalRules;
}

/**
 * Counts the chosen visits of days in the book, in order of the days.
 *
 * @param known parts of days that are cached
 */
export async function countColumns(
  transaction: Transaction,
  scope: Scope,
  counters: readonly Counter<unknown>[],
  turns: Turns,
  known = NO_CACHE,
): Promise<void> {
  if (scope.days.length === 0 || counters.length === 0) return;
  const { columns, choose } = compileChoice(scope.filters, scope.goals);
  const names = [...columns, ...counters.flatMap((counter) => counter.columns)];
  for await (const part of readColumns(transaction, scope, names, known)) {
    turns.begin();
    const visits = showPages(part, scope.pageRules);
    const chosen = await choose(visits, turns.pass);
    for (const counter of counters) {
      counter.add(visits, chosen, 1);
      await turns.pass();
    }
    await turns.end();
  }
}
