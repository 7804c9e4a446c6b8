/**
 * How long what goes to the database may take, in milliseconds. Why each is what it is, and how they fit together and with
 * those of HTTP, stands in docs/reliability.md, "Times", which a test compares with this.
 */
export const DATABASE_TIMES = {
  /** A connection to come about, one of the pool to become free, or an account's turn to list. */
  connect: 2_000,
  /** A statement, by PostgreSQL's own clock. */
  statement: 5_000,
  /** A wait for a lock, within a statement. */
  lock: 2_000,
  /** A transaction between two statements. */
  idleInTransaction: 5_000,
  /** An answer, by this side's clock: it strikes only where none comes at all. */
  answer: 6_000,
  /** A connection of the pool, before it is made anew. */
  connectionLife: 1_800_000,
  /** A short read on the shared connection, before the pool is asked in its place. */
  stalledRead: 500,
  /** Between the loss of the shared connection and the next attempt. */
  pauseAfterLoss: 1_000,
  /** What `/readyz` asks. */
  probe: 1_000,
  /** An answer to what an operator asks for, by this side's clock. */
  operationAnswer: 3_600_000,
  /** An operation's transaction between two statements. */
  operationPause: 600_000,
  /** A migration's wait for another instance that migrates. */
  migrationTurn: 60_000,
  /** A migration's wait for a table that others use. */
  migrationLock: 10_000,
} as const;
