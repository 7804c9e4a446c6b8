import type { RawBuilder } from 'kysely';
import type { Transaction } from '../../connection/transaction.ts';
import { createDayHits, type DayHits } from './day-hits.ts';
import { dayOf, hitRowsOf, readHitRows, websiteNumberOf } from './hit-rows.ts';

/** The hits of a day of a website. */
export interface HitsOfWebsiteDay {
  /** A bigint, as the driver writes it. */
  readonly websiteNumber: string;
  readonly hits: DayHits;
}

/**
 * Reads hits by day.
 *
 * @param hits without parameters
 */
export async function readDayHits(
  transaction: Transaction,
  hits: RawBuilder<unknown>,
): Promise<readonly HitsOfWebsiteDay[]> {
  const days = new Map<string, HitsOfWebsiteDay>();
  await readHitRows(transaction, hitRowsOf(hits), (row) => {
    const [websiteNumber, day] = [websiteNumberOf(row), dayOf(row)];
    const key = `${websiteNumber} ${day}`;
    const known = days.get(key) ?? { websiteNumber, hits: createDayHits(day) };
    days.set(key, known);
    known.hits.add(row);
  });
  return [...days.values()];
}
