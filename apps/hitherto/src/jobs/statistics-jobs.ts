import {
  addDays,
  type Day,
  type ForgetWebsiteDependencies,
  forgetDeletedWebsite,
  type Job,
  type Journal,
  lastDayOnEarth,
  type StatisticsEngine,
  type Visitors,
} from '@hitherto/domain';

export interface StatisticsJobsDependencies
  extends Pick<ForgetWebsiteDependencies, 'deletedWebsites'>,
    Pick<Journal, 'salts' | 'batches' | 'droppedHits' | 'crawlers'>,
    Pick<StatisticsEngine, 'maintenance'> {
  /** For how many days raw hits are stored. */
  readonly retentionDays: number;
  readonly now: () => Date;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** How long a salt outlives the end of its day in the last time zone (statistics.md, section 1). */
const SALT_MS = 48 * HOUR_MS;
/** Hits from servers arrive until a day after their own; a week of missed work is made up for. */
const TRIMMED_DAYS = { from: -9, to: -3 };

/** The background work of the engine and of the journal. */
export function statisticsJobs(deps: StatisticsJobsDependencies): readonly Job[] {
  const { maintenance, batches, crawlers, salts, retentionDays, now } = deps;
  return [
    ...maintenance.jobs(now),
    { name: 'forget deleted websites', every: MINUTE_MS, work: () => forgetDeletedWebsite(deps) },
    {
      name: 'delete old hits',
      every: HOUR_MS,
      // Every website has its hits for as many days as its zone counts.
      work: () => maintenance.deleteHitsBefore(addDays(lastDayOnEarth(now()), -retentionDays)),
    },
    {
      name: 'trim crawlers',
      every: HOUR_MS,
      work: () => {
        const today = lastDayOnEarth(now());
        return crawlers.trim(addDays(today, TRIMMED_DAYS.from), addDays(today, TRIMMED_DAYS.to));
      },
    },
    { name: 'delete expired batches', every: 10 * MINUTE_MS, work: () => batches.deleteExpired(now()) },
    {
      name: 'delete old salts',
      every: 10 * MINUTE_MS,
      work: async () => {
        await salts.deleteBefore(firstSalt(now()));
        return false;
      },
    },
  ];
}

/** Lets a process forget the salts that it remembers; each has to do that itself. */
export function forgetSalts({
  visitors,
  now,
}: Pick<StatisticsJobsDependencies, 'now'> & { readonly visitors: Pick<Visitors, 'forgetBefore'> }): Job {
  return {
    name: 'forget old salts',
    every: 10 * MINUTE_MS,
    work: async () => {
      visitors.forgetBefore(firstSalt(now()));
      return false;
    },
  };
}

/** The first day whose salt is kept: the days before the one that it was 48 hours ago ended earlier than that, whatever the zone. */
function firstSalt(now: Date): Day {
  return lastDayOnEarth(new Date(now.getTime() - SALT_MS));
}
