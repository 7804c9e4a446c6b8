import { isId } from '@hitherto/domain/base';
import type { Day } from '@hitherto/domain/calendar';
import { type CrawlerRepository, MAX_CRAWLER_VALUES, OTHER_VALUES } from '@hitherto/domain/hits';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import { type CrawlerTally, LISTS } from './crawler-sums.ts';

/** The column with the values of each list, and the number of the list that has them. */
const READ = {
  operator: { list: LISTS.operator, column: 'value' },
  purpose: { list: LISTS.operator, column: 'purpose' },
  page: { list: LISTS.page, column: 'value' },
} as const;

/**
 * The sums of crawlers in PostgreSQL.
 *
 * @param reads reads them
 * @param background deletes them
 */
export function createCrawlerRepository(reads: Database, background: Database, tally: CrawlerTally): CrawlerRepository {
  return {
    add: tally.add,

    async byDay(websiteId, from, to) {
      if (!isId(websiteId)) return [];
      return reads.read(
        once(sql<{ day: string; hits: number; hits4xx: number }>`
          select day::text as day, sum(hits)::double precision as hits, sum(hits_4xx)::double precision as "hits4xx"
          from ${sumsOf(websiteId, from, to, LISTS.operator)} group by day order by day`),
      );
    },

    async values(websiteId, from, to, list, limit) {
      if (!isId(websiteId)) return { rows: [], total: 0 };
      const { list: number, column } = READ[list];
      const value = sql.ref(column);
      const rows = await reads.read(
        once(sql<{ value: string; hits: number; hits4xx: number; total: number }>`
          select ${value} as value, sum(hits)::double precision as hits,
            sum(hits_4xx)::double precision as "hits4xx", (count(*) over ())::double precision as total
          from ${sumsOf(websiteId, from, to, number)}
          group by ${value} order by sum(hits) desc, ${value} limit ${limit}`),
      );
      return {
        rows: rows.map(({ value, hits, hits4xx }) => ({ value, hits, hits4xx })),
        total: rows[0]?.total ?? 0,
      };
    },

    trim: (from, to) =>
      background.transaction(async (transaction) => {
        const { rows } = await transaction.query(
          once(sql<{ website_number: string; day: string; list: number }>`
            select website_number, day::text as day, list from crawler_hit
            where day between ${from}::date and ${to}::date and value <> ${OTHER_VALUES}
            group by website_number, day, list having count(*) > ${MAX_CRAWLER_VALUES} limit 1`),
        );
        const [found] = rows;
        if (found === undefined) return false;
        const ofDay = sql`
          website_number = ${found.website_number} and day = ${found.day}::date and list = ${found.list}`;
        await transaction.query(
          once(sql`
            with ranked as (
              select value, purpose, row_number() over (order by hits desc, value, purpose) as rank
              from crawler_hit where ${ofDay} and value <> ${OTHER_VALUES}
            ),
            rare as (
              delete from crawler_hit
              where ${ofDay} and (value, purpose) in (select value, purpose from ranked where rank > ${MAX_CRAWLER_VALUES})
              returning website_number, day, list, purpose, hits, hits_4xx
            )
            insert into crawler_hit (website_number, day, list, value, purpose, hits, hits_4xx)
            select website_number, day, list, ${OTHER_VALUES}, purpose, sum(hits), sum(hits_4xx)
            from rare group by website_number, day, list, purpose
            on conflict (website_number, day, list, value, purpose)
              do update set hits = crawler_hit.hits + excluded.hits, hits_4xx = crawler_hit.hits_4xx + excluded.hits_4xx`),
        );
        return true;
      }),

    async deleteAll(websiteId) {
      if (!isId(websiteId)) return;
      await background.query(
        once(sql`
          delete from crawler_hit
          where website_number in (select number from deleted_website where id = ${websiteId})`),
      );
    },
  };
}

/** The sums of a list, collected and of imports that are done. */
function sumsOf(websiteId: string, from: Day, to: Day, list: number): RawBuilder<unknown> {
  const website = sql`(select number from website where id = ${websiteId})`;
  const isWanted = sql`day between ${from}::date and ${to}::date and list = ${list}`;
  const columns = sql`day, value, purpose, hits, hits_4xx`;
  return sql`(
    select ${columns} from crawler_hit where website_number = ${website} and ${isWanted}
    union all
    select ${columns} from import_crawler_hit sums join import on number = import_number and status = 'done'
    where sums.website_number = ${website} and ${isWanted}
  ) sums`;
}
