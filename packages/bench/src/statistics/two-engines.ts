import { tmpdir } from 'node:os';
import { openClickHouse } from '@hitherto/adapters/clickhouse';
import { addDays } from '@hitherto/domain/calendar';
import { type ClickHouseServer, startClickHouse } from '@hitherto/testing/clickhouse';
import { createDatabase, numberIn, withRepositories } from '../database.ts';
import type { Run } from '../run.ts';
import { type RunningServer, startHitherto } from '../servers.ts';
import { CLOSED_DAYS, fillClosedDays, fillToday, numberOf } from './closed-days.ts';
import type { HitWebsite } from './hits.ts';
import { addWebsites, tenHosts } from './websites.ts';

/** A program with its database, and one of the engines. */
export interface Side {
  readonly name: 'PostgreSQL' | 'ClickHouse';
  readonly databaseUrl: string;
  readonly server: RunningServer;
  readonly key: string;
  /** The one that has the filled hits. */
  readonly large: HitWebsite;
  /** Websites that hits are collected for, and those for which hits are collected during an outage. */
  readonly small: readonly HitWebsite[];
  readonly away: readonly HitWebsite[];
}

/** Two programs that have the same hits. */
export interface BothEngines {
  readonly postgresql: Side;
  readonly clickhouse: Side;
  readonly engine: ClickHouseServer;
  /** Fills the past hours of today with so many hits. */
  fillToday(hits: number): Promise<void>;
}

/** Starts a program for each engine, with as many hits in all on days that are over. */
export async function openBothEngines(run: Run, today: string, hits: number): Promise<BothEngines> {
  const { open, progress } = run;
  // On the disk, as PostgreSQL is.
  const engine = await open(startClickHouse({ parent: tmpdir() }));

  const prepare = async (name: Side['name']) => {
    const databaseUrl = await createDatabase(run.database.url, `bench_${name.toLowerCase()}`);
    const hosts = ['large.example', ...tenHosts('small'), ...tenHosts('away')] as const;
    const { key, websites } = await addWebsites(databaseUrl, hosts);
    const [large, ...others] = websites;
    return { name, databaseUrl, key, large, small: others.slice(0, 10), away: others.slice(10) };
  };
  const [inside, outside] = [await prepare('PostgreSQL'), await prepare('ClickHouse')];
  const number = BigInt(await numberOf(inside.databaseUrl, inside.large));
  if (number !== BigInt(await numberOf(outside.databaseUrl, outside.large))) {
    throw new Error('The website has another number in each database.');
  }

  /** Copies the hits of a day, as `statistics move` does. */
  const copyDay = (day: string) =>
    withEngine(outside.databaseUrl, engine, async ({ store }) => {
      const days = [{ website: number, day }];
      await withRepositories(inside.databaseUrl, ({ moving }) => store.replaceDays(days, moving.store.hitsOf(days)));
    });
  await fillClosedDays(run, inside.databaseUrl, inside.large, today, hits);
  await withRepositories(outside.databaseUrl, ({ useEngine }) => useEngine('outside'));
  const first = addDays(today, -CLOSED_DAYS);
  await copyDay(first);
  for (let days = 1; days < CLOSED_DAYS; days += 1) {
    await engine.query(
      `insert into hit
       select * replace (day + ${days} as day, bitXor(visitor, ${days}) as visitor, time + interval ${days} day as time)
       from (select * from hit final where website = ${number} and day = '${first}')`,
    );
  }
  await withEngine(outside.databaseUrl, engine, async ({ maintenance }) => {
    await maintenance.rebuild({ websiteId: outside.large.id }, new Date(), ({ done, total }) =>
      progress(`ClickHouse: ${done} of ${total} days`),
    );
  });

  const start = async (side: Omit<Side, 'server'>, env: Record<string, string>): Promise<Side> => ({
    ...side,
    server: await open(startHitherto({ DATABASE_URL: side.databaseUrl, ...env })),
  });
  return {
    postgresql: await start(inside, {}),
    clickhouse: await start(outside, { CLICKHOUSE_URL: engine.url }),
    engine,
    async fillToday(count) {
      await fillToday(inside.databaseUrl, inside.large, today, count);
      await copyDay(today);
    },
  };
}

async function withEngine(
  databaseUrl: string,
  { url }: ClickHouseServer,
  work: (engine: ReturnType<typeof openClickHouse>) => Promise<void>,
): Promise<void> {
  await withRepositories(databaseUrl, async ({ journal }) => {
    const engine = openClickHouse({ url, journal });
    try {
      await work(engine);
    } finally {
      await engine.close();
    }
  });
}

/** How many seconds the oldest hit has waited that waits to be handed over; 0 if none waits. */
export function longestWait({ databaseUrl }: Side): Promise<number> {
  return numberIn(
    databaseUrl,
    `select coalesce(extract(epoch from clock_timestamp() - min(added_at)), 0)::double precision as value
     from journal_batch where is_waiting`,
  );
}
