import type { MovedSum } from '@hitherto/domain/engine';
import type { SumKind } from '@hitherto/domain/visits';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { columnsOf, once } from '../connection/statement.ts';
import { COPY_SUMS, sumRow } from '../statistics/imports/sum-rows.ts';
import { CODES, KINDS, NUMBER_COLUMNS, type RowWithGaps, toGaps, toTotals } from '../statistics/summary-columns.ts';

/** How many sums are in memory at once. */
const MAX_ROWS = 5_000;

const KINDS_BY_CODE = new Map(
  KINDS.filter((kind): kind is SumKind => kind !== 'hour').map((kind) => [CODES[kind], kind]),
);

type SumRow = RowWithGaps & {
  readonly website: string;
  readonly importNumber: string;
  readonly day: string;
  readonly dimension: number;
  readonly value: string | null;
  readonly duration: string;
};

/** The sums of imports that are done. */
export async function* readImportedSums(database: Database): AsyncGenerator<readonly MovedSum[]> {
  yield* database.stream(
    async function* (transaction) {
      await transaction.query(
        once(sql`
          declare sums no scroll cursor for
          select website_number::text as website, import_number::text as "importNumber", day::text as day, dimension, value,
            ${columnsOf(NUMBER_COLUMNS)}, gaps::integer as gaps
          from imported_sum where import_number in (select number from import where status = 'done')`),
      );
      for (;;) {
        const { rows } = await transaction.query(once(sql<SumRow>`fetch ${sql.lit(MAX_ROWS)} from sums`));
        if (rows.length > 0) yield rows.flatMap(toSum);
        if (rows.length < MAX_ROWS) return;
      }
    },
    { snapshot: true },
  );
}

/** None if a later version knows its kind, and this one does not. */
function toSum(row: SumRow): MovedSum[] {
  const kind = KINDS_BY_CODE.get(row.dimension);
  if (kind === undefined) return [];
  const { website, importNumber, day, value } = row;
  const totals = { ...toTotals(row), ...toGaps(row.gaps), duration: Number(row.duration) };
  return [{ ...totals, website: BigInt(website), importNumber: BigInt(importNumber), day, kind, value }];
}

/** Replaces the sums of all imports. */
export async function replaceImportedSums(database: Database, sums: AsyncIterable<readonly MovedSum[]>): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(once(sql`delete from imported_sum`));
    await transaction.copy(COPY_SUMS, textsOf(sums));
  });
}

async function* textsOf(pieces: AsyncIterable<readonly MovedSum[]>): AsyncIterable<string> {
  for await (const sums of pieces) {
    const rows = sums.map((sum) =>
      sumRow(sum, { websiteNumber: sum.website.toString(), number: sum.importNumber.toString() }),
    );
    yield rows.join('');
  }
}
