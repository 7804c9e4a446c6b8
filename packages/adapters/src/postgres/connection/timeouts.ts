/**
 * The timeouts of everything that goes to the database, in milliseconds. docs/reliability.md, "Times", says why each is what
 * it is and how they fit together and with those of HTTP; a test compares the two.
 */
export const DATABASE_TIMEOUTS = {
  /** Opening a connection, waiting for a free one of a pool, or for an account's turn to list. */
  connect: 2_000,
  /** A statement, measured by PostgreSQL. */
  statement: 5_000,
  /** A wait for a lock, within a statement. */
  lock: 2_000,
  /** A transaction between two statements. */
  idleInTransaction: 5_000,
  /** A response, measured here: it strikes only where none comes at all. */
  response: 6_000,
  /** A statement that reads statistics. */
  statisticsStatement: 8_000,
  /** Its response, measured here. */
  statisticsResponse: 9_000,
  /** A statement of background work, and of what an operator asks for. */
  backgroundStatement: 3_600_000,
  /** Its response, measured here. */
  backgroundResponse: 3_660_000,
  /** Its transaction between two statements. */
  backgroundIdleInTransaction: 600_000,
  /** The life of a pooled connection. */
  connectionLife: 1_800_000,
  /** An idle connection of a pool that is used now and then. */
  idleConnection: 30_000,
  /** A short read on the pipelined connection, before the pool takes over. */
  stalledRead: 500,
  /** Between the loss of a connection that is opened in the background and the next attempt. */
  reconnect: 1_000,
  /** Between two checks that a connection that listens is alive; also the timeout of each. */
  listenCheck: 2_000,
  /** The ping of `/readyz`. */
  probe: 1_000,
  /** A migration's wait for another instance that migrates. */
  migrationWait: 60_000,
  /** A migration's wait for a table that others use. */
  migrationLock: 10_000,
} as const;
