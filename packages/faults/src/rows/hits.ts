import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf } from '@hitherto/testing/proc';
import type { Row, Trial } from '../row.ts';
import { HIT_POINTS } from '../support/database-proxy.ts';
import { type HitSenders, type StoredHits, startHitSenders } from '../support/hit-senders.ts';
import { type KillLoop, killRow } from '../support/kill-loop.ts';
import { backendsOf, type Remembered, remember } from '../support/processes.ts';
import { type HitService, startHitService } from '../support/service.ts';
import { until } from '../support/until.ts';

const HITS_BEFORE = 200;
/** Hits that must be acknowledged afterwards. */
const HITS_AFTER = 100;
const BATCHES_BEFORE = 20;
const LONGEST_MS = 20_000;

/** A service that collects hits. */
export interface HitWorld {
  readonly service: HitService;
  /** Counts the stored hits of each page that starts with a prefix; in PostgreSQL by default. */
  readonly stored?: StoredHits;
  close(): Promise<unknown>;
}

interface HitLoop<World extends HitWorld> extends Omit<KillLoop<World, HitSenders>, 'load' | 'check'> {
  /** Whether the program lives on, so that every hit is acknowledged: its sender waits. */
  readonly isPatient?: boolean;
}

/** A row that breaks something under hits: those acknowledged are stored, none is twice, and more are acknowledged soon. */
export function hitRow<World extends HitWorld>(
  name: string,
  full: number,
  unit: string,
  { isPatient = false, strike, ...loop }: HitLoop<World>,
): Row {
  return killRow<World, HitSenders>(name, full, unit, {
    ...loop,
    load: ({ service, stored }, { random }) => startHitSenders(service, random, stored, 0, stored === undefined),
    async strike(world, senders, trial) {
      await strike(world, senders, trial);
      trial.took(`${HITS_AFTER} more hits`, await senders.reach(senders.acknowledged() + HITS_AFTER));
    },
    async check({ service, stored }, senders, { isFull }) {
      service.expectAlive();
      const found = await senders.check();
      if (stored === undefined) {
        const reader = await service.openClient(service.key);
        await senders.checkMeasures(reader);
        reader.close();
      }
      const missed = senders.unavailable() + found.unknown;
      // Outside a full run a busy machine may take longer than senders wait.
      if (isPatient && isFull && missed > 0)
        throw new Error(`${missed} times a hit of a sender that waited had no 202.`);
      return found;
    },
  });
}

/** Waits for a random number of hits, and a moment more. */
export async function someHits(senders: HitSenders, { random }: Pick<Trial, 'random'>): Promise<void> {
  await senders.reach(1 + random.below(HITS_BEFORE));
  await sleep(random.below(20));
}

const start = async (env: Readonly<Record<string, string>> = {}): Promise<HitWorld> => {
  const service = await startHitService(env);
  return { service, close: service.close };
};

const killUnderHits = hitRow('kill-under-hits', 100, 'kills', {
  small: 2,
  isTested: true,
  start,
  async strike({ service }, senders, trial) {
    const { proxy } = service.postgres;
    // Known before the wait, so that nothing comes to rest while it is looked up.
    const { process: victim, ended } = service.program;
    const kill = () => void victim.kill('SIGKILL');
    // Half of the kills hit a chosen point of a batch, the others a random time.
    const { index, random } = trial;
    if (index % 2 === 0) proxy.atHits(random.pick(HIT_POINTS), random.below(BATCHES_BEFORE), kill);
    else await someHits(senders, trial).then(kill);
    await ended;
    proxy.clear();
    await service.restart();
  },
});

async function untilGone(connections: Remembered): Promise<void> {
  await until('the server had not closed its connections.', LONGEST_MS, () => connections.running().length === 0);
}

const killBackend = hitRow('kill-backend-under-hits', 50, 'kills', {
  start,
  isPatient: true,
  async strike({ service: { postgres } }, senders, trial) {
    let pids: number[] = [];
    // Known before the wait, too.
    const find = "select pid from pg_stat_activity where application_name = 'hitherto ingest' order by pid";
    await until('no connection for hits.', LONGEST_MS, async () => {
      pids = (await postgres.query<{ pid: number }>(find)).map(({ pid }) => pid);
      return pids.length > 0;
    });
    const connections = remember(pids);
    const victim = pids[trial.random.below(pids.length)];
    await someHits(senders, trial);
    if (victim !== undefined) process.kill(victim, 'SIGKILL');
    await untilGone(connections);
  },
});

const killPostmaster = hitRow('kill-postmaster-under-hits', 30, 'kills', {
  start,
  isPatient: true,
  together: 6,
  async strike({ service: { postgres } }, senders, trial) {
    const victim = postgres.pid();
    const connections = remember(backendsOf(victim));
    await someHits(senders, trial);
    process.kill(victim, 'SIGKILL');
    // They outlive their postmaster for a moment, and would store the next hits.
    await untilGone(connections);
  },
});

const commitUnknown = hitRow('commit-unknown', 60, 'cuts', {
  isTested: true,
  start,
  isPatient: true,
  async strike({ service: { postgres } }, _senders, { index, random }) {
    const point = HIT_POINTS[index % HIT_POINTS.length] ?? random.pick(HIT_POINTS);
    let isCut = false;
    postgres.proxy.atHits(point, random.below(BATCHES_BEFORE), ({ cut }) => {
      isCut = true;
      cut();
    });
    await until(`no batch had reached the point ${point}.`, LONGEST_MS, () => isCut);
  },
});

const LONGEST_ABSENCE_MS = 2_000;

const restarts = hitRow('restarts-under-hits', 20, 'restarts', {
  small: 1,
  start,
  async strike({ service: { postgres } }, senders, trial) {
    await someHits(senders, trial);
    await postgres.stop();
    await sleep(trial.random.below(LONGEST_ABSENCE_MS));
    const before = senders.acknowledged();
    await postgres.start();
    trial.took('the first 202 after the return', await senders.reach(before + 1), 1_000, 0.95);
  },
});

const WORKERS = 3;

/** How many workers of a service have become ready so far. */
const readyOf = ({ program }: HitService) => program.output().match(/"msg":"ready"/g)?.length ?? 0;

const killWorkers = hitRow('kill-workers-under-hits', 40, 'times', {
  small: 2,
  async start() {
    const world = await start({ WORKERS: String(WORKERS) });
    await until('a worker had not started.', 3 * LONGEST_MS, () => readyOf(world.service) === WORKERS);
    return world;
  },
  async strike({ service }, senders, trial) {
    const before = readyOf(service);
    const workers = childrenOf(service.program.pid);
    // At least one worker is left, so the port responds throughout.
    workers.splice(trial.random.below(WORKERS), 1);
    const victims = workers.slice(trial.random.below(WORKERS - 1));
    await someHits(senders, trial);
    for (const victim of victims) process.kill(victim, 'SIGKILL');
    trial.add({ 'workers killed': victims.length });
    // One that dies again and again is started after growing delays.
    const isBack = () => readyOf(service) === before + victims.length;
    await until('a worker had not been started again.', trial.patience * LONGEST_MS, isBack);
    if (senders.refused() > 0) throw new Error(`${senders.refused()} connections were refused.`);
  },
});

export const hits = [killUnderHits, killBackend, killPostmaster, commitUnknown, restarts, killWorkers];
