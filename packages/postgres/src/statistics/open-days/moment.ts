import { type RawBuilder, sql } from 'kysely';

/** A moment of the database, by which later hits are known. */
export interface Moment {
  /** The database, and when its server was started. A restored one numbers transactions as the lost ones were. */
  readonly server: string;
  /** The first transaction that had not begun. */
  readonly next: number;
  /** Earlier transactions that had not ended. Subtransactions are not among them, and hits have the whole transaction's number. */
  readonly running: readonly number[];
}

/** A select of the moment of a snapshot, as JSON. */
export const MOMENT = sql<Moment>`json_build_object(
  'server', (select journal_id from statistics_engine) || ' ' || pg_postmaster_start_time(),
  'next', pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
  'running', array(select running::text::bigint from pg_snapshot_xip(pg_current_snapshot()) running)
)`;

/** Whether everything that was committed at one moment was committed at the other, too. */
export function isIn(moment: Moment, other: Moment): boolean {
  const running = new Set(moment.running);
  return (
    moment.server === other.server &&
    moment.next <= other.next &&
    other.running.every((number) => number >= moment.next || running.has(number))
  );
}

/** The condition that a row of `hit` was committed after the moment. */
export function isAfter({ next, running }: Moment): RawBuilder<unknown> {
  const first = Math.min(next, ...running);
  const isNew = sql`added_in >= ${sql.lit(next)}`;
  if (running.length === 0) return isNew;
  return sql`added_in >= ${sql.lit(first)} and (${isNew} or added_in = any(${sql.lit(`{${running.join()}}`)}::bigint[]))`;
}
