import type { Day } from '../calendar/days.ts';
import type { Dimension } from '../hits/dimensions.ts';
import type { FunnelRules } from '../visits/conversions.ts';
import type { HitRule } from '../visits/rules.ts';

/** A goal to be counted. */
export interface CountedGoal {
  readonly id: string;
  readonly rule: HitRule;
  /** The property of its events that is added up, if any. */
  readonly sum: string | null;
}

/** The numbers of a goal: visits with a conversion, their visitors, and the hits that fulfil its rule. */
export interface GoalNumbers {
  readonly visitors: number;
  readonly visits: number;
  readonly conversions: number;
  /** A decimal with two places; `null` where the goal adds nothing up. */
  readonly sum: string | null;
  /** The days that have some, in order of time. */
  readonly days: readonly DayConversions[];
}

/** The conversions of a day. */
export interface DayConversions {
  readonly day: Day;
  readonly conversions: number;
}

/** How many visits reach a step of a funnel, and their visitors. */
export interface StepNumbers {
  readonly visits: number;
  readonly visitors: number;
}

/** How conversions are grouped: not at all, by interval, or by the values of a dimension or of a property of an event. */
export type ConversionsBy = 'total' | 'day' | 'hour' | Dimension | EventProperty;

/** A property of the events with this name. */
export interface EventProperty {
  readonly event: string;
  readonly property: string;
}

/** The visits of a group that have a conversion. An hour has the visits that begin in it. */
export interface ConvertedRow {
  /** The day, the start of the hour, or the value; `null` if there is none or rows are not grouped. */
  readonly key: Day | Date | string | null;
  readonly visitors: number;
  /** All conversions of these visits. */
  readonly conversions: number;
}

/**
 * Reads goals and funnels, as far as raw hits are stored. They are rules, so new and changed ones count the past as well.
 */
export interface GoalReads<Query> {
  /** One result for each goal, in their order. */
  goals(query: Query, goals: readonly CountedGoal[]): Promise<readonly GoalNumbers[]>;

  /** One result for each step, in their order; they never rise. */
  funnel(query: Query, funnel: FunnelRules): Promise<readonly StepNumbers[]>;

  /**
   * The groups that have a conversion, in any order.
   *
   * @param values the requested values of a dimension or property; all if absent
   */
  conversions(
    query: Query,
    goal: CountedGoal,
    by: ConversionsBy,
    values?: readonly (string | null)[],
  ): Promise<readonly ConvertedRow[]>;
}
