import type { EngineHit, VisitorDay, WebsiteDay } from '@hitherto/domain/engine';
import { HIT_STRINGS } from '@hitherto/domain/hits';
import type { ClickHouse } from '../connection/client.ts';
import { dayLiteral, join, raw, type Sql, sql } from '../connection/sql.ts';
import type { PlacedHit } from '../hand-over/hand-over.ts';
import { isOfAny } from '../jobs/website-days.ts';
import { toValue } from '../tables/kinds.ts';
import { MOVED } from '../tables/tables.ts';

/** How many visitors' hits are read at once. */
const MAX_VISITORS = 5_000;
/** How many hits of a day are read at once, besides the rest of the last visitor's. */
const MAX_HITS = 20_000;

const STRINGS = Object.entries(HIT_STRINGS);

type HitRow = Record<string, string> & {
  readonly website: string;
  readonly visitor: string;
  readonly day: string;
  readonly milliseconds: string;
  readonly import: string;
  readonly view: string;
  readonly seconds: string;
  readonly scroll: string;
  readonly is_measure: string;
};

/** The hits of days that count, in pieces that have all hits of their visitors; several days are one piece. */
export async function* readDays(
  server: ClickHouse,
  days: readonly WebsiteDay[],
  isCounted: Sql,
): AsyncIterable<readonly EngineHit[]> {
  const [only, ...others] = days;
  if (only === undefined) return;
  if (others.length === 0) yield* readDay(server, only, isCounted);
  else yield await readWhere(server, sql`${isOfAny(days)} and ${isCounted}`);
}

/** The counted hits of a day, in pieces with all hits of their visitors: hits that arrive during the read shift no other hit. */
export async function* readDay(
  server: ClickHouse,
  day: WebsiteDay,
  isCounted: Sql,
): AsyncIterable<readonly EngineHit[]> {
  const isOfDay = sql`website = ${day.website} and day = ${dayLiteral(day.day)} and ${isCounted}`;
  for (let after: Sql = sql`true`; ; ) {
    const hits = await readWhere(
      server,
      sql`${isOfDay} and ${after} and visitor <= (
        select max(visitor) from (
          select visitor from hit where ${isOfDay} and ${after} order by visitor limit ${MAX_HITS}
        )
      )`,
    );
    const last = hits.at(-1);
    if (last === undefined) return;
    yield hits;
    after = sql`visitor > ${last.visitor}`;
  }
}

/** All hits of these visitors that count. */
export async function readVisitors(
  server: ClickHouse,
  visitors: readonly VisitorDay[],
  isCounted: Sql,
): Promise<EngineHit[]> {
  const found: EngineHit[] = [];
  for (let start = 0; start < visitors.length; start += MAX_VISITORS) {
    const isOfSome = isOfVisitors(visitors.slice(start, start + MAX_VISITORS));
    for (const hit of await readWhere(server, sql`${isOfSome} and ${isCounted}`)) found.push(hit);
  }
  return found;
}

/** The condition that a row is of one of these visitors. Websites and days are named, so that little is read. */
export function isOfVisitors(visitors: readonly VisitorDay[]): Sql {
  const websites = join([...new Set(visitors.map(({ website }) => website))]);
  const days = join([...new Set(visitors.map(({ day }) => day))].map(dayLiteral));
  const keys = visitors.map(({ website, day, visitor }) => sql`(${website}, ${dayLiteral(day)}, ${visitor})`);
  return sql`website in (${websites}) and day in (${days}) and (website, day, visitor) in (${join(keys)})`;
}

async function readWhere(server: ClickHouse, condition: Sql): Promise<EngineHit[]> {
  const columns = join(STRINGS.map(([column]) => raw(column)));
  const rows = await server.read<HitRow & { props: Record<string, string> }>(sql`
    select website, day, visitor, toUnixTimestamp64Milli(time) as milliseconds, props, import, view, seconds, scroll, is_measure, ${columns}
    from hit final where ${condition} order by website, day, visitor, time`);
  return rows.map(toHit);
}

function toHit(row: HitRow & { readonly props: Record<string, string> }): EngineHit {
  const { website, visitor, day, milliseconds, name = '', props } = row;
  // The columns were written from a hit, by the same table.
  return {
    ...Object.fromEntries(STRINGS.map(([column, field]) => [field, toValue(row[column] ?? '')])),
    website: BigInt(website),
    visitor: BigInt(visitor),
    day,
    time: new Date(Number(milliseconds)),
    props: name === '' || Object.keys(props).length === 0 ? null : props,
    ...(Number(row.view) === 0 ? {} : { view: Number(row.view) }),
    ...(Number(row.is_measure) === 0 ? {} : { measure: { seconds: Number(row.seconds), scroll: Number(row.scroll) } }),
    ...(row.import === '0' ? {} : { importNumber: BigInt(row.import) }),
  } as EngineHit;
}

/**
 * Gives each hit of whole visitors an identity: its place among their hits of the same instant. Moved again, also with hits that
 * have arrived since, it replaces itself.
 */
export function identify(hits: readonly EngineHit[]): PlacedHit[] {
  const places = new Map<string, number>();
  return hits.map((hit) => {
    const key = `${hit.website} ${hit.day} ${hit.visitor} ${hit.time.getTime()}`;
    const place = places.get(key) ?? 0;
    places.set(key, place + 1);
    return { ...hit, batch: MOVED, place };
  });
}
