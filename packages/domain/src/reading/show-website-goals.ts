import { addDays, type Day, daysBetween } from '../calendar/days.ts';
import { type TimeZone, zoneOf } from '../calendar/time-zone.ts';
import type { DefinitionRepositories } from '../definitions/definition-repository.ts';
import { countedGoal } from '../definitions/resolve-filters.ts';
import type { StatisticsRepository } from '../engine/statistics-repository.ts';
import { websiteIn } from '../websites/reach.ts';
import { findComparedDays, withDays } from './compare.ts';
import type { OverviewRow } from './list-overview.ts';

/** The conversions of a goal in the period of a list of websites, and in the days that it is compared with. */
export interface WebsiteGoal {
  readonly id: string;
  readonly name: string;
  readonly conversions: number;
  /** `undefined` if they cannot be compared. */
  readonly before: number | undefined;
}

export interface ShowWebsiteGoalsDependencies {
  readonly statistics: StatisticsRepository;
  readonly definitions: DefinitionRepositories;
  /** The installation's. */
  readonly zone: TimeZone;
  readonly now: () => Date;
}

/** The goals of the websites of a list, in its order. They take a read for each website that has one. */
export function showWebsiteGoals(
  deps: ShowWebsiteGoalsDependencies,
  rows: readonly OverviewRow[],
): Promise<readonly (readonly WebsiteGoal[])[]> {
  return Promise.all(rows.map((row) => goalsOf(deps, row)));
}

async function goalsOf(
  { statistics, definitions, zone: installation, now }: ShowWebsiteGoalsDependencies,
  { owner, website, numbers: { from, to } }: OverviewRow,
): Promise<readonly WebsiteGoal[]> {
  const found = (await definitions.goal.list(websiteIn(owner, website.id))) ?? [];
  if (found.length === 0) return [];
  const goals = found.map(countedGoal);
  const query = { websiteId: website.id, from, to, filters: [] };
  const zone = zoneOf(website, installation);
  const [counted, before] = await statistics.reading({ ...query, from: daysBefore(from, to) }, async (statistics) => {
    const days = await findComparedDays({ statistics, zone, now }, query, 'previous');
    return Promise.all([
      statistics.goals(query, goals),
      days.isUneven ? undefined : statistics.goals(withDays(query, days), goals),
    ]);
  });
  return found.map(({ id, name }, index) => ({
    id,
    name,
    conversions: counted[index]?.conversions ?? 0,
    before: before?.[index]?.conversions,
  }));
}

/** The first day of the period before. */
function daysBefore(from: Day, to: Day): Day {
  return addDays(from, -daysBetween(from, to));
}
