import type { createInMemoryRepositories } from '@hitherto/memory';
import type { OpenedDatabase } from '../../src/installation/database.ts';

/** The in-memory adapter as the database of a service. It has no schema, and cannot be backed up. */
export function inMemoryDatabase(repositories: ReturnType<typeof createInMemoryRepositories>): OpenedDatabase {
  return {
    ...repositories,
    migrate: async () => [],
    backup: async function* () {},
    restore: async () => {},
    ping: async () => {},
    stats: () => ({ total: 0, idle: 0, waiting: 0 }),
    interrupt: async () => {},
    close: async () => {},
  };
}
