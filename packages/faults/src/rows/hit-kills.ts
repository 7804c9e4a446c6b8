import { setTimeout as sleep } from 'node:timers/promises';
import type { Row, Trial } from '../row.ts';
import { HIT_POINTS } from '../support/database-proxy.ts';
import { startHitSenders } from '../support/hit-senders.ts';
import { backendsOf, type Remembered, remember } from '../support/processes.ts';
import { type HitService, startHitService } from '../support/service.ts';
import { addTo, told } from '../support/told.ts';
import { until } from '../support/until.ts';

const HITS_BEFORE = 200;
const BATCHES_BEFORE = 20;
/** Hits that must be acknowledged afterwards. */
const HITS_AFTER = 100;
const LONGEST_MS = 20_000;

export const killUnderHits: Row = {
  name: 'kill-under-hits',
  what: 'kill -9 of the program under hits',
  required: 'acknowledged ⊆ stored; no hit twice',
  unit: 'kills',
  full: 100,
  small: 2,
  isTested: true,
  async run(trials) {
    const service = await trials.open(startHitService());
    const { proxy } = service.postgres;
    const sum = { acknowledged: 0, unknown: 0, stored: 0 };
    await trials.each(async ({ index, random }) => {
      // The victim is known before, so that nothing comes to rest while it is looked up.
      const { process: victim, ended } = service.program;
      const senders = startHitSenders(service, random);
      const kill = () => void victim.kill('SIGKILL');
      // Half of the kills hit a chosen point of a batch, the others a random time.
      if (index % 2 === 0) proxy.atHits(random.pick(HIT_POINTS), random.below(BATCHES_BEFORE), kill);
      else {
        await senders.reach(random.below(HITS_BEFORE), LONGEST_MS);
        await sleep(random.below(20));
        kill();
      }
      await ended;
      proxy.clear();
      const stopped = senders.stop();
      await service.restart();
      await stopped;
      const stored = await senders.check(service.postgres);
      addTo(sum, { stored, acknowledged: senders.acknowledged(), unknown: senders.unknown() });
    });
    return told`${sum.acknowledged} hits acknowledged, all stored, none twice; of ${sum.unknown} without a response, ${sum.stored} were stored`;
  },
};

/** Breaks something between the program and its database under hits, and then resolves; `wait` waits for some hits. */
type Break = (service: HitService, trial: Trial, wait: () => Promise<void>) => Promise<void>;

/**
 * Outages under hits, while the program stays the same process: every hit is acknowledged, since its sender waits, and
 * stored once.
 *
 * @param together this many trials share a database
 */
function surviveOutages(row: Omit<Row, 'run' | 'required'>, together: number, breakDown: Break): Row {
  return {
    ...row,
    required: 'every hit whose sender waited is acknowledged; acknowledged = stored, none twice',
    async run(trials) {
      let service: HitService | undefined;
      await trials.open({ close: () => service?.close() });
      let acknowledged = 0;
      const waits: number[] = [];
      await trials.each(async (trial) => {
        if (trial.index % together === 0) {
          await service?.close();
          service = undefined;
        }
        service ??= await startHitService();
        const senders = startHitSenders(service, trial.random);
        await breakDown(service, trial, async () => {
          await senders.reach(1 + trial.random.below(HITS_BEFORE), LONGEST_MS);
          await sleep(trial.random.below(20));
        });
        waits.push(await senders.reach(senders.acknowledged() + HITS_AFTER, LONGEST_MS));
        await senders.stop();

        service.expectAlive();
        await senders.check(service.postgres);
        // Outside a full run a busy machine may take longer than senders wait.
        const missed = senders.refused() + senders.unknown();
        if (trials.isFull && missed > 0) throw new Error(`${missed} times a hit of a sender that waited had no 202.`);
        acknowledged += senders.acknowledged();
      });
      const longest = Math.max(...waits) / 1_000;
      return told`${acknowledged} hits, all acknowledged and stored once; ${HITS_AFTER} more hits within ${longest} s of each`;
    },
  };
}

async function untilGone(connections: Remembered): Promise<void> {
  await until(
    () => connections.running().length === 0,
    LONGEST_MS,
    () => 'the server had not closed its connections.',
  );
}

export const killBackendUnderHits = surviveOutages(
  {
    name: 'kill-backend-under-hits',
    what: 'kill -9 of a PostgreSQL backend that stores hits, under hits',
    unit: 'kills',
    full: 50,
  },
  Number.POSITIVE_INFINITY,
  async ({ postgres }, { random }, wait) => {
    let pids: number[] = [];
    // Known before the wait, so that nothing comes to rest while they are looked up.
    const find = "select pid from pg_stat_activity where application_name = 'hitherto ingest' order by pid";
    await until(
      async () => {
        pids = (await postgres.query<{ pid: number }>(find)).map(({ pid }) => pid);
        return pids.length > 0;
      },
      10_000,
      () => 'no connection for hits.',
    );
    const connections = remember(pids);
    const victim = pids[random.below(pids.length)];
    await wait();
    if (victim !== undefined) process.kill(victim, 'SIGKILL');
    await untilGone(connections);
  },
);

export const killPostmasterUnderHits = surviveOutages(
  {
    name: 'kill-postmaster-under-hits',
    what: 'kill -9 of the PostgreSQL postmaster under hits, restarted at once',
    unit: 'kills',
    full: 30,
  },
  // A server that keeps dying is restarted after growing delays.
  6,
  async ({ postgres }, _trial, wait) => {
    const victim = postgres.pid();
    const connections = remember(backendsOf(victim));
    await wait();
    process.kill(victim, 'SIGKILL');
    // They outlive their postmaster for a moment, and would store the next hits.
    await untilGone(connections);
  },
);

export const commitUnknown = surviveOutages(
  {
    name: 'commit-unknown',
    what: 'the connection cut at a chosen point of COPY and COMMIT, under hits',
    unit: 'cuts',
    full: 60,
    small: 1,
    isTested: true,
  },
  Number.POSITIVE_INFINITY,
  async ({ postgres }, { index, random }) => {
    const point = HIT_POINTS[index % HIT_POINTS.length] ?? random.pick(HIT_POINTS);
    let isCut = false;
    postgres.proxy.atHits(point, random.below(BATCHES_BEFORE), ({ cut }) => {
      isCut = true;
      cut();
    });
    await until(
      () => isCut,
      LONGEST_MS,
      () => `no batch had reached the point ${point}.`,
    );
  },
);
