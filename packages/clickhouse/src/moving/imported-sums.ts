import type { Day } from '@hitherto/domain/calendar';
import type { MovedSum } from '@hitherto/domain/engine';
import type { SumKind } from '@hitherto/domain/visits';
import type { ClickHouse } from '../connection/client.ts';
import { dayLiteral, join, raw, sql } from '../connection/sql.ts';
import { IS_OF_HITS, insertSums } from '../jobs/imported-sums.ts';
import { NUMBERS, type RowWithGaps, toGaps, toTotals, toValue } from '../tables/kinds.ts';
import { storedTable } from '../tables/tables.ts';

type SumRow = RowWithGaps & {
  readonly website: string;
  readonly import: string;
  readonly day: Day;
  readonly kind: SumKind;
  readonly value: string;
};

/** The sums that files of these imports state, of a day of a website at a time. */
export async function* readImportedSums(
  server: ClickHouse,
  imports: readonly bigint[],
): AsyncIterable<readonly MovedSum[]> {
  if (imports.length === 0) return;
  const isOfImports = sql`import in (${join(imports)}) and not ${IS_OF_HITS}`;
  const days = await server.read<{ website: string; day: Day }>(sql`
    select distinct website, day from imported_sum where ${isOfImports} order by website, day`);
  for (const { website, day } of days) {
    const rows = await server.read<SumRow>(sql`
      select website, import, day, kind, value, ${NUMBERS}, gaps from imported_sum final
      where website = ${BigInt(website)} and day = ${dayLiteral(day)} and ${isOfImports}`);
    yield rows.map(toSum);
  }
}

function toSum(row: SumRow): MovedSum {
  return {
    ...toTotals(row),
    ...toGaps(row),
    website: BigInt(row.website),
    importNumber: BigInt(row.import),
    day: row.day,
    kind: row.kind,
    value: toValue(row.value),
  };
}

/** Replaces the sums of all imports. */
export async function replaceImportedSums(
  server: ClickHouse,
  cluster: string | undefined,
  sums: AsyncIterable<readonly MovedSum[]>,
): Promise<void> {
  await server.write(raw(`truncate table ${storedTable('imported_sum', cluster).text}`));
  let place = 0;
  for await (const part of sums) {
    await insertSums(
      server,
      part.map((sum, index) => ({ ...sum, place: place + index })),
    );
    place += part.length;
  }
}
