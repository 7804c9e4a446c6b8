import { countedGoal, type Definition, type Definitions, namedGoals } from '@hitherto/domain/definitions';
import type { CountedGoal, StatisticsQuery } from '@hitherto/domain/engine';
import type { Website } from '@hitherto/domain/websites';
import type { Selection } from './selection.ts';

/** The selection without references to a segment, goal or funnel that does not exist. */
export function knownSelection(selection: Selection, { segments, goals, funnels }: Definitions): Selection {
  const isGoal = (id: string) => goals.some((goal) => goal.id === id);
  const known = (id: string | undefined, of: readonly Definition[]) => of.find((one) => one.id === id)?.id;
  return {
    ...selection,
    filters: selection.filters.filter((filter) => namedGoals([filter]).every(isGoal)),
    segment: known(selection.segment, segments),
    conversion: known(selection.conversion, goals),
    funnel: known(selection.funnel, funnels),
  };
}

/**
 * The visits that a known selection asks about.
 *
 * @param within the only visits that the viewer may see, whatever the selection
 */
export function queryOf(
  { id }: Website,
  selection: Selection,
  definitions: Definitions,
  within: Definition<'segment'> | undefined,
): StatisticsQuery {
  const { from, to, filters, match, segment, hidden } = selection;
  const { segments, goals } = definitions;
  const chosen = segments.filter((one) => one.id === segment);
  const sets = [{ match, filters }, ...[...chosen, ...(within ? [within] : [])].map(({ content }) => content)];
  return {
    websiteId: id,
    from,
    to,
    filters: sets.filter((set) => set.filters.length > 0),
    hidden,
    goals: new Map(goals.map((goal) => [goal.id, goal.content.rule])),
    // Rates compare them with the visits that reach the goal.
    onlyHits: ratedGoal(selection, definitions) !== undefined,
  };
}

/** The goal whose rate the lists show. */
export function ratedGoal({ conversion }: Selection, { goals }: Definitions): CountedGoal | undefined {
  const goal = goals.find(({ id }) => id === conversion);
  return goal && countedGoal(goal);
}

/** The names of goals, for the sentences of filters. */
export function goalNames({ goals }: Pick<Definitions, 'goals'>): ReadonlyMap<string, string> {
  return new Map(goals.map(({ id, name }) => [id, name]));
}
