import type { FunnelContent } from '../definitions/definition.ts';
import type { CountedGoal, GoalNumbers, StepNumbers } from '../engine/goal-reads.ts';
import type { StatisticsQuery, StatisticsReads } from '../engine/statistics-repository.ts';
import { ratio } from './show-statistics.ts';

/** The numbers of a goal (api.md, "Statistics"). */
export interface ShownGoal extends GoalNumbers {
  /** Visitors of the goal of all visitors, 4 decimals; `null` if there are none. */
  readonly conversionRate: number | null;
}

/** The numbers of goals, in their order. Rates are of the days with hits. */
export async function showGoals(
  { statistics }: { readonly statistics: Pick<StatisticsReads, 'goals' | 'totals'> },
  query: StatisticsQuery,
  goals: readonly CountedGoal[],
): Promise<ShownGoal[]> {
  if (goals.length === 0) return [];
  const [numbers, { visitors }] = await Promise.all([
    statistics.goals(query, goals),
    statistics.totals({ ...query, onlyHits: true }),
  ]);
  return ratedGoals(numbers, visitors);
}

/** The numbers of goals with their rates. `visitors` come from the same query. */
export function ratedGoals(numbers: readonly GoalNumbers[], visitors: number): ShownGoal[] {
  return numbers.map((goal) => ({ ...goal, conversionRate: ratio(goal.visitors, visitors, 4) }));
}

/** A step of a funnel. Ratios are of visits, with 4 decimals; `null` if there is nothing to divide by. */
export interface ShownStep extends StepNumbers {
  readonly name: string;
  readonly ofFirst: number | null;
  readonly ofPrevious: number | null;
}

/** The numbers of the steps of a funnel, in their order. */
export async function showFunnel(
  { statistics }: { readonly statistics: Pick<StatisticsReads, 'funnel'> },
  query: StatisticsQuery,
  { steps, isStrict = false }: FunnelContent,
): Promise<ShownStep[]> {
  const numbers = await statistics.funnel(query, { steps: steps.map(({ rule }) => rule), isStrict });
  const visitsOf = (index: number) => numbers[Math.max(index, 0)]?.visits ?? 0;
  return steps.map(({ name }, index) => ({
    name,
    visits: visitsOf(index),
    visitors: numbers[index]?.visitors ?? 0,
    ofFirst: ratio(visitsOf(index), visitsOf(0), 4),
    ofPrevious: ratio(visitsOf(index), visitsOf(index - 1), 4),
  }));
}
