import { isId } from '@hitherto/domain/base';
import type { CountedHit } from '@hitherto/domain/hits';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { readDayHits } from '../book/read-day-hits.ts';
import { daysWithHits } from '../jobs/rebuild.ts';
import { IS_KEPT, splitDays } from '../website-days.ts';

/** How many hits are in memory at once, but for those of one day. */
const MAX_HITS = 50_000;

/** All hits of a website that are kept, by day, as they were at one moment. */
export async function* readHits(database: Database, websiteId: string): AsyncGenerator<CountedHit> {
  if (!isId(websiteId)) return;
  yield* database.stream(
    async function* (transaction) {
      const isOfWebsite = sql`website_number = (select number from website where id = ${websiteId})`;
      const days = await daysWithHits(transaction, sql`${isOfWebsite} and ${IS_KEPT}`);
      for (const part of splitDays(days, MAX_HITS)) {
        for (const { hits } of await readDayHits(transaction, part)) {
          for (let hit = 0; hit < hits.size(); hit += 1) yield { ...hits.hitOf(hit), websiteId };
        }
      }
    },
    { snapshot: true },
  );
}
