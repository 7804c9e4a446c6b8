import { setTimeout as sleep } from 'node:timers/promises';
import { type RowOptions, row, type Trial } from '../row.ts';
import { HIT_POINTS } from '../support/database-proxy.ts';
import { startHitSenders } from '../support/hit-senders.ts';
import { addTo, withNumbers } from '../support/numbers-text.ts';
import { backendsOf, type Remembered, remember } from '../support/processes.ts';
import { type HitService, startHitService } from '../support/service.ts';
import { until } from '../support/until.ts';

const HITS_BEFORE = 200;
const BATCHES_BEFORE = 20;
/** Hits that must be acknowledged afterwards. */
const HITS_AFTER = 100;
const LONGEST_MS = 20_000;

const killUnderHits = row('kill-under-hits', 100, 'kills', { small: 2, isTested: true }, async (trials) => {
  const service = await trials.open(startHitService());
  const { proxy } = service.postgres;
  const sum = { acknowledged: 0, unknown: 0, stored: 0 };
  await trials.each(async ({ index, random, open }) => {
    // The victim is known before, so that nothing comes to rest while it is looked up.
    const { process: victim, ended } = service.program;
    const senders = await open(startHitSenders(service, random));
    const kill = () => void victim.kill('SIGKILL');
    // Half of the kills hit a chosen point of a batch, the others a random time.
    if (index % 2 === 0) proxy.atHits(random.pick(HIT_POINTS), random.below(BATCHES_BEFORE), kill);
    else {
      await senders.reach(random.below(HITS_BEFORE));
      await sleep(random.below(20));
      kill();
    }
    await ended;
    proxy.clear();
    const stopped = senders.close();
    await service.restart();
    await stopped;
    addTo(sum, await senders.check());
  });
  return withNumbers`${sum.acknowledged} hits acknowledged, all stored, none twice; of ${sum.unknown} without a response, ${sum.stored} were stored`;
});

/** Breaks something between the program and its database under hits, and then resolves; `wait` waits for some hits. */
type Break = (service: HitService, trial: Trial, wait: () => Promise<void>) => Promise<void>;

interface OutageOptions extends RowOptions {
  /** This many trials share a database; all of them by default. */
  readonly together?: number;
}

/**
 * Outages under hits, while the program stays the same process: every hit is acknowledged, since its sender waits, and
 * stored once.
 */
function outageRow(name: string, full: number, unit: string, options: OutageOptions, breakDown: Break) {
  const { together = Number.POSITIVE_INFINITY, ...others } = options;
  return row(name, full, unit, others, async (trials) => {
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
      const senders = await trial.open(startHitSenders(service, trial.random));
      await breakDown(service, trial, async () => {
        await senders.reach(1 + trial.random.below(HITS_BEFORE));
        await sleep(trial.random.below(20));
      });
      waits.push(await senders.reach(senders.acknowledged() + HITS_AFTER));
      await senders.close();

      service.expectAlive();
      const found = await senders.check();
      // Outside a full run a busy machine may take longer than senders wait.
      const missed = senders.unavailable() + found.unknown;
      if (trials.isFull && missed > 0) throw new Error(`${missed} times a hit of a sender that waited had no 202.`);
      acknowledged += found.acknowledged;
    });
    const longest = Math.max(...waits) / 1_000;
    return withNumbers`${acknowledged} hits, all acknowledged and stored once; ${HITS_AFTER} more hits within ${longest} s of each`;
  });
}

async function untilGone(connections: Remembered): Promise<void> {
  await until('the server had not closed its connections.', LONGEST_MS, () => connections.running().length === 0);
}

const killBackend: Break = async ({ postgres }, { random }, wait) => {
  let pids: number[] = [];
  // Known before the wait, so that nothing comes to rest while they are looked up.
  const find = "select pid from pg_stat_activity where application_name = 'hitherto ingest' order by pid";
  await until('no connection for hits.', LONGEST_MS, async () => {
    pids = (await postgres.query<{ pid: number }>(find)).map(({ pid }) => pid);
    return pids.length > 0;
  });
  const connections = remember(pids);
  const victim = pids[random.below(pids.length)];
  await wait();
  if (victim !== undefined) process.kill(victim, 'SIGKILL');
  await untilGone(connections);
};

const killServer: Break = async ({ postgres }, _trial, wait) => {
  const victim = postgres.pid();
  const connections = remember(backendsOf(victim));
  await wait();
  process.kill(victim, 'SIGKILL');
  // They outlive their postmaster for a moment, and would store the next hits.
  await untilGone(connections);
};

const cutBatch: Break = async ({ postgres }, { index, random }) => {
  const point = HIT_POINTS[index % HIT_POINTS.length] ?? random.pick(HIT_POINTS);
  let isCut = false;
  postgres.proxy.atHits(point, random.below(BATCHES_BEFORE), ({ cut }) => {
    isCut = true;
    cut();
  });
  await until(`no batch had reached the point ${point}.`, LONGEST_MS, () => isCut);
};

/** A server that keeps dying is restarted after growing delays. */
const FEW_TOGETHER = { together: 6 };

const killBackendUnderHits = outageRow('kill-backend-under-hits', 50, 'kills', {}, killBackend);
const killPostmasterUnderHits = outageRow('kill-postmaster-under-hits', 30, 'kills', FEW_TOGETHER, killServer);
const commitUnknown = outageRow('commit-unknown', 60, 'cuts', { small: 1, isTested: true }, cutBatch);

export const hitKills = [killUnderHits, killBackendUnderHits, killPostmasterUnderHits, commitUnknown];
