import { HIT_STRINGS, type HitJournal, type JournalledHit } from '@hitherto/domain';
import type { ClickHouse } from '../connection/client.ts';
import { dayLiteral, join, raw, sql } from '../connection/sql.ts';
import { TABLES } from '../tables/tables.ts';
import { makeVisits } from '../visits/make-visits.ts';

/** Hits were handed over, or could not be. */
export interface HandOverEvent {
  readonly outcome: 'done' | 'failed';
  readonly hits: number;
  readonly seconds: number;
}

/** How many hits are handed over at once. */
const MAX_HITS = 20_000;

/** More than `MAX_HITS` and a batch, so that the hits of a hand-over become visible at once. */
const MAX_ROWS = 30_000;

const STRINGS = Object.entries(HIT_STRINGS);
/** The columns of {@link rowOf}. */
const HIT_COLUMNS = Object.keys(TABLES.hit.columns);

/** Hands the oldest hits over that wait. Returns whether it was as many as it can be, so that more may wait. */
export type HandOver = () => Promise<boolean>;

/**
 * Hits are inserted, then the visits of their visitors are made again, and then the journal forgets that they wait. A
 * hand-over that ended anywhere is repeated as a whole: hits have an identity, and visits a version.
 */
export function createHandOver(
  server: ClickHouse,
  journal: Pick<HitJournal, 'handOver'>,
  onHandOver: (event: HandOverEvent) => void,
): HandOver {
  return () =>
    journal.handOver(MAX_HITS, async (hits, version) => {
      if (hits.length === 0) return;
      const start = performance.now();
      const tell = (outcome: HandOverEvent['outcome']) =>
        onHandOver({ outcome, hits: hits.length, seconds: (performance.now() - start) / 1_000 });
      try {
        await insertHits(server, hits);
        await server.write(makeVisits(isOfChangedVisitor(hits), version));
      } catch (error) {
        tell('failed');
        throw error;
      }
      tell('done');
    });
}

/**
 * Hands over all hits that wait at the time of the call. Those that arrive meanwhile may go on waiting: on a busy service some
 * always do.
 */
export async function handOverAll(journal: Pick<HitJournal, 'waiting'>, handOver: HandOver): Promise<void> {
  const all = await journal.waiting();
  for (let left = all; all !== undefined && left !== undefined && left.first <= all.last; ) {
    await handOver();
    left = await journal.waiting();
  }
}

/** Inserts hits, in parts of a bounded size. */
export async function insertHits(server: ClickHouse, hits: readonly JournalledHit[]): Promise<void> {
  for (let start = 0; start < hits.length; start += MAX_ROWS) {
    await server.insert('hit', HIT_COLUMNS, hits.slice(start, start + MAX_ROWS).map(rowOf));
  }
}

/** A row of `hit`. */
function rowOf(hit: JournalledHit): unknown[] {
  const values: Record<string, unknown> = {
    website: hit.website.toString(),
    day: hit.day,
    visitor: hit.visitor.toString(),
    time: hit.time.toISOString(),
    batch: hit.batch.toString(),
    place: hit.place,
    import: (hit.importNumber ?? 0n).toString(),
    ...Object.fromEntries(STRINGS.map(([column, field]) => [column, hit[field] ?? ''])),
    props: hit.props ?? {},
  };
  return HIT_COLUMNS.map((column) => values[column]);
}

/** The condition that a hit is of a visitor of any of these hits. Websites and days are named, so that little is read. */
function isOfChangedVisitor(hits: readonly JournalledHit[]) {
  const websites = join([...new Set(hits.map(({ website }) => website))]);
  const days = join([...new Set(hits.map(({ day }) => day))].map(dayLiteral));
  const batches = join([...new Set(hits.map(({ batch }) => batch))]);
  const isNear = sql`website in (${websites}) and day in (${days})`;
  const key = raw('website, day, visitor');
  return sql`${isNear} and (${key}) in (select ${key} from hit where ${isNear} and batch in (${batches}))`;
}
