import type { Period } from '../calendar/days.ts';
import type { DefinitionRepositories } from '../definitions/definition-repository.ts';
import type { StatisticsReads } from '../engine/statistics-repository.ts';
import type { HitRule } from '../visits/rules.ts';
import type { WebsiteKey } from '../websites/website-key.ts';

export interface UnmatchedDependencies {
  readonly statistics: Pick<StatisticsReads, 'goals'>;
  readonly definitions: Pick<DefinitionRepositories, 'goal' | 'funnel'>;
}

/** A goal or a funnel. */
export interface NamedDefinition {
  readonly id: string;
  readonly name: string;
}

/** The goals, and the funnels with a step, that match no page of a period any more. */
export interface UnmatchedDefinitions {
  readonly goals: readonly NamedDefinition[];
  readonly funnels: readonly NamedDefinition[];
}

/** Finds which goals and funnels a change of shown pages leaves without pages. Returns the result of `change`, too. */
export async function findUnmatched<Result>(
  deps: UnmatchedDependencies,
  website: WebsiteKey,
  period: Period,
  change: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly unmatched: UnmatchedDefinitions }> {
  const [goals = [], funnels = []] = await Promise.all([
    deps.definitions.goal.list(website),
    deps.definitions.funnel.list(website),
  ]);
  const rules = [
    ...goals.map(({ content }) => content.rule),
    ...funnels.flatMap(({ content }) => content.steps.map(({ rule }) => rule)),
  ].filter((rule) => 'page' in rule);
  const query = { websiteId: website.websiteId, ...period, filters: [] };
  const countMatches = async () => {
    if (rules.length === 0) return [];
    const numbers = await deps.statistics.goals(
      query,
      rules.map((rule, place) => ({ id: String(place), rule, sum: null })),
    );
    return numbers.map(({ conversions }) => conversions);
  };
  const before = await countMatches();
  const result = await change();
  const after = await countMatches();
  const lost = new Set<HitRule>(rules.filter((_, place) => (before[place] ?? 0) > 0 && after[place] === 0));
  const named = ({ id, name }: NamedDefinition) => ({ id, name });
  return {
    result,
    unmatched: {
      goals: goals.filter(({ content }) => lost.has(content.rule)).map(named),
      funnels: funnels.filter(({ content }) => content.steps.some(({ rule }) => lost.has(rule))).map(named),
    },
  };
}
