import type { Day } from '@hitherto/domain/calendar';
import { readFields } from '@hitherto/domain/engine';
import { sql } from 'kysely';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { COLLECTED } from '../statistics/book/read.ts';
import { storeParts } from '../statistics/book/store-part.ts';
import { createDayHits } from '../statistics/columns/day-hits.ts';
import { makePart } from '../statistics/columns/make-part.ts';
import { PART_LIMITS } from '../statistics/part-limits.ts';
import { IS_KEPT } from '../statistics/website-days.ts';

/** How many rows are in memory at once. */
const MAX_ROWS = 5_000;

interface HitRow {
  readonly websiteNumber: string;
  readonly day: Day;
  readonly origin: string;
  /** As the journal has them, but for the sign of the visitor. */
  readonly fields: string;
}

/** Moves hits into the book; backups from before the first release have them in rows. */
export async function storeOldHits(transaction: Transaction): Promise<void> {
  await transaction.query(
    once(sql`
      declare old_hits no scroll cursor for
      select website_number::text as "websiteNumber", day::text as day, coalesce(import_number, 0)::text as origin,
        (to_jsonb(hit) || jsonb_build_object('visitor', visitor::text))::text as fields
      from hit where ${IS_KEPT} order by website_number, hit.day, import_number`),
  );
  let [key, part] = ['', 0];
  let of: HitRow | undefined;
  let hits = createDayHits('');
  const store = async () => {
    if (of === undefined || hits.size() === 0) return;
    const { websiteNumber, origin } = of;
    await storeParts(transaction, [{ ...(await makePart(hits)), websiteNumber, origin, part }]);
    part += 1;
  };
  for (;;) {
    const { rows } = await transaction.query(once(sql<HitRow>`fetch ${sql.lit(MAX_ROWS)} from old_hits`));
    for (const row of rows) {
      const next = `${row.websiteNumber} ${row.day} ${row.origin}`;
      // Later parts of a day are joined by a job; those of an import are not.
      if (next !== key || (hits.size() >= PART_LIMITS.hits && row.origin === COLLECTED)) {
        await store();
        if (next !== key) [key, part] = [next, 0];
        of = row;
        hits = createDayHits(row.day);
      }
      const hit = readFields(row.fields);
      hits.addHit({ ...hit, visitor: BigInt.asUintN(64, hit.visitor) });
    }
    if (rows.length < MAX_ROWS) break;
  }
  await store();
  await transaction.query(once(sql`close old_hits`));
}
