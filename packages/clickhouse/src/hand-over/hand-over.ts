import type { EngineHit, HandOverEvent, HitJournal, WrittenHit } from '@hitherto/domain/engine';
import { writeFields } from '@hitherto/domain/engine';
import { type ClickHouse, FREQUENT } from '../connection/client.ts';
import { dayLiteral, join, raw, sql } from '../connection/sql.ts';
import { makeVisits } from '../visits/make-visits.ts';

/** How many hits are handed over at once. */
const MAX_HITS = 20_000;

/** How many rows are inserted at once. */
const MAX_ROWS = 30_000;

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
        await server.insert(
          'hit',
          hits.map((hit) => rowOf(hit)),
          FREQUENT,
        );
        await server.write(makeVisits(isOfChangedVisitor(hits), version), FREQUENT);
      } catch (error) {
        tell('failed');
        throw error;
      }
      tell('done');
    });
}

/**
 * Hands over all hits that wait at the time of the call. Hits that arrive during the call may have to wait: on a busy service
 * some always do.
 */
export async function handOverAll(journal: Pick<HitJournal, 'waiting'>, handOver: HandOver): Promise<void> {
  const all = await journal.waiting();
  for (let left = all; all !== undefined && left !== undefined && left.first <= all.last; ) {
    await handOver();
    left = await journal.waiting();
  }
}

/** A hit with its batch and its place there. */
export type PlacedHit = EngineHit & Pick<WrittenHit, 'batch' | 'place'>;

/** Inserts hits, in parts of a bounded size. */
export async function insertHits(server: ClickHouse, hits: readonly PlacedHit[]): Promise<void> {
  for (let start = 0; start < hits.length; start += MAX_ROWS) {
    const rows = hits
      .slice(start, start + MAX_ROWS)
      .map((hit) => rowOf({ ...hit, fields: writeFields(hit) }, hit.importNumber));
    await server.insert('hit', rows);
  }
}

/** A row of `hit`, whose other columns are named like the fields. */
function rowOf({ website, day, batch, place, fields }: WrittenHit, importNumber = 0n): string {
  return `{"website":${website},"day":"${day}","batch":${batch},"place":${place},"import":${importNumber},${fields.slice(1)}`;
}

/** The condition that a hit is of a visitor of any of these hits. Websites and days are named, so that little is read. */
function isOfChangedVisitor(hits: readonly WrittenHit[]) {
  const websites = join([...new Set(hits.map(({ website }) => website))]);
  const days = join([...new Set(hits.map(({ day }) => day))].map(dayLiteral));
  const batches = join([...new Set(hits.map(({ batch }) => batch))]);
  const isNear = sql`website in (${websites}) and day in (${days})`;
  const key = raw('website, day, visitor');
  return sql`${isNear} and (${key}) in (select ${key} from hit where ${isNear} and batch in (${batches}))`;
}
