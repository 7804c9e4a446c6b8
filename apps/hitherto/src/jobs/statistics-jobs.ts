import type { Job } from '@hitherto/domain/base';
import { addDays, type Day, lastDayOnEarth } from '@hitherto/domain/calendar';
import { type ApplyDependencies, settleCleanup } from '@hitherto/domain/cleanups';
import { type ForgetWebsiteDependencies, forgetDeletedWebsite, type StatisticsEngine } from '@hitherto/domain/engine';
import { NOTED_DAYS, type Visitors } from '@hitherto/domain/hits';
import type { Repositories } from '@hitherto/domain/repositories';

export interface StatisticsJobsDependencies
  extends Pick<ForgetWebsiteDependencies, 'deletedWebsites'>,
    Pick<Repositories, 'salts' | 'batches' | 'droppedHits' | 'crawlers' | 'notedHits'>,
    Omit<ApplyDependencies, 'maintenance'>,
    Pick<StatisticsEngine, 'maintenance'> {
  /** For how many days raw hits are stored. */
  readonly retentionDays: number;
  readonly now: () => Date;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** How long a salt outlives the end of its day in the last time zone (counting.md, "Words"). */
const SALT_MS = 48 * HOUR_MS;
/** Hits from servers arrive until a day after their own. */
const TRIMMED_AFTER_DAYS = 3;
/** The days whose rare values are looked for every hour: the index by day makes it cheap. */
const RECENT_DAYS = 9;
/** No hit has an earlier day. */
const FIRST_DAY: Day = '1970-01-01';

/** The background work of the engine and of the journal. */
export function statisticsJobs(deps: StatisticsJobsDependencies): readonly Job[] {
  const { maintenance, batches, crawlers, notedHits, salts, retentionDays, now } = deps;
  const trimCrawlersFrom = (from: Day) => crawlers.trim(from, addDays(lastDayOnEarth(now()), -TRIMMED_AFTER_DAYS));
  return [
    ...maintenance.jobs(now),
    { name: 'apply cleanups', every: 2 * SECOND_MS, work: () => settleCleanup(deps) },
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
      work: () => trimCrawlersFrom(addDays(lastDayOnEarth(now()), -RECENT_DAYS)),
    },
    // Logs have hits of any day. Looking at all of them reads the whole table: half a second for two million rows.
    { name: 'trim crawlers of all days', every: DAY_MS, work: () => trimCrawlersFrom(FIRST_DAY) },
    {
      name: 'delete old notes of checks',
      every: HOUR_MS,
      work: async () => {
        await notedHits.deleteBefore(addDays(lastDayOnEarth(now()), -NOTED_DAYS));
        return false;
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
export function firstSalt(now: Date): Day {
  return lastDayOnEarth(new Date(now.getTime() - SALT_MS));
}
