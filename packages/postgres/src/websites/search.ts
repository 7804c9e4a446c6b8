import { COUNT_LIMIT, type Found, type PageRequest, type Walk, walksOf } from '@hitherto/domain/websites';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import { WEBSITE_COLUMNS } from './website-row.ts';
import { type PageRow, type Row, toFound } from './whole-list.ts';

/** How many websites on either side of the position are compared first. */
const WINDOW = 1_000;
/** The same for terms too short for a trigram, which otherwise require comparing all websites. */
const SHORT_WINDOW = 10_000;
const TRIGRAM = 3;
/** How many websites, oldest first, are compared to estimate the frequency of a term. */
const COUNT_WINDOW = 50_000;
/** A term in one of this many websites is counted by comparing all in turn, a rarer one through its trigrams. */
const OFTEN = 3;

/** The searched text: the search text is stored only if it differs from the url. */
const SEARCHED = sql<string>`coalesce(search_text, scheme || '://' || address)`;

/** The other side of the beginning of a list. */
const NO_SIDE = sql`select null::uuid as id, null::text as key, false as hit where false`;

interface SearchQuery extends PageRequest {
  readonly accountId: string;
  readonly search: string;
}

type ProbeRow = Row<{ page_seen: number; page_hits: number; other_seen: number; other_hits: number }>;

/**
 * Reads a page of an account's websites that match `search`, in at most three statements. Which one is fast depends on how
 * often and where the term occurs, which is unknown beforehand:
 *
 * 1. Compare some websites on both sides of the position in turn. A frequent term fills the page this way; a small account
 *    is compared completely.
 * 2. If the page is not full, the trigram index finds all matches, which are sorted and counted.
 * 3. If it is full, only the total is missing.
 *
 * None of them is named: a generic plan would treat a rare term like a frequent one, or the other way round.
 */
export async function readSearch(
  database: Database,
  accountId: string,
  request: PageRequest,
  search: string,
): Promise<Found> {
  const query = { ...request, accountId, search };
  const { rows: probed } = await database.query(once(probe(query)));
  const [first] = probed;
  if (first === undefined) throw new Error('A page has a row even where it is empty.');
  const window = windowOf(search);
  const pageEnded = first.page_seen <= window;
  const otherEnded = request.position === undefined || first.other_seen <= window;
  const hits = first.page_hits + first.other_hits;

  const isWhole = (pageEnded || first.page_hits > request.limit) && (otherEnded || first.neighbour !== null);
  if (!isWhole) return toFound((await database.query(once(all(query)))).rows);
  const isFrequent = hits * OFTEN >= first.page_seen + first.other_seen;
  const count = pageEnded && otherEnded ? hits : await countMatches(database, query, isFrequent);
  return toFound(probed.map((row) => ({ ...row, count })));
}

function windowOf(search: string): number {
  return [...search].length < TRIGRAM ? SHORT_WINDOW : WINDOW;
}

async function countMatches(
  database: Database,
  { accountId, search }: SearchQuery,
  isFrequent: boolean,
): Promise<number> {
  if (isFrequent) {
    // By id, roughly the order of the rows on disk.
    const looked = sql`
      select ${SEARCHED} as searched from website where account_id = ${accountId} order by id limit ${COUNT_WINDOW}`;
    const hit = sql`select 1 from (${looked}) looked where strpos(searched, ${search}) > 0`;
    const count = await readCount(database, counted(hit));
    if (count > COUNT_LIMIT) return count;
  }
  // Materialized, it is planned for all rows, but read only as far as needed.
  const found = sql`
    select 1 from website where account_id = ${accountId} and ${SEARCHED} like ${patternOf(search)}`;
  return readCount(database, sql`with found as materialized (${found}) ${counted(sql`select 1 from found`)}`);
}

async function readCount(database: Database, query: RawBuilder<unknown>): Promise<number> {
  const { rows } = await database.query(once(sql<{ count: number }>`${query}`));
  return rows[0]?.count ?? 0;
}

function counted(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select count(*)::int as count from (${rows} limit ${COUNT_LIMIT + 1}) counted`;
}

/** Compares the websites next to the position in turn, and one beyond the window, to see whether there are more. */
function probe(query: SearchQuery): RawBuilder<ProbeRow> {
  const { accountId, search, position } = query;
  const { page, other } = walksOf(query);
  const side = ({ key, compare, direction }: Walk) => sql`
    select id, ${sql.ref(key)} as key, strpos(${SEARCHED}, ${search}) > 0 as hit
    from website
    where account_id = ${accountId} ${position === undefined ? sql`` : sql`and ${keyIs(key, compare, position.key)}`}
    order by ${sql.ref(key)} ${sql.raw(direction)} limit ${windowOf(search) + 1}`;
  return sql`
    with page_side as materialized (${side(page)}),
      other_side as materialized (${position === undefined ? NO_SIDE : side(other)}),
      page as (select id, key from page_side where hit)
    select around.*, ${columns()}
    from (
      select page_seen, page_hits, other_seen, other_hits,
        (select key::text from other_side where hit order by key ${sql.raw(other.direction)} limit 1) as neighbour
      from (select count(*)::int as page_seen, (count(*) filter (where hit))::int as page_hits from page_side) of_page,
        (select count(*)::int as other_seen, (count(*) filter (where hit))::int as other_hits from other_side) of_other
    ) around
    ${joinPage(query, page)}`;
}

/** Finds all matches, and takes the page and its neighbour from them. */
function all(query: SearchQuery): RawBuilder<PageRow> {
  const { accountId, search, position } = query;
  const { page, other } = walksOf(query);
  const within = ({ key, compare }: Walk) =>
    position === undefined ? sql`` : sql`where ${keyIs('key', compare, position.key, key)}`;
  const neighbour =
    position === undefined
      ? sql`null::text`
      : sql`(select key::text from found ${within(other)} order by key ${sql.raw(other.direction)} limit 1)`;
  return sql`
    with found as materialized (
        select id, ${sql.ref(page.key)} as key
        from website
        where account_id = ${accountId} and ${SEARCHED} like ${patternOf(search)}
      ),
      page as (select id, key from found ${within(page)})
    select around.*, ${columns()}
    from (select (${counted(sql`select 1 from found`)}) as count, ${neighbour} as neighbour) around
    ${joinPage(query, page)}`;
}

function keyIs(column: string, compare: Walk['compare'], value: string, key = column): RawBuilder<unknown> {
  return sql`${sql.ref(column)} ${sql.raw(compare)} ${key === 'id' ? sql`${value}::uuid` : value}`;
}

/** The whole websites of the page's keys. */
function joinPage({ accountId, limit }: SearchQuery, { direction }: Walk): RawBuilder<unknown> {
  return sql`
    left join lateral (select id, key from page order by key ${sql.raw(direction)} limit ${limit + 1}) chosen on true
    left join website on website.account_id = ${accountId} and website.id = chosen.id
    order by chosen.key ${sql.raw(direction)}`;
}

function columns(): RawBuilder<unknown> {
  return sql.join(
    WEBSITE_COLUMNS.map((column) => (typeof column === 'string' ? sql.ref(`website.${column}`) : column)),
  );
}

/** A LIKE pattern for `search` as plain text. */
function patternOf(search: string): string {
  return `%${search.replace(/[\\%_]/g, '\\$&')}%`;
}
