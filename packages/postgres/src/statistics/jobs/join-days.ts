import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { COLLECTED } from '../book/read.ts';
import { COUNTS, IS_PART } from '../book/store-part.ts';
import type { PartLimits } from '../part-limits.ts';
import {
  type DayWithHits,
  HAS_ALL_HITS,
  hasDay,
  IS_KEPT,
  splitDays,
  tableOfDays,
  type WebsiteDay,
} from '../website-days.ts';
import { remakeParts } from './remake-parts.ts';
import type { TakeLock } from './work-lock.ts';

/** How many days a call joins at most. */
const MAX_DAYS = 500;

/** The condition on `website_day` that the parts of a day have to be joined. */
export const IS_UNJOINED = sql`is_loose and ${IS_KEPT} and ${HAS_ALL_HITS}`;

/**
 * Brings the hits of each visitor of days that are over together in a part, of the last days first: of one large day, or of several
 * small ones. Returns whether more may be left.
 *
 * @param isReady the condition that a day is over
 */
export async function joinDays(
  database: Database,
  isReady: RawBuilder<unknown>,
  limits: PartLimits,
  takeLock: TakeLock,
): Promise<boolean> {
  const isChosen = sql`${IS_UNJOINED} and ${isReady}`;
  if (!(await hasDay(database, isChosen))) return false;
  return database.transaction(async (transaction) => {
    if (!(await takeLock(transaction))) return false;
    const { rows } = await transaction.query(
      once(sql<DayWithHits>`
        select website_number as "websiteNumber", day::text as day, hits::double precision as hits
        from website_day where ${isChosen} order by website_day.day desc, website_number limit ${MAX_DAYS}`),
    );
    const [days = []] = splitDays(rows, limits.hits);
    if (days.length === 0) return false;
    await remakeParts(transaction, COLLECTED, days, limits);
    await noteJoined(transaction, days);
    return true;
  });
}

/** Notes that these days have the hits that the book has. */
async function noteJoined(transaction: Transaction, days: readonly WebsiteDay[]): Promise<void> {
  await transaction.query(
    once(sql`
      update website_day set hits = stored.hits, is_loose = false,
        -- Measures are no hits in the book: a later number of hits could be an earlier one, of other content.
        hits_in_numbers = case when website_day.hits <> stored.hits then 0 else hits_in_numbers end,
        rewritten_in = case when website_day.hits <> stored.hits
          then pg_current_xact_id()::text::bigint else rewritten_in end
      from (
        select chosen.website_number, chosen.day, (
          select coalesce(sum(hits), 0) from book
          where book.website_number = chosen.website_number and book.day = chosen.day and ${IS_PART} and ${COUNTS}
        ) as hits
        from ${tableOfDays(days)} chosen
      ) stored
      where website_day.website_number = stored.website_number and website_day.day = stored.day`),
  );
}
