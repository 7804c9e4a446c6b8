import { type MoveDependencies, moveStatistics, type StatisticsRepository } from '@hitherto/domain/engine';
import { type CountedHit, DIMENSIONS } from '@hitherto/domain/hits';
import { openPostgres } from '@hitherto/postgres';
import { createDatabase } from '@hitherto/testing/databases';
import { aCountedHit } from '@hitherto/testing/fixtures';
import { afterEach, beforeEach, inject } from 'vitest';
import { openClickHouse } from '../src/index.ts';
import { createClickHouseDatabase } from './databases.ts';
import { TEMPLATE_OF_CLICKHOUSE } from './template.ts';

/** When statistics move. */
export const NOW = new Date('2026-11-21T12:00:00.000Z');

/** For each test a database with both engines. */
export function useBothEngines() {
  let open: BothEngines;

  beforeEach(async () => {
    open = await openBoth((await createClickHouseDatabase()).url);
  });
  afterEach(() => open.close());
  return () => open;
}

export type BothEngines = Awaited<ReturnType<typeof openBoth>>;

/**
 * Opens a database with both engines: `service` and `clickhouse` as services do, `toClickHouse` and `toPostgres` as the
 * command does.
 */
async function openBoth(url: string) {
  const log = () => {};
  const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE_OF_CLICKHOUSE });
  const service = openPostgres({ connection: database.url, log });
  const other = openPostgres({ connection: database.url, log });
  const mover = openPostgres({ connection: database.url, log, readsInactiveEngine: true });
  const clickhouse = openClickHouse({ url, journal: other.journal });
  const target = openClickHouse({ url, journal: mover.journal });
  await target.prepare();
  const { moving } = mover;
  const common = { findWebsites: moving.findWebsites, now: () => NOW };
  const inside = { store: moving.store, statistics: mover.statistics, maintenance: mover.maintenance };
  const toClickHouse: MoveDependencies = { ...common, from: inside, to: target, arriving: moving.leaving };
  const toPostgres: MoveDependencies = { ...common, from: target, to: inside, arriving: moving.returning };
  return {
    database,
    service,
    clickhouse,
    toClickHouse,
    toPostgres,
    close: async () => {
      await Promise.all([service, other, mover, clickhouse, target].map((part) => part.close()));
      await database.drop();
    },
  };
}

/** Moves statistics to the other engine, or only copies the statistics of one website. Returns how many hits the source has. */
export function move(deps: MoveDependencies, websiteId?: string): Promise<number> {
  return moveStatistics(deps, websiteId, () => {});
}

/** A hit at noon of a day. */
export function onDay(websiteId: string, day: string, visitor = 1n, more: Partial<CountedHit> = {}): CountedHit {
  return aCountedHit({ websiteId, day, visitor, time: new Date(`${day}T12:00:00.000Z`), ...more });
}

/** The numbers of each website. */
export async function readAll(statistics: StatisticsRepository, websites: readonly string[]) {
  const found = [];
  for (const websiteId of websites) {
    const query = { websiteId, from: '2025-01-01', to: '2027-12-31', filters: [] };
    found.push({
      first: await statistics.firstDay(websiteId),
      days: await statistics.series(query, 'day'),
      hours: await statistics.series(query, 'hour'),
      overview: await statistics.overview(query, DIMENSIONS, 100),
      plans: await statistics.propertyValues(query, 'Signup', 'plan', 100),
    });
  }
  return found;
}
