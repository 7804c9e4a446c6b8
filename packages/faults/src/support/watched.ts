import { connectionsWatch } from './connections.ts';
import { secretsWatch } from './secrets.ts';

/** What was looked through for secrets and for connections to others than the database, and what was found. */
export interface Watched {
  readonly bytes: number;
  readonly programs: number;
  readonly connections: number;
  /** Where a secret stood. */
  readonly secrets: readonly string[];
  /** What a program connected to that is not its database. */
  readonly strangers: readonly string[];
}

/** Begins to count; the function that it answers tells what has come since. */
export function watchedSoFar(): () => Watched {
  const { bytes, found } = secretsWatch;
  const { programs, connections, found: strangers } = connectionsWatch;
  const [secretsBefore, strangersBefore] = [found.length, strangers.length];
  return () => ({
    bytes: secretsWatch.bytes - bytes,
    programs: connectionsWatch.programs - programs,
    connections: connectionsWatch.connections - connections,
    secrets: secretsWatch.found.slice(secretsBefore),
    strangers: connectionsWatch.found.slice(strangersBefore),
  });
}
