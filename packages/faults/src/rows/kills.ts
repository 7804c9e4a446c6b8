import { setTimeout as sleep } from 'node:timers/promises';
import type { Row, Trial } from '../row.ts';
import type { Client } from '../support/client.ts';
import { POINTS } from '../support/database-proxy.ts';
import { backendsOf, remember, serviceOn, untilNothingIsLeft } from '../support/processes.ts';
import { type Service, startEmbedded, startService } from '../support/service.ts';
import { addTo, told } from '../support/told.ts';
import { expectResponses, outcomesOf, type RunningTraffic, startWriters } from '../support/traffic.ts';
import { until } from '../support/until.ts';

/** Writes before the kill. */
const WRITES_BEFORE = 40;
const LIMIT_MS = 20_000;

/** Waits for a random number of writes and a moment more. */
async function someWrites({ random }: Trial, writers: RunningTraffic): Promise<void> {
  const before = random.below(WRITES_BEFORE);
  await until(
    () => writers.acknowledged() >= before,
    3 * LIMIT_MS,
    () => `only ${writers.acknowledged()} writes were acknowledged.`,
  );
  await sleep(random.below(10));
}

const found = (sum: { acknowledged: number; unanswered: number; happened: number }) =>
  told`${sum.acknowledged} writes acknowledged, all stored; of ${sum.unanswered} without a response, ${sum.happened} were done, each completely`;

export const killApi: Row = {
  name: 'kill-api',
  what: 'kill -9 of the API under writes',
  required: 'acknowledged ⊆ stored; writes without a response all or nothing',
  unit: 'kills',
  full: 150,
  small: 1,
  isTested: true,
  async run(trials) {
    const service = await trials.open(startService());
    const { proxy } = service.postgres;
    const sum = { acknowledged: 0, unanswered: 0, happened: 0 };
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
  },
};

export const killEmbedded: Row = {
  name: 'kill-embedded',
  what: 'kill -9 of the embedded service under writes',
  required: 'restarts each time without help; acknowledged ⊆ stored; no process left',
  unit: 'kills',
  full: 120,
  small: 1,
  isTested: true,
  async run(trials) {
    const service = await trials.open(startEmbedded());
    const { dataDir } = service;
    const sum = { acknowledged: 0, unanswered: 0, happened: 0 };
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
    return told`${found(sum)}; of ${processes} processes none is left`;
  },
};

/** The process to kill among those of a server; `backend` is the one of the write at the chosen point. */
type Choose = (
  server: { readonly postmaster: number; readonly backends: readonly number[] },
  backend: number | undefined,
  trial: Trial,
) => number | undefined;

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
 */
function killDatabases(row: Pick<Row, 'name' | 'what' | 'full'>, together: number, choose: Choose): Row {
  return {
    ...row,
    required: 'acknowledged ⊆ stored; writes without a response all or nothing; Hitherto is not restarted',
    unit: 'kills',
    small: 1,
    async run(trials) {
      const services = new Map<string, Service>();
      const closeAll = async () => {
        for (const service of services.values()) await service.close();
        services.clear();
      };
      await trials.open({ close: closeAll });
      const sum = { acknowledged: 0, refused: 0, happened: 0 };
      const waits: number[] = [];
      await trials.each(async (trial) => {
        const { index, random, open } = trial;
        if (index % together === 0) await closeAll();
        const place = (trials.isFull ? PLACES[index % PLACES.length] : random.pick(PLACES)) ?? 'own';
        const kind = place === 'embedded' ? 'embedded' : 'own';
        const service = services.get(kind) ?? (await (kind === 'own' ? startService() : startEmbedded()));
        services.set(kind, service);
        const client: Client = await open(service.openClient());
        const writers = await open(startWriters(client, random, WRITERS));
        waits.push(await killOnce(trial, service, writers, place === 'own, at a point', choose));
        await writers.stop();
        service.expectAlive();
        expectResponses(writers.seen);
        const { acknowledged, happened } = await writers.check(client);
        addTo(sum, { acknowledged, happened, refused: outcomesOf(writers.seen).refused });
      });
      waits.sort((a, b) => a - b);
      const [median, longest] = [0.5, 1].map((share) => (waits[Math.ceil(waits.length * share) - 1] ?? 0) / 1_000);
      return (
        told`${sum.acknowledged} writes acknowledged, all stored; of ${sum.refused} with 503, ${sum.happened} were done, ` +
        told`each completely; the next write succeeded after ${median ?? 0} s (median), ${longest ?? 0} s (longest)`
      );
    },
  };
}

/** Kills a process, and waits for writes afterwards; returns how long the first one took, in milliseconds. */
async function killOnce(
  trial: Trial,
  { program, proxy, postmaster }: Service,
  writers: RunningTraffic,
  isAtPoint: boolean,
  choose: Choose,
): Promise<number> {
  const { random } = trial;
  const server = { postmaster: postmaster(), backends: [] as readonly number[] };
  const lookUp = () => {
    const backends = backendsOf(server.postmaster);
    return { victims: remember(backends), processes: { ...server, backends } };
  };
  let killed: { readonly at: number; readonly victims: ReturnType<typeof remember> } | undefined;
  const act = ({ victims, processes }: ReturnType<typeof lookUp>, backend?: number) => {
    const victim = choose(processes, backend, trial);
    if (victim === undefined) throw new Error('The service has no connection to its database.');
    process.kill(victim, 'SIGKILL');
    killed = { at: performance.now(), victims };
  };
  const wait = (isSo: () => boolean, what: string) =>
    until(
      isSo,
      3 * LIMIT_MS,
      () => `${what}: ${JSON.stringify(outcomesOf(writers.seen))}\n${program.output().slice(-4_000)}`,
    );
  if (isAtPoint) {
    // The write is blocked meanwhile.
    proxy?.at(random.pick(POINTS), random.below(WRITES_BEFORE), ({ backend }) => act(lookUp(), backend));
    await wait(() => killed !== undefined, 'no write had reached the point of the kill').finally(proxy?.clear);
  } else {
    // Known before the wait: while they are looked up, the writes under way would come to rest.
    await someWrites(trial, writers);
    const processes = lookUp();
    await sleep(1 + random.below(10));
    act(processes);
  }
  // Whichever process is killed, PostgreSQL closes all connections.
  await wait(() => killed?.victims.running().length === 0, 'the server had not closed its connections');
  const first = writers.acknowledged() + WRITERS;
  await wait(() => writers.acknowledged() > first, 'no write succeeds');
  const took = performance.now() - (killed?.at ?? 0);
  await wait(() => writers.acknowledged() >= first + WRITES_AFTER, 'few writes succeed');
  return took;
}

export const killBackend = killDatabases(
  { name: 'kill-backend', what: 'kill -9 of a PostgreSQL backend, own and embedded, under writes', full: 100 },
  Number.POSITIVE_INFINITY,
  ({ backends }, backend, { random }) => backend ?? backends[random.below(backends.length)],
);

export const killPostmaster = killDatabases(
  { name: 'kill-postmaster', what: 'kill -9 of the PostgreSQL postmaster, own and embedded, under writes', full: 60 },
  // A server that keeps dying is restarted after growing delays.
  6,
  ({ postmaster }) => postmaster,
);
