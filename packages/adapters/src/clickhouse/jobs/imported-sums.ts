import type { DaySum } from '@hitherto/domain';
import { storableString } from '../../strings.ts';
import type { ClickHouse } from '../connection/client.ts';

/** A sum of a day on its way to `imported_sum`: no other of its import has its place. */
export interface PlacedSum extends DaySum {
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
