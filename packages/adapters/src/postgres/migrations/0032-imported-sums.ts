import { type Kysely, sql } from 'kysely';

/**
 * Sums of days that imports have brought, in the columns of `summary`; they count once their import is done. `gaps` are the bits
 * of numbers that are not exact.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table imported_sum (
      website_number bigint not null,
      import_number bigint not null,
      duration bigint not null,
      day date not null,
      visitors integer not null,
      visits integer not null,
      pageviews integer not null,
      events integer not null,
      bounces integer not null,
      visits_with_pageviews integer not null,
      dimension smallint not null,
      gaps smallint not null,
      value text collate "C"
    )`.execute(db);
  await sql`create index imported_sum_by_dimension on imported_sum (website_number, dimension, day)`.execute(db);
}
