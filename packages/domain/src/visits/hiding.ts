import type { Day, Period } from '../calendar/days.ts';
import type { FilterSet, VisitSet } from './filters.ts';

/** A rule that hides visits: those of its days that its filters choose (cleanups.md). */
export interface HidingRule extends FilterSet {
  /** Of the cleanup. */
  readonly id: string;
  /** The first day; `null` where there is none. */
  readonly from: Day | null;
  /** The last day; `null` where there is none. */
  readonly to: Day | null;
}

/** Which visits a read counts in addition to those that are not hidden: the hidden ones too, or only these. */
export const HIDDEN = ['include', 'only'] as const;
export type Hidden = (typeof HIDDEN)[number];

/** Whether a rule is about visits of this day. */
export function isOnDay({ from, to }: Pick<HidingRule, 'from' | 'to'>, day: Day): boolean {
  return (from === null || from <= day) && (to === null || day <= to);
}

/** The rules that are about a day of the period. */
export function rulesOfPeriod<Rule extends Pick<HidingRule, 'from' | 'to'>>(
  rules: readonly Rule[],
  period: Period,
): readonly Rule[] {
  return rules.filter(({ from, to }) => (from === null || from <= period.to) && (to === null || period.from <= to));
}

/** The sets by which an engine chooses the visits of a query: its filters, and one that leaves out what it does not ask for. */
export function chosenSets(
  filters: readonly VisitSet[],
  rules: readonly HidingRule[],
  hidden: Hidden | undefined,
): readonly VisitSet[] {
  if (hidden === 'include' || (hidden === undefined && rules.length === 0)) return filters;
  return [...filters, hidingSet(rules, hidden === undefined)];
}

/** Chooses the visits that any of the rules hides; all others with `isNegated`. */
export function hidingSet(rules: readonly HidingRule[], isNegated: boolean): VisitSet {
  return { match: 'all', filters: [{ kind: 'hidden', isNegated, rules }] };
}
