import { connectionsWatch } from './connections.ts';
import { secretsWatch } from './secrets.ts';

/** What was looked through for secrets and for connections to others than the database, and what was found. */
export interface Watched {
  readonly bytes: number;
  readonly programs: number;
  readonly connections: number;
  /** Where a secret stood, and whom a program connected to. */
  readonly findings: readonly string[];
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
    findings: [...secretsWatch.found.slice(secretsBefore), ...connectionsWatch.found.slice(strangersBefore)],
  });
}
