import type { RawBuilder } from 'kysely';
import type { Transaction } from '../../connection/transaction.ts';
import { createDayHits, type DayHits } from './day-hits.ts';
import { dayOf, keyOfDay, readHitRows, websiteNumberOf } from './hit-rows.ts';

/** The hits of a day of a website. */
export interface HitsOfWebsiteDay {
  /** A bigint, as the driver writes it. */
  readonly websiteNumber: string;
  readonly hits: DayHits;
}

/**
 * Reads hits by day.
 *
 * @param rows a select without parameters, by `hitRowsOf` or `hitTimesOf`
 */
export async function readDayHits(
  transaction: Transaction,
  rows: RawBuilder<unknown>,
): Promise<readonly HitsOfWebsiteDay[]> {
  const days = new Map<number, HitsOfWebsiteDay>();
  await readHitRows(transaction, rows, (row) => {
    const key = keyOfDay(row);
    let ofDay = days.get(key);
    if (ofDay === undefined) {
      ofDay = { websiteNumber: websiteNumberOf(row), hits: createDayHits(dayOf(row)) };
      days.set(key, ofDay);
    }
    ofDay.hits.add(row);
  });
  return [...days.values()];
}
