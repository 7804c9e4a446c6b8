/** All timeouts of database access, in milliseconds. docs/reliability.md, "Times", says how they fit together with those of HTTP. */
export const DATABASE_TIMEOUTS = {
  /**
   * Opening a connection, waiting for a free one in a pool, or waiting to list websites under the account's concurrency
   * limit.
   */
  connect: 2_000,
  /** A statement, measured by PostgreSQL. */
  statement: 5_000,
  /** A wait for a lock; they are held for single statements. */
  lock: 2_000,
  /** A transaction between two statements: releases the locks of a process that froze. */
  idleInTransaction: 5_000,
  /** A response, measured by the driver: longer than `statement`, so that PostgreSQL's own error comes first. */
  response: 6_000,
  /** A statement that reads statistics. */
  statisticsStatement: 8_000,
  /** Its response, measured here. */
  statisticsResponse: 9_000,
  /** A statement of background work or of a command. */
  backgroundStatement: 3_600_000,
  /** Its response, measured here. */
  backgroundResponse: 3_660_000,
  /** Its transaction between two statements: a slow file or pipe of a backup. */
  backgroundIdleInTransaction: 600_000,
  /** The life of a pooled connection: they spread again after a failover, and free memory. */
  connectionLife: 1_800_000,
  /** An idle connection in a pool that is rarely used. */
  idleConnection: 30_000,
  /** A short read on the pipelined connection, before the pool takes over. */
  stalledRead: 500,
  /** Between the loss of a background connection and the next attempt. */
  reconnect: 1_000,
  /** Between two checks of a listening connection; also the timeout of each check. */
  listenCheck: 5_000,
  /** The ping of `/readyz`. */
  probe: 1_000,
  /** A migration's wait for another migrating instance. */
  migrationWait: 60_000,
  /** A migration's wait for a table that others use: it gives up rather than block everyone else. */
  migrationLock: 10_000,
} as const;
