import { setImmediate as otherWork } from 'node:timers/promises';
import { unavailable } from '@hitherto/domain';
import { storableFilters, storableRule } from '../../../storable-filters.ts';
import { DATABASE_TIMEOUTS } from '../../connection/timeouts.ts';
import type { Transaction } from '../../connection/transaction.ts';
import type { Scope } from '../visits/chosen-visits.ts';
import { compileChoice } from './choose.ts';
import type { Chosen, Counter } from './counter.ts';
import { readColumns } from './read.ts';
import type { VisitColumns } from './visit-columns.ts';

/** How long the process may count before other work has its turn. */
const TURN_MS = 10;
const TOO_LONG = 'Counting these visits takes too long. Choose a shorter period, fewer goals or fewer filters.';

/**
 * Counts the visits that the filters of the scope choose, of days that are stored by columns, in order of the days. It may take
 * as long as a statement.
 */
export async function countColumns(
  transaction: Transaction,
  scope: Scope,
  counters: readonly Counter<unknown>[],
): Promise<void> {
  if (scope.days.length === 0 || counters.length === 0) return;
  const goals = new Map([...scope.goals].map(([id, rule]) => [id, storableRule(rule)]));
  const takeTurns = startTurns();
  const deadline = performance.now() + DATABASE_TIMEOUTS.statisticsStatement;
  const { columns, choose } = compileChoice(scope.filters.map(storableFilters), goals, takeTurns);
  const names = [...columns, ...counters.flatMap((counter) => counter.columns)];
  for await (const visits of readColumns(transaction, scope, names)) {
    await countVisits(visits, await choose(visits), counters, takeTurns);
    await otherWork();
    if (performance.now() > deadline) throw unavailable(TOO_LONG);
  }
}

/** Counts the chosen visits of a row. */
export async function countVisits(
  visits: VisitColumns,
  chosen: Chosen,
  counters: readonly Counter<unknown>[],
  takeTurns = startTurns(),
): Promise<void> {
  for (const counter of counters) {
    counter.add(visits, chosen);
    await takeTurns();
  }
}

/** Waits for other work where the process has counted for long since it did so last. */
function startTurns(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await otherWork();
    since = performance.now();
  };
}
