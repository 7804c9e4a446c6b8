import type { Row } from '../row.ts';
import { surviveOutages } from '../support/hit-outages.ts';
import { HIT_POINTS } from '../support/hit-points.ts';
import { backendsOf, type Remembered, remember } from '../support/postgres-processes.ts';
import { until } from '../support/until.ts';

const BATCHES_BEFORE = 20;
const required = 'every hit whose sender waited is acknowledged; acknowledged = stored, none twice';
/** A server that keeps dying is restarted after growing delays. */
const KILLS_TOGETHER = 6;

export const killBackendUnderHits: Row = {
  name: 'kill-backend-under-hits',
  what: 'kill -9 of a PostgreSQL backend that stores hits, under hits',
  required,
  unit: 'kills',
  full: 50,
  run: (trials) =>
    surviveOutages(trials, Number.POSITIVE_INFINITY, async ({ postgres }, { random }, wait) => {
      let backends: readonly { pid: number }[] = [];
      await until(
        async () => {
          // Known before the wait, so that nothing comes to rest while they are looked up.
          backends = await postgres.query(
            "select pid from pg_stat_activity where application_name = 'hitherto ingest' order by pid",
          );
          return backends.length > 0;
        },
        10_000,
        () => 'no connection for hits.',
      );
      const connections = remember(backends.map(({ pid }) => pid));
      const victim = backends[random.below(backends.length)]?.pid;
      await wait();
      if (victim !== undefined) process.kill(victim, 'SIGKILL');
      await untilGone(connections);
    }),
};

export const killPostmasterUnderHits: Row = {
  name: 'kill-postmaster-under-hits',
  what: 'kill -9 of the PostgreSQL postmaster under hits, restarted at once',
  required,
  unit: 'kills',
  full: 30,
  run: (trials) =>
    surviveOutages(trials, KILLS_TOGETHER, async ({ postgres }, _trial, wait) => {
      const victim = await postgres.pid();
      const connections = remember(backendsOf(victim));
      await wait();
      process.kill(victim, 'SIGKILL');
      // They outlive their postmaster for a moment, and would store the next hits.
      await untilGone(connections);
    }),
};

async function untilGone(connections: Remembered): Promise<void> {
  await until(
    () => connections.running().length === 0,
    20_000,
    () => 'the server had not closed its connections.',
  );
}

export const commitUnknown: Row = {
  name: 'commit-unknown',
  what: 'the connection cut at a chosen point of COPY and COMMIT, under hits',
  required,
  unit: 'cuts',
  full: 60,
  small: 1,
  isTested: true,
  run: (trials) =>
    surviveOutages(trials, Number.POSITIVE_INFINITY, async ({ postgres }, { index, random }) => {
      const point = HIT_POINTS[index % HIT_POINTS.length] ?? random.pick(HIT_POINTS);
      let isCut = false;
      postgres.proxy.atHits(point, random.below(BATCHES_BEFORE), (cut) => {
        isCut = true;
        cut();
      });
      await until(
        () => isCut,
        20_000,
        () => `no batch had reached the point ${point}.`,
      );
    }),
};
