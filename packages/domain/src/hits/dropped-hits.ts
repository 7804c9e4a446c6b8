import type { Day } from '../calendar/days.ts';
import type { DropReason } from './hit.ts';

/** The counters of dropped hits. Methods reject with a `DomainError` of code `unavailable` while the database is away. */
export interface DroppedHitsRepository {
  /** The hits of a website dropped in these days, both included: most hits first, then by reason. */
  byReason(websiteId: string, from: Day, to: Day): Promise<{ readonly reason: DropReason; readonly hits: number }[]>;

  /** Deletes the counters of a deleted website. */
  deleteAll(websiteId: string): Promise<void>;
}
