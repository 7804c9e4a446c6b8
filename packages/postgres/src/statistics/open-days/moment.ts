import { type RawBuilder, sql } from 'kysely';

/** A moment of the database, by which later hits are known. */
export interface Moment {
  /** The database, and when its server was started. A restored one numbers transactions as the lost ones were. */
  readonly server: string;
  /** The first transaction that had not begun. */
  readonly next: number;
  /** Earlier transactions that had not ended. Subtransactions are not among them, and batches have the whole transaction's number. */
  readonly running: readonly number[];
  /** In milliseconds, by the clock of the database. */
  readonly time: number;
}

/** A select of the moment of a snapshot, as JSON. */
export const MOMENT = sql<Moment>`json_build_object(
  'server', (select journal_id from statistics_engine) || ' ' || pg_postmaster_start_time(),
  'next', pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
  'running', array(select running::text::bigint from pg_snapshot_xip(pg_current_snapshot()) running),
  'time', extract(epoch from now()) * 1000
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

/** How long before its commit a batch mostly got its id, and how far clocks differ: earlier ones are not looked for. */
const MINUTE_MS = 60_000;

/** The condition that a batch of the journal was committed after the moment. */
export function isAfter({ next, running, time }: Moment): RawBuilder<unknown> {
  // Ids begin with their time, and are the only index.
  const isLate = sql`id >= ${sql.lit(firstIdAt(time - MINUTE_MS))}::uuid`;
  const isNew = sql`added_in >= ${sql.lit(next)}`;
  if (running.length === 0) return sql`${isLate} and ${isNew}`;
  return sql`${isLate} and (${isNew} or added_in = any(${sql.lit(`{${running.join()}}`)}::bigint[]))`;
}

/** The least id of version 7 of a time in milliseconds, in hexadecimal. */
function firstIdAt(time: number): string {
  return Math.floor(time).toString(16).padStart(12, '0').padEnd(32, '0');
}
