import type { Definition } from '@hitherto/domain/definitions';
import { formatCount, formatDecimal, formatRate, formatShare } from '@hitherto/domain/format';
import type { ShownGoal, ShownStep } from '@hitherto/domain/reading';
import { parameterOf } from '@hitherto/domain/visits';
import { funnelCsvPath, goalsCsvPath } from '../shared/paths.ts';
import { hrefOf, type Selection, withFilter, withoutLook, withoutValue } from './selection.ts';

/** The card of the website's goals. */
export interface GoalsView {
  readonly rows: readonly GoalRow[];
  /** Whether any goal adds something up. */
  readonly hasSums: boolean;
  readonly csvHref: string;
}

export interface GoalRow extends ShownGoal {
  readonly id: string;
  readonly name: string;
  /** Filters by the goal, or removes that filter; absent if there are too many filters. */
  readonly href: string | undefined;
  readonly isFilter: boolean;
  /** Shows the rate of this goal in every list, or no longer. */
  readonly rateHref: string;
  readonly isRated: boolean;
  /** Of the row with the most visitors, 0 to 1: the length of the bar. */
  readonly bar: number;
  /** The sum as people read it; `undefined` if the goal adds nothing up. */
  readonly amount: string | undefined;
}

/** The card of the goals, in the order of their creation. `path` is the path of the statistics page. */
export function makeGoals(
  path: string,
  selection: Selection,
  goals: readonly Definition<'goal'>[],
  shown: readonly ShownGoal[],
): GoalsView {
  const most = Math.max(1, ...shown.map(({ visitors }) => visitors));
  const rows = goals.flatMap(({ id, name }, index): GoalRow[] => {
    const numbers = shown[index];
    if (numbers === undefined) return [];
    const filtered = selection.filters.find((filter) => parameterOf(filter) === 'goal');
    const isFilter = filtered?.kind === 'goal' && filtered.goals.includes(id);
    const single = { kind: 'goal', isNegated: false, goals: [id] } as const;
    const chosen = isFilter ? withoutValue(selection, single) : withFilter(selection, single);
    const isRated = selection.conversion === id;
    return [
      {
        ...numbers,
        id,
        name,
        href: chosen && hrefOf(path, chosen),
        isFilter,
        rateHref: hrefOf(path, { ...selection, conversion: isRated ? undefined : id }),
        isRated,
        bar: numbers.visitors / most,
        amount: numbers.sum === null ? undefined : formatDecimal(numbers.sum),
      },
    ];
  });
  return {
    rows,
    hasSums: rows.some(({ amount }) => amount !== undefined),
    csvHref: hrefOf(goalsCsvPath(path), withoutLook(selection)),
  };
}

/** The card of the website's funnels: one of them, with links to the rest. */
export interface FunnelsView {
  readonly tabs: readonly { readonly name: string; readonly href: string; readonly isInFront: boolean }[];
  readonly name: string;
  readonly steps: readonly StepView[];
  readonly csvHref: string;
}

export interface StepView {
  readonly name: string;
  readonly visits: number;
  readonly visitors: number;
  /** Of the first step, 0 to 1: the length of the bar. */
  readonly bar: number;
  /** Of the visits of the first step: `40 %`. */
  readonly share: string;
  /** How many visits of the step before do not reach this one; absent for the first step. */
  readonly loss: string | undefined;
}

/** The card, with the funnel `shown` in front. */
export function makeFunnels(
  path: string,
  selection: Selection,
  funnels: readonly Definition<'funnel'>[],
  shown: Definition<'funnel'>,
  steps: readonly ShownStep[],
): FunnelsView {
  return {
    tabs: funnels.map(({ id, name }) => ({
      name,
      href: `${hrefOf(path, { ...selection, funnel: id === funnels[0]?.id ? undefined : id })}#funnels`,
      isInFront: id === shown.id,
    })),
    name: shown.name,
    steps: steps.map((step, index) => ({
      name: step.name,
      visits: step.visits,
      visitors: step.visitors,
      bar: step.ofFirst ?? 0,
      share: formatRate(step.ofFirst),
      loss: lossBetween(steps[index - 1], step),
    })),
    csvHref: hrefOf(funnelCsvPath(path, shown.id), withoutLook(selection)),
  };
}

function lossBetween(before: ShownStep | undefined, step: ShownStep): string | undefined {
  if (before === undefined || before.visits === 0) return undefined;
  const lost = before.visits - step.visits;
  if (lost === 0) return 'Nobody left';
  return `${formatCount(lost)} left (${formatShare(lost / before.visits)})`;
}
