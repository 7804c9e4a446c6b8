import { connectionsWatch } from './connections.ts';
import { secretsWatch } from './secrets.ts';

/** What was searched for secrets and for connections to anything but the database, and what was found. */
export interface Watched {
  readonly bytes: number;
  readonly programs: number;
  readonly connections: number;
  /** Where a secret was found. */
  readonly secrets: readonly string[];
  /** Connections of programs to anything but their database. */
  readonly strangers: readonly string[];
}

/** Starts counting; the returned function reports the counts since then. */
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
