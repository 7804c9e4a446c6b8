import { setImmediate as otherWork } from 'node:timers/promises';
import type { Day } from '@hitherto/domain/calendar';
import { readFields } from '@hitherto/domain/engine';
import { type RawBuilder, sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { readBatch, type WrittenBatch } from '../../journal/journalled-hits.ts';
import { listOfDays, type WebsiteDay } from '../website-days.ts';

/** A hit in the journal. */
export interface HitOfBatch extends WebsiteDay {
  readonly hit: ReturnType<typeof readFields>;
}

/** About how many hits are read at once: a transaction must not wait long for its next statement. */
const MAX_HITS = 10_000;

/**
 * Reads hits of batches.
 *
 * @param isChosen the condition on `journal_batch`
 * @param isRead whether the hits of a day of a website are read
 */
export async function readBatches(
  { query }: Pick<Transaction, 'query'>,
  isChosen: RawBuilder<unknown>,
  isRead: (day: WebsiteDay) => boolean,
  onHit: (hit: HitOfBatch) => void,
): Promise<void> {
  for (let [after, count] = ['', MAX_HITS]; count >= MAX_HITS; ) {
    const isNext = after === '' ? sql`` : sql`and id > ${sql.lit(after)}`;
    const { rows } = await query(
      once(sql<WrittenBatch & { readonly id: string; readonly count: number }>`
        select id, number, to_json(website_numbers::text[]) as websites, hits, hit_count as count from (
          select *, sum(hit_count) over (order by id) - hit_count as before from journal_batch where ${isChosen} ${isNext}
        ) chosen where before < ${sql.lit(MAX_HITS)} order by id`),
    );
    count = 0;
    for (const batch of rows) {
      for (const { website, day, fields } of readBatch(batch)) {
        const ofDay = { websiteNumber: website.toString(), day };
        if (isRead(ofDay)) onHit({ ...ofDay, hit: readFields(fields) });
      }
      [after, count] = [batch.id, count + batch.count];
    }
    await otherWork();
  }
}

/** Reads the hits of these days that are not in the book yet. */
export async function readWaitingHits(
  transaction: Pick<Transaction, 'query'>,
  days: readonly WebsiteDay[],
  onHit: (hit: HitOfBatch) => void,
): Promise<void> {
  const isOfDay = chosenDays(days);
  await readBatches(
    transaction,
    sql`
      id = any(array(
        select batch_id from added_hits added join ${listOfDays(days)}
          on added.website_number = chosen.website_number and added.day = chosen.day
      ))`,
    isOfDay,
    onHit,
  );
}

/** Whether a day is one of these. */
export function chosenDays(days: readonly WebsiteDay[]): (day: WebsiteDay) => boolean {
  const keyOf = ({ websiteNumber, day }: { readonly websiteNumber: string; readonly day: Day }) =>
    `${websiteNumber} ${day}`;
  const keys = new Set(days.map(keyOf));
  return (day) => keys.has(keyOf(day));
}
