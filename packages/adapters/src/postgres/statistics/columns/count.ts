import { setImmediate as otherWork } from 'node:timers/promises';
import { storableFilters, storableRule } from '../../../storable-filters.ts';
import type { Transaction } from '../../connection/transaction.ts';
import type { Scope } from '../visits/chosen-visits.ts';
import { compileChoice } from './choose.ts';
import type { Counter } from './counter.ts';
import { readColumns } from './read.ts';

/** Counts the visits that the filters of the scope choose, of days that are stored by columns. */
export async function countColumns(
  transaction: Transaction,
  scope: Scope,
  counters: readonly Counter<unknown>[],
): Promise<void> {
  if (scope.days.length === 0 || counters.length === 0) return;
  const goals = new Map([...scope.goals].map(([id, rule]) => [id, storableRule(rule)]));
  const { columns, choose } = compileChoice(scope.filters.map(storableFilters), goals);
  const names = [...columns, ...counters.flatMap((counter) => counter.columns)];
  for await (const visits of readColumns(transaction, scope, names)) {
    const chosen = choose(visits);
    for (const counter of counters) counter.add(visits, chosen);
    await otherWork();
  }
}
