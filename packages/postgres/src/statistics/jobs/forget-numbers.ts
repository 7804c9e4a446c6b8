import type { Day } from '@hitherto/domain/calendar';
import { type RawBuilder, sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { IS_KEPT } from '../website-days.ts';

/** Forgets the numbers of days whose hits are stored: they are made again. The caller holds the lock under which they change. */
export async function forgetNumbers(
  transaction: Transaction,
  websiteNumber: string,
  { from, to }: { readonly from: Day | null; readonly to: Day | null },
): Promise<void> {
  const isOfDays = (first: RawBuilder<unknown>) => sql`
    website_number = ${websiteNumber}::bigint and ${IS_KEPT}
      and day >= coalesce(${first}, '-infinity') and day <= coalesce(${to}::date, 'infinity')`;
  await transaction.query(once(sql`delete from day_numbers where not is_month and ${isOfDays(sql`${from}::date`)}`));
  // A month may begin before the days, and before the first day whose hits are kept.
  await transaction.query(
    once(sql`
      delete from day_numbers where is_month and website_number = ${websiteNumber}::bigint
        and day >= date_trunc('month', greatest(coalesce(${from}::date, '-infinity'), (select kept_from from hit_retention)))
        and day <= coalesce(${to}::date, 'infinity')`),
  );
  await transaction.query(once(sql`update website_day set hits_in_numbers = 0 where ${isOfDays(sql`${from}::date`)}`));
}
