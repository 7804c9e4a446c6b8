import { setImmediate as otherWork } from 'node:timers/promises';
import { unavailable } from '@hitherto/domain/base';
import { storableFilters, storableRule } from '@hitherto/domain/visits';
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
 * as much CPU as a statement may take time; the CPU of other requests does not count.
 */
export async function countColumns(
  transaction: Transaction,
  scope: Scope,
  counters: readonly Counter<unknown>[],
): Promise<void> {
  if (scope.days.length === 0 || counters.length === 0) return;
  const goals = new Map([...scope.goals].map(([id, rule]) => [id, storableRule(rule)]));
  const turns = startTurns();
  const { columns, choose } = compileChoice(scope.filters.map(storableFilters), goals, turns.pass);
  const names = [...columns, ...counters.flatMap((counter) => counter.columns)];
  for await (const visits of readColumns(transaction, scope, names)) {
    turns.begin();
    await countVisits(visits, await choose(visits), counters, turns);
    await turns.end();
  }
}

/** Counts the chosen visits of a row. */
export async function countVisits(
  visits: VisitColumns,
  chosen: Chosen,
  counters: readonly Counter<unknown>[],
  turns = startTurns(),
): Promise<void> {
  for (const counter of counters) {
    counter.add(visits, chosen);
    await turns.pass();
  }
}

/** The turns in which a read counts. */
interface Turns {
  begin(): void;
  /** Ends the turn and begins the next one, if this one has been long. */
  pass(): Promise<void>;
  /** Lets other work have its turn. Throws `unavailable` if all turns together have been too long. */
  end(): Promise<void>;
}

function startTurns(): Turns {
  let since = performance.now();
  let before = process.cpuUsage();
  let usedMs = 0;
  const turns: Turns = {
    begin() {
      since = performance.now();
      before = process.cpuUsage();
    },
    async pass() {
      if (performance.now() - since < TURN_MS) return;
      await turns.end();
      turns.begin();
    },
    async end() {
      const { user, system } = process.cpuUsage(before);
      usedMs += (user + system) / 1_000;
      if (usedMs > DATABASE_TIMEOUTS.statisticsStatement) throw unavailable(TOO_LONG);
      await otherWork();
    },
  };
  return turns;
}
