import type { Day } from '@hitherto/domain/calendar';

/** Whether work waits until another instance has done its own; otherwise that instance goes on with it. */
export type Waits = 'waits' | 'tries';

/** The work on days that takes long, and so has a thread of its own. Each method returns whether more may be left. */
export interface Keeping {
  /** Moves some hits of the journal into the book. */
  handOver(waits: Waits): Promise<boolean>;
  /** Joins the parts of some days that are over. */
  joinDays(now: Date, waits: Waits): Promise<boolean>;
  /** Makes the numbers of some days that are over. */
  summarise(now: Date, waits: Waits): Promise<boolean>;
  /** Makes the numbers of some days of a website before `today`, to which an import has added. */
  summariseImported(websiteNumber: string, today: Day): Promise<boolean>;
  /** Brings the hits of each visitor of a day together, of all days of an import that runs. */
  joinParts(importId: string): Promise<boolean>;
  /** See `StatisticsMaintenance`. */
  deleteHitsBefore(day: Day): Promise<boolean>;
}
