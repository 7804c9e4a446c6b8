import type { Fault } from '../base/errors.ts';
import type { CountedGoal } from '../engine/goal-reads.ts';
import type { Filter, FilterSet, GoalRules, Match } from '../visits/filters.ts';
import { parameterOf, type ReadFilters } from '../visits/read-filters.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Definition } from './definition.ts';
import type { DefinitionRepositories } from './definition-repository.ts';

/** The filters of a request, with everything that they name. */
export interface ResolvedFilters {
  /** The filters of the request and of its segment; sets without filters are left out. */
  readonly filters: readonly FilterSet[];
  /** The rules of the goals in these filters. A goal that was deleted is absent. */
  readonly goals: GoalRules;
  /** A fault for each parameter that names an unknown goal or segment; its filter is left out. */
  readonly faults: readonly Fault[];
}

/** The part of the repositories that filters need. */
export type DefinitionsToFind = {
  readonly [Kind in 'segment' | 'goal']: Pick<DefinitionRepositories[Kind], 'findAll'>;
};

interface ResolveDependencies {
  readonly definitions: DefinitionsToFind;
}

/** Looks up the segment and the goals that the filters of a request name, and nothing else. */
export async function resolveFilters(
  { definitions }: ResolveDependencies,
  website: WebsiteKey,
  read: Pick<ReadFilters, 'filters' | 'segment'>,
  match: Match,
): Promise<ResolvedFilters> {
  const segmentIds = read.segment === undefined ? [] : [read.segment];
  const [segment] = segmentIds.length === 0 ? [] : await definitions.segment.findAll(website, segmentIds);
  const goals = await findGoals(definitions, website, [...read.filters, ...(segment?.content.filters ?? [])]);
  const isFaulty = (filter: Filter) => namedGoals([filter]).some((id) => !goals.has(id));
  const own = { match, filters: read.filters.filter((filter) => !isFaulty(filter)) };
  const faults = read.filters.filter(isFaulty).map((filter) => unknownGoal(parameterOf(filter)));
  if (segmentIds.length > 0 && segment === undefined) faults.push(UNKNOWN_SEGMENT);
  const sets = [own, ...(segment === undefined ? [] : [segment.content])];
  return { filters: sets.filter(({ filters }) => filters.length > 0), goals, faults };
}

/** A goal as the engine counts it. */
export function countedGoal({ id, content }: Definition<'goal'>): CountedGoal {
  return { id, ...content };
}

/** Faults that segments have got since they were made, by their ids: each filter that names a goal which no longer exists. */
export async function segmentFaults(
  { definitions }: ResolveDependencies,
  website: WebsiteKey,
  segments: readonly Definition<'segment'>[],
): Promise<ReadonlyMap<string, readonly Fault[]>> {
  const goals = await findGoals(
    definitions,
    website,
    segments.flatMap(({ content }) => content.filters),
  );
  return new Map(segments.map(({ id, content }) => [id, unknownGoalFaults(content.filters, goals)]));
}

/** A fault for each filter of a segment that names a goal which is not among these. */
export function unknownGoalFaults(filters: readonly Filter[], goals: ReadonlyMap<string, unknown>): Fault[] {
  return filters
    .filter((filter) => namedGoals([filter]).some((id) => !goals.has(id)))
    .map((filter) => unknownGoal(`filters.${parameterOf(filter)}`));
}

/** The ids of the goals that filters name, each once. */
export function namedGoals(filters: readonly Filter[]): string[] {
  return [...new Set(filters.flatMap((filter) => (filter.kind === 'goal' ? filter.goals : [])))];
}

async function findGoals(
  definitions: ResolveDependencies['definitions'],
  website: WebsiteKey,
  filters: readonly Filter[],
): Promise<GoalRules> {
  const ids = namedGoals(filters);
  const goals = ids.length === 0 ? [] : await definitions.goal.findAll(website, ids);
  return new Map(goals.map(({ id, content }) => [id, content.rule]));
}

/** The fault of a parameter or a field that names a goal which does not exist. */
export function unknownGoal(field: string): Fault {
  return { field, code: 'unknown_goal', detail: 'The website has no goal with this id.' };
}

const UNKNOWN_SEGMENT: Fault = {
  field: 'segment',
  code: 'unknown_segment',
  detail: 'The website has no segment with this id.',
};
