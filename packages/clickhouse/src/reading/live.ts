import { type JournalledWebsite, type Live, liveOf } from '@hitherto/domain/engine';
import { addTo, chosenSets, isLiveDimension, noLiveCounts } from '@hitherto/domain/visits';
import type { ClickHouse } from '../connection/client.ts';
import { type Sql, sql, timeLiteral, unionAll } from '../connection/sql.ts';
import { filterOfSets } from '../visits/conditions.ts';
import { selectVisits } from '../visits/select-visits.ts';
import { showPageBy } from '../visits/show-page.ts';

/** Between which moments, and how many values of each list. */
interface Span {
  readonly since: Date;
  readonly until: Date;
  readonly limit: number;
}

/** Counts the visitors between two moments in visits (`countLive` in the domain). */
export async function readLive(
  server: ClickHouse,
  { rules, pageRules }: Pick<JournalledWebsite, 'rules' | 'pageRules'>,
  rows: Sql,
  { since, until, limit }: Span,
): Promise<Live> {
  const shown = chosenSets([], rules, undefined);
  const showPage = showPageBy(pageRules);
  const scope = { rows, showPage, ...(shown.length === 0 ? {} : { filter: filterOfSets(shown, new Map()) }) };
  const visits = selectVisits(scope, ['started', 'times', 'source', 'country', 'pages']);
  const isBetween = sql`t between ${timeLiteral(since)} and ${timeLiteral(until)}`;
  const live = sql`
    select source, country, arrayMap(t -> addMilliseconds(started, t), times) as at,
      arrayDistinct(arrayMap(t -> toString(toUnixTimestamp(toStartOfMinute(t)) * 1000), arrayFilter(t -> ${isBetween}, at))) as minutes,
      arrayDistinct(arrayFilter((page, t) -> page != '' and ${isBetween}, pages, at)) as viewed
    from (${visits}) where notEmpty(minutes)`;
  const by = (kind: string, value: Sql, from: Sql) =>
    sql`select ${kind} as kind, ${value} as value, count() as visitors from ${from} group by value`;
  const found = await server.read<{ kind: string; value: string; visitors: string }>(sql`
    with live as (${live})
    ${unionAll([
      by('visitors', sql`''`, sql`live`),
      by('minute', sql`minute`, sql`live array join minutes as minute`),
      by('page', sql`page`, sql`live array join viewed as page`),
      by('source', sql`source`, sql`live`),
      by('country', sql`country`, sql`live`),
    ])}`);
  const counts = noLiveCounts();
  for (const { kind, value, visitors } of found) {
    if (kind === 'visitors') counts.visitors += Number(visitors);
    else if (kind === 'minute') addTo(counts.minutes, Number(value), Number(visitors));
    else if (isLiveDimension(kind)) addTo(counts.values[kind], value === '' ? null : value, Number(visitors));
  }
  return liveOf(counts, limit);
}
