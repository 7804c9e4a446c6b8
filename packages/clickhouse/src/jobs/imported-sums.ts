import { storableString } from '@hitherto/domain/base';
import type { TimeZone } from '@hitherto/domain/calendar';
import type { DayOfImport, JournalledImport } from '@hitherto/domain/engine';
import type { DaySum } from '@hitherto/domain/visits';
import type { ClickHouse } from '../connection/client.ts';
import { dayLiteral, join, type Sql, sql } from '../connection/sql.ts';
import { KINDS, NUMBERS, UNBOUNDED } from '../tables/kinds.ts';
import { hoursOfHits } from '../visits/hours.ts';
import { canOverflow, selectNumbers } from '../visits/numbers.ts';

/** A sum of a day on its way to `imported_sum`: no other of its import has its place. */
interface PlacedSum extends DaySum {
  readonly website: bigint;
  readonly importNumber: bigint;
  readonly place: number;
}

export async function insertSums(server: ClickHouse, sums: readonly PlacedSum[]): Promise<void> {
  await server.insert('imported_sum', sums.map(rowOf));
}

function rowOf(sum: PlacedSum): string {
  return JSON.stringify({
    website: sum.website.toString(),
    kind: sum.kind,
    day: sum.day,
    import: sum.importNumber.toString(),
    place: sum.place,
    value: sum.value === null ? '' : storableString(sum.value),
    visitors: sum.visitors,
    visits: sum.visits,
    pageviews: sum.pageviews,
    events: sum.events,
    bounces: sum.bounces,
    visits_with_pageviews: sum.visitsWithPageviews,
    duration: sum.duration,
    gaps: sum.gaps ?? 0,
  });
}

/**
 * Adds up the hits of an import by days, from their visits. These sums count from the moment on from which the import is done, and
 * until it is deleted.
 */
export async function sumHits(
  server: ClickHouse,
  { website, number }: JournalledImport,
  zone: TimeZone,
  days: readonly DayOfImport[],
): Promise<void> {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return;
  const rows = sql`website = ${website} and import = ${number} and day in (${join(days.map(({ day }) => dayLiteral(day)))})`;
  const numbers = selectNumbers(KINDS, {
    scope: { rows },
    hours: hoursOfHits(zone, first.day, last.day),
    folded: days.some(canOverflow) ? UNBOUNDED : [],
    counted: 'all',
  });
  await server.write(sql`
    insert into imported_sum (website, kind, day, import, place, value, ${NUMBERS}, gaps)
    select website, kind, day, ${number}, row_number() over (partition by kind, day order by value), value, ${NUMBERS}, 0
    from (${numbers}) where visitors > 0`);
}

/** The condition that rows of `imported_sum` are of an import of hits: no file states sums of hours. */
export const IS_OF_HITS: Sql = sql`import in (select import from imported_sum where kind = 'hour')`;
