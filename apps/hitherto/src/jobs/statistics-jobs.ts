import {
  addDays,
  dayOf,
  type SaltRepository,
  type Salts,
  type StatisticsMaintenance,
  type TimeZone,
} from '@hitherto/domain';
import type { Job } from './run-jobs.ts';

export interface StatisticsJobsDependencies {
  readonly maintenance: StatisticsMaintenance;
  readonly salts: SaltRepository;
  /** The salts that this process remembers. */
  readonly remembered: Pick<Salts, 'forgetBefore'>;
  /** The installation's. */
  readonly zone: TimeZone;
  /** For how many days raw hits are kept. */
  readonly retentionDays: number;
  readonly now: () => Date;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** How long a salt outlives its day (statistics.md, section 1). */
const SALT_MS = 48 * HOUR_MS;

/** The background work on hits, visits and summaries. */
export function statisticsJobs(deps: StatisticsJobsDependencies): readonly Job[] {
  const { maintenance, salts, remembered, zone, retentionDays, now } = deps;
  const today = () => dayOf(zone, now());
  return [
    {
      name: 'prepare partitions',
      every: HOUR_MS,
      work: async () => {
        await maintenance.prepare(today());
        return false;
      },
    },
    { name: 'update visits', every: 2 * SECOND_MS, work: () => maintenance.updateVisits() },
    { name: 'summarise days', every: 20 * SECOND_MS, work: () => maintenance.summarise(today()) },
    { name: 'purge deleted websites', every: MINUTE_MS, work: () => maintenance.purge() },
    {
      name: 'delete old hits',
      every: HOUR_MS,
      work: () => maintenance.deleteHitsBefore(addDays(today(), -retentionDays)),
    },
    {
      name: 'delete old salts',
      every: 10 * MINUTE_MS,
      work: async () => {
        // The days before the one that it was 48 hours ago ended earlier than that.
        const kept = dayOf(zone, new Date(now().getTime() - SALT_MS));
        remembered.forgetBefore(kept);
        await salts.deleteBefore(kept);
        return false;
      },
    },
  ];
}
