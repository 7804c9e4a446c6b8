import { isId } from '@hitherto/domain/base';
import type { CountedHit } from '@hitherto/domain/hits';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import { readDayHits } from '../columns/read-day-hits.ts';
import { allHits } from '../jobs/rebuild.ts';
import type { WebsiteDay } from '../website-days.ts';

/** How many hits are in memory at once, but for those of one day. */
const MAX_HITS = 50_000;

/** All hits of a website that are kept, by day, as they were at one moment. */
export async function* readHits(database: Database, websiteId: string): AsyncGenerator<CountedHit> {
  if (!isId(websiteId)) return;
  yield* database.stream(
    async function* (transaction) {
      const isChosen = sql`
        website_number = (select number from website where id = ${websiteId})
          and day >= (select kept_from from hit_retention)`;
      const { rows: days } = await transaction.query(
        once(sql<WebsiteDay & { hits: number }>`
          select website_number as "websiteNumber", found.day::text as day, sum(hits)::double precision as hits
          from (${allHits(isChosen)}) found group by website_number, found.day order by found.day`),
      );
      let part: WebsiteDay[] = [];
      let size = 0;
      for (const day of days) {
        part.push(day);
        size += day.hits;
        if (size < MAX_HITS && day !== days.at(-1)) continue;
        for (const { hits } of await readDayHits(transaction, part)) {
          for (let hit = 0; hit < hits.size(); hit += 1) yield { ...hits.hitOf(hit), websiteId };
        }
        [part, size] = [[], 0];
      }
    },
    { snapshot: true },
  );
}
