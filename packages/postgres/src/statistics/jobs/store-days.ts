import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { COLLECTED } from '../book/read.ts';
import { deletedHitRows } from '../book/read-hit-rows.ts';
import { COUNTS, IS_PART } from '../book/store-part.ts';
import type { PartLimits } from '../part-limits.ts';
import {
  type DayWithHits,
  HAS_ALL_HITS,
  hasDay,
  IS_KEPT,
  listOfDays,
  splitDays,
  tableOfDays,
  type WebsiteDay,
} from '../website-days.ts';
import { remakeParts } from './remake-parts.ts';
import type { TakeLock } from './work-lock.ts';

/** How many days a call stores at most. */
const MAX_DAYS = 500;

/** The condition on `website_day` that hits of a day have to be stored. */
export const IS_UNSTORED = sql`hits <> hits_in_book and ${IS_KEPT} and ${HAS_ALL_HITS}`;

/**
 * Moves the hits of days that are over into the book, the last days first: those of one large day, or of several small ones. Returns
 * whether more may be left.
 *
 * @param isReady the condition that a day is over
 */
export async function storeDays(
  database: Database,
  isReady: RawBuilder<unknown>,
  limits: PartLimits,
  takeLock: TakeLock,
): Promise<boolean> {
  const isChosen = sql`${IS_UNSTORED} and ${isReady}`;
  if (!(await hasDay(database, isChosen))) return false;
  return database.transaction(async (transaction) => {
    if (!(await takeLock(transaction))) return false;
    const { rows } = await transaction.query(
      once(sql<DayWithHits>`
        select website_number as "websiteNumber", day::text as day, hits::double precision as hits
        from website_day where ${isChosen} order by website_day.day desc, website_number limit ${MAX_DAYS}`),
    );
    const [days = []] = splitDays(rows, limits.hits);
    await moveHits(transaction, days, limits);
    return days.length > 0;
  });
}

/** Deletes exactly the rows that it reads: a hit that comes meanwhile waits for the next call. */
async function moveHits(transaction: Transaction, days: readonly DayWithHits[], limits: PartLimits): Promise<void> {
  await remakeParts(transaction, COLLECTED, days, limits, (gathered, isChosen) =>
    gathered.addRows(
      transaction,
      deletedHitRows(sql`
        using ${listOfDays(days)}
        where hit.website_number = chosen.website_number and hit.day = chosen.day and ${isChosen}`),
    ),
  );
  await noteBook(transaction, days);
}

/** Notes how many hits are in the book. If nothing is elsewhere, the day has these hits. */
async function noteBook(transaction: Transaction, days: readonly WebsiteDay[]): Promise<void> {
  await transaction.query(
    once(sql`
      update website_day set hits_in_book = stored.hits, hits = case when is_whole then stored.hits else website_day.hits end,
        -- Measures are no hits in the book: a later number of hits could be an earlier one, of other content.
        hits_in_numbers = case when is_whole and website_day.hits <> stored.hits then 0 else hits_in_numbers end,
        rewritten_in = case when is_whole and website_day.hits <> stored.hits
          then pg_current_xact_id()::text::bigint else rewritten_in end
      from (
        select chosen.website_number, chosen.day, (
          select coalesce(sum(hits), 0) from book
          where book.website_number = chosen.website_number and book.day = chosen.day and ${IS_PART} and ${COUNTS}
        ) as hits, not exists (
          select from hit where hit.website_number = chosen.website_number and hit.day = chosen.day
        ) and not exists (
          select from added_hits added where added.website_number = chosen.website_number and added.day = chosen.day
        ) as is_whole
        from ${tableOfDays(days)} chosen
      ) stored
      where website_day.website_number = stored.website_number and website_day.day = stored.day`),
  );
}
