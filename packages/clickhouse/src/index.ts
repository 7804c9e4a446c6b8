import { isUnavailable } from '@hitherto/domain/base';
import type { HandOverEvent, HitJournal, StatisticsEngine, StatisticsStore } from '@hitherto/domain/engine';
import { openClient } from './connection/client.ts';
import { createHandOver } from './hand-over/hand-over.ts';
import { createImportStaging } from './jobs/import-staging.ts';
import { createStatisticsMaintenance } from './jobs/maintenance.ts';
import { createStatisticsStore } from './moving/store.ts';
import { createStatisticsRepository } from './reading/statistics-repository.ts';
import { createFindWebsite } from './reading/websites.ts';
import { preparedServer } from './tables/prepare.ts';

export { checkClickHouse } from './check.ts';

export interface ClickHouseOptions {
  /** May contain a user, a password and a database. */
  readonly url: string;
  /** The name of a cluster on which tables are replicated and distributed. */
  readonly cluster?: string | undefined;
  /** Has the hits to count. */
  readonly journal: HitJournal;
  readonly onHandOver?: (event: HandOverEvent) => void;
}

/** An engine that counts the hits of a journal in ClickHouse. */
export interface ClickHouseEngine extends StatisticsEngine {
  /** For moves from and to the engine in PostgreSQL. */
  readonly store: StatisticsStore;
  /**
   * Checks the server and creates its tables, which the first call does otherwise. Resolves to `false` if the server is away,
   * and rejects if it cannot be used.
   */
  prepare(): Promise<boolean>;
  /** Rejects if the server does not respond within a second. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Connects on the first call; while the server is unreachable, each call rejects with `unavailable`. */
export function openClickHouse({ url, cluster, journal, onHandOver = () => {} }: ClickHouseOptions): ClickHouseEngine {
  const client = openClient(url);
  const server = preparedServer(client, cluster, journal);
  const handOver = createHandOver(server, journal, onHandOver);
  const findWebsite = createFindWebsite(server, journal, handOver);
  return {
    statistics: createStatisticsRepository(server, findWebsite),
    staging: createImportStaging(server, journal, findWebsite, cluster),
    maintenance: createStatisticsMaintenance(server, journal, handOver, cluster),
    store: createStatisticsStore(server, journal, handOver, cluster),
    prepare: () =>
      server.prepare().then(
        () => true,
        (error: unknown) => {
          if (isUnavailable(error)) return false;
          throw error;
        },
      ),
    ping: client.ping,
    close: client.close,
  };
}
