import { connectionsWatch } from './connections.ts';
import { secretsWatch } from './secrets.ts';

/** The places that were searched for secrets and for connections to anything but the database, and the findings. */
export type Watched = ReturnType<ReturnType<typeof watchedSoFar>>;

/** Starts counting; the returned function reports the counts since then. */
export function watchedSoFar() {
  const { bytes, found: secrets } = { ...secretsWatch, found: secretsWatch.found.length };
  const { programs, connections, found: strangers } = { ...connectionsWatch, found: connectionsWatch.found.length };
  return () => ({
    bytes: secretsWatch.bytes - bytes,
    programs: connectionsWatch.programs - programs,
    connections: connectionsWatch.connections - connections,
    secrets: secretsWatch.found.slice(secrets),
    strangers: connectionsWatch.found.slice(strangers),
  });
}
