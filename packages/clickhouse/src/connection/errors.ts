import { ClickHouseError } from '@clickhouse/client';
import { type DomainError, unavailable } from '@hitherto/domain/base';

/**
 * Errors of the server that pass by themselves or that its operator mends, by their numbers. While they last, it counts as
 * away.
 */
const AWAY = new Set([
  60, // UNKNOWN_TABLE: the tables are not created yet
  76, // CANNOT_OPEN_FILE
  81, // UNKNOWN_DATABASE
  159, // TIMEOUT_EXCEEDED
  160, // TOO_SLOW
  164, // READONLY
  192, // UNKNOWN_USER
  202, // TOO_MANY_SIMULTANEOUS_QUERIES
  203, // NO_FREE_CONNECTION
  209, // SOCKET_TIMEOUT
  210, // NETWORK_ERROR
  218, // TABLE_IS_DROPPED
  225, // NO_ZOOKEEPER
  236, // ABORTED
  241, // MEMORY_LIMIT_EXCEEDED
  242, // TABLE_IS_READ_ONLY
  243, // NOT_ENOUGH_SPACE
  252, // TOO_MANY_PARTS
  255, // TOO_MANY_RETRIES_TO_FETCH_PARTS
  279, // ALL_CONNECTION_TRIES_FAILED
  285, // TOO_FEW_LIVE_REPLICAS
  286, // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
  290, // LIMIT_EXCEEDED
  319, // UNKNOWN_STATUS_OF_INSERT
  394, // QUERY_WAS_CANCELLED
  439, // CANNOT_SCHEDULE_TASK
  473, // DEADLOCK_AVOIDED
  497, // ACCESS_DENIED
  516, // AUTHENTICATION_FAILED
  745, // SERVER_OVERLOADED
  999, // KEEPER_EXCEPTION
]);

/** The server's number of an error, if it is one of the server's. */
export function errorCodeOf(error: unknown): number | undefined {
  return error instanceof ClickHouseError ? Number(error.code) : undefined;
}

/** The error that ports reject with. Its message holds no URL, which may have a password. */
export function portError(error: unknown): unknown {
  const code = errorCodeOf(error);
  if (code === undefined) return isOfProgram(error) ? error : away(error);
  return AWAY.has(code) ? away(error) : error;
}

function away(error: unknown): DomainError {
  return unavailable('The engine of statistics cannot be reached or is overloaded.', error);
}

/** Whether the error is one of this program, and not of the connection. */
function isOfProgram(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}
