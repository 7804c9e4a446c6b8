import { withClient } from '../database.ts';

/** Hits to make for a website. */
interface HitsToFill {
  readonly websiteNumber: string;
  readonly host: string;
  readonly day: string;
  readonly hits: number;
  /** How much of the day they are spread over, in seconds; absent for all of it. */
  readonly seconds?: number;
}

const DAY_SECONDS = 86_400;

/** The raw hits, with which others are compared. */
const RAW_HITS = `
  create unlogged table if not exists raw_hit (
    website_number bigint, visitor bigint, time timestamptz(3), day date, host text, page text, name text, props jsonb, channel text,
    source text, referrer text, country text, language text, browser text, os text, device text
  );
  create index if not exists raw_hit_by_day on raw_hit (website_number, day)`;

/**
 * Hits of a day, in order of time. A visitor has 2.5 hits on average, in a few minutes; 6 % are events, and there are 3,000
 * pages, of which few are frequent. The details of a visitor follow from its number.
 */
const FILL = `
  insert into raw_hit (website_number, visitor, time, day, host, page, name, props, channel, source, referrer, country, language, browser, os, device)
  select $1::bigint, visitor,
    $2::date::timestamp at time zone 'UTC' + interval '1 millisecond' * floor(1000 * $5::double precision * n / $4::integer),
    $2::date, $3::text,
    case
      when percent < 25 then '/blog/' || floor(800 * random() ^ 3)::int || '/a-title-of-some-words'
      when percent < 35 then '/product/' || floor(199 * random() ^ 3)::int
      when percent < 36 then '/checkout'
      when percent < 37 then '/thanks'
      else '/articles/' || floor(2000 * random() ^ 3)::int || '/a-title-of-some-words'
    end,
    case percent when 94 then 'Add to cart' when 95 then 'Add to cart' when 96 then 'Signup' when 97 then 'Download'
      when 98 then 'Outbound link' when 99 then 'Outbound link' end,
    case
      when percent = 96 then jsonb_build_object('plan', (array['free', 'pro'])[1 + kind % 2], 'amount', (kind % 50)::text || '.90')
      when percent in (94, 95) then jsonb_build_object('amount', (kind % 100)::text)
      when percent = 97 then jsonb_build_object('url', host_name || '/files/' || kind % 20 || '.zip')
      when percent in (98, 99) then jsonb_build_object('url', 'elsewhere.example/' || kind % 200)
    end,
    (array['Direct', 'Direct', 'Search', 'Search', 'Social', 'Referral', 'Campaign', 'Email'])[1 + kind % 8],
    (array[null, null, 'Google', 'Bing', 'Facebook', 'news.example.org', 'newsletter', 'newsletter'])[1 + kind % 8],
    (array[null, null, 'google.com', 'bing.com', 'facebook.com', 'news.example.org/a-story', null, null])[1 + kind % 8],
    (array['DE', 'US', 'FR', 'BR', 'JP', 'GB', 'IN', 'PL', 'NL', 'ES', 'IT'])[1 + kind % 11],
    (array['de', 'en', 'fr', 'pt', 'ja', 'en', 'en', 'pl', 'nl', 'es', 'it'])[1 + kind % 11],
    (array['Chrome', 'Chrome', 'Chrome', 'Safari', 'Firefox', 'Edge', 'Samsung Internet'])[1 + kind % 7],
    (array['Windows', 'Android', 'macOS', 'iOS', 'Linux', 'Windows', 'Android'])[1 + kind % 7],
    (array['desktop', 'mobile', 'desktop', 'mobile', 'desktop', 'desktop', 'mobile'])[1 + kind % 7]
  from (
    select n, visitor, (visitor & 1048575)::integer as kind, floor(100 * random())::integer as percent, $3::text as host_name
    from (
      select n, hashint8extended(floor((n + 500 * random()) / 2.5)::bigint, $2::date - '2000-01-01'::date) as visitor
      from generate_series(0, $4::integer - 1) n
    ) placed
  ) hit`;

/** Writes the raw hits of a day to the journal, in large batches. */
const JOURNAL = `
  with lines as (
    select (row_number() over (order by time) - 1) / 2000 as batch, '0 ' || day || ' ' || (
      to_jsonb(raw_hit) - array['website_number', 'day'] || jsonb_build_object(
        'visitor', case when visitor < 0 then (visitor + 18446744073709551616)::text else visitor::text end
      )
    ) as line
    from raw_hit where website_number = $1 and day = $2
  ),
  batches as (
    insert into journal_batch (id, hit_count, website_numbers, hits)
    select gen_random_uuid(), count(*), array[$1::bigint], string_agg(line, E'\\n') from lines group by batch
    returning id, hit_count
  )
  insert into added_hits (batch_id, website_number, day, hits) select id, $1::bigint, $2::date, hit_count from batches`;

/** Adds hits by SQL. */
export async function fillDay(
  databaseUrl: string,
  { websiteNumber, day, host, hits, seconds = DAY_SECONDS }: HitsToFill,
): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    // It speeds up the filling. Figures are measured afterwards, on other connections.
    await client.query('set synchronous_commit = off');
    await client.query(RAW_HITS);
    await client.query(FILL, [websiteNumber, day, host, hits, seconds]);
    await client.query(JOURNAL, [websiteNumber, day]);
  });
}
