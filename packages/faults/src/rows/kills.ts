import { setTimeout as sleep } from 'node:timers/promises';
import { row, type Trial } from '../row.ts';
import { POINTS } from '../support/database-proxy.ts';
import { addTo, withNumbers } from '../support/numbers-text.ts';
import { quantile } from '../support/pace.ts';
import { backendsOf, type Remembered, remember, serviceOn, untilNothingIsLeft } from '../support/processes.ts';
import { type Service, startEmbedded, startService } from '../support/service.ts';
import { expectResponses, outcomesOf, type RunningTraffic, startWriters } from '../support/traffic.ts';
import { until } from '../support/until.ts';

/** Writes before the kill. */
const WRITES_BEFORE = 40;
const LIMIT_MS = 20_000;

/** Waits for a random number of writes and a moment more. */
async function someWrites({ random }: Trial, writers: RunningTraffic): Promise<void> {
  const before = random.below(WRITES_BEFORE);
  const isReached = () => writers.acknowledged() >= before;
  await until(() => `only ${writers.acknowledged()} writes were acknowledged.`, 3 * LIMIT_MS, isReached);
  await sleep(random.below(10));
}

const found = (sum: { acknowledged: number; withoutResponse: number; happened: number }) =>
  withNumbers`${sum.acknowledged} writes acknowledged, all stored; of ${sum.withoutResponse} without a response, ${sum.happened} were done, each completely`;

const killApi = row('kill-api', 150, 'kills', { small: 1, isTested: true }, async (trials) => {
  const service = await trials.open(startService());
  const { proxy } = service.postgres;
  const sum = { acknowledged: 0, withoutResponse: 0, happened: 0 };
  await trials.each(async (trial) => {
    const { index, random, open } = trial;
    const client = await open(service.openClient());
    const writers = await open(startWriters(client, random));
    const { process: victim, ended } = service.program;
    const kill = () => void victim.kill('SIGKILL');
    // A third of the kills hit a chosen point of a write, the others a random time.
    const isAtPoint = (trials.isFull ? index : random.below(3)) % 3 === 0;
    if (isAtPoint) proxy.at(random.pick(POINTS), random.below(WRITES_BEFORE), kill);
    else await someWrites(trial, writers).then(kill);
    await ended;
    proxy.clear();
    await writers.stop();
    await service.restart();
    addTo(sum, await writers.check(client));
  });
  return found(sum);
});

const killEmbedded = row('kill-embedded', 120, 'kills', { small: 1, isTested: true }, async (trials) => {
  const service = await trials.open(startEmbedded());
  const { dataDir } = service;
  const sum = { acknowledged: 0, withoutResponse: 0, happened: 0 };
  let processes = 0;
  await trials.each(async (trial) => {
    const { random, open } = trial;
    const client = await open(service.openClient());
    const writers = await open(startWriters(client, random));
    await someWrites(trial, writers);
    const killed = serviceOn(service.program.pid, dataDir);
    service.program.process.kill('SIGKILL');
    await service.program.ended;
    await writers.stop();

    // The next start comes at once, while the old server ends, or after it has ended.
    const next = random.pick(['at once', 'soon', 'when nothing is left']);
    if (next === 'soon') await sleep(random.below(300));
    if (next === 'when nothing is left') await untilNothingIsLeft(killed, dataDir, trials.patience);
    await service.restart();
    await untilNothingIsLeft(killed, dataDir, trials.patience, service.program.pid);
    addTo(sum, await writers.check(client));
    processes += killed.count;
  });
  return withNumbers`${found(sum)}; of ${processes} processes none is left`;
});

/** Half of the kills are on an own database; two thirds of those, a third of all, at a chosen point of a write. */
const PLACES = ['own, at a point', 'embedded', 'own', 'embedded', 'own, at a point', 'embedded'] as const;
/** Concurrent writes; this many responses can still come from before the kill. */
const WRITERS = 6;
/** Writes that must be acknowledged after the kill. */
const WRITES_AFTER = 20;

/**
 * Kills processes of the database under writes, while the service stays the same process.
 *
 * @param together this many trials share services, which are then restarted
 * @param choose a process of the server, otherwise any backend; `backend` is the one of the write at the chosen point
 */
function killDatabases(
  name: string,
  full: number,
  together: number,
  choose: (postmaster: number, backend?: number) => number | undefined,
) {
  return row(name, full, 'kills', { small: 1 }, async (trials) => {
    const services = new Map<string, Service>();
    const closeAll = async () => {
      for (const service of services.values()) await service.close();
      services.clear();
    };
    await trials.open({ close: closeAll });
    const sum = { acknowledged: 0, unavailable: 0, happened: 0 };
    const waits: number[] = [];
    await trials.each(async (trial) => {
      const { index, random, open } = trial;
      if (index % together === 0) await closeAll();
      const place = (trials.isFull ? PLACES[index % PLACES.length] : random.pick(PLACES)) ?? 'own';
      const kind = place === 'embedded' ? 'embedded' : 'own';
      const service = services.get(kind) ?? (await (kind === 'own' ? startService() : startEmbedded()));
      services.set(kind, service);
      const client = await open(service.openClient());
      const writers = await open(startWriters(client, random, WRITERS));
      const isAtPoint = place === 'own, at a point';
      waits.push(await killOnce(trial, service, writers, isAtPoint, choose));
      await writers.stop();
      service.expectAlive();
      expectResponses(writers.seen);
      const { acknowledged, happened } = await writers.check(client);
      addTo(sum, { acknowledged, happened, unavailable: outcomesOf(writers.seen).unavailable });
    });
    return (
      withNumbers`${sum.acknowledged} writes acknowledged, all stored; of ${sum.unavailable} with 503, ${sum.happened} were done, each ` +
      withNumbers`completely; the next write succeeded after ${quantile(waits, 0.5)} s (median), ${quantile(waits, 1)} s (longest)`
    );
  });
}

/** Kills a process, and waits for writes afterwards; returns how long the first one took, in seconds. */
async function killOnce(
  trial: Trial,
  { program, proxy, postmaster }: Service,
  writers: RunningTraffic,
  isAtPoint: boolean,
  choose: Parameters<typeof killDatabases>[3],
): Promise<number> {
  const { random } = trial;
  const server = postmaster();
  let killed: { readonly at: number; readonly connections: Remembered } | undefined;
  const kill = (backends: readonly number[], connections: Remembered, backend?: number) => {
    const victim = choose(server, backend) ?? backends[random.below(backends.length)];
    if (victim === undefined) throw new Error('The service has no connection to its database.');
    process.kill(victim, 'SIGKILL');
    killed = { at: performance.now(), connections };
  };
  const wait = (complaint: string, isSo: () => boolean) => {
    const about = () => `${complaint}: ${JSON.stringify(outcomesOf(writers.seen))}\n${program.output().slice(-4_000)}`;
    return until(about, 3 * LIMIT_MS, isSo);
  };
  if (isAtPoint) {
    proxy?.at(random.pick(POINTS), random.below(WRITES_BEFORE), ({ backend }) => {
      // The write is blocked meanwhile.
      const backends = backendsOf(server);
      kill(backends, remember(backends), backend);
    });
    await wait('no write had reached the point of the kill', () => killed !== undefined).finally(proxy?.clear);
  } else {
    await someWrites(trial, writers);
    // Known before the wait: while they are looked up, the writes under way would come to rest.
    const backends = backendsOf(server);
    const connections = remember(backends);
    await sleep(1 + random.below(10));
    kill(backends, connections);
  }
  // Whichever process is killed, PostgreSQL closes all connections.
  await wait('the server had not closed its connections', () => killed?.connections.running().length === 0);
  const first = writers.acknowledged() + WRITERS;
  await wait('no write succeeds', () => writers.acknowledged() > first);
  const took = performance.now() - (killed?.at ?? 0);
  await wait('few writes succeed', () => writers.acknowledged() >= first + WRITES_AFTER);
  return took / 1_000;
}

const killBackend = killDatabases('kill-backend', 100, Number.POSITIVE_INFINITY, (_, backend) => backend);

/** A server that keeps dying is restarted after growing delays. */
const killPostmaster = killDatabases('kill-postmaster', 60, 6, (postmaster) => postmaster);

export const kills = [killApi, killBackend, killPostmaster, killEmbedded];
