import { setTimeout as sleep } from 'node:timers/promises';
import type { Trial } from '../row.ts';
import type { Client } from '../support/client.ts';
import { POINTS } from '../support/database-proxy.ts';
import { type KillLoop, killRow } from '../support/kill-loop.ts';
import { backendsOf, type Remembered, remember, serviceOn, untilNothingIsLeft } from '../support/processes.ts';
import { type OwnService, type Service, startEmbedded, startService } from '../support/service.ts';
import { expectResponses, outcomesOf, type RunningTraffic, startWriters } from '../support/traffic.ts';
import { until } from '../support/until.ts';

/** Writes before the kill. */
const WRITES_BEFORE = 40;
/** Concurrent writes; this many responses can still come from before the kill. */
const WRITERS = 6;
/** Writes that must be acknowledged after a kill that the program survives. */
const WRITES_AFTER = 20;
const LONGEST_MS = 60_000;

interface Writers extends RunningTraffic {
  readonly client: Client;
}

async function startLoad(service: Service, { open, random }: Trial): Promise<Writers> {
  const client = await open(service.openClient());
  return { ...startWriters(client, random, WRITERS), client };
}

/** Waits for a random number of writes and a moment more. */
async function someWrites({ random }: Trial, writers: RunningTraffic): Promise<void> {
  const before = random.below(WRITES_BEFORE);
  const isReached = () => writers.acknowledged() >= before;
  await until(() => `only ${writers.acknowledged()} writes were acknowledged.`, LONGEST_MS, isReached);
  await sleep(random.below(10));
}

type Strike<Killed extends Service> = KillLoop<Killed, Writers>['strike'];

/** A row that kills the program under writes, and starts it again. */
function programRow<Killed extends Service>(
  name: string,
  full: number,
  start: () => Promise<Killed>,
  strike: Strike<Killed>,
) {
  const check = (_service: Killed, { check: compare, client }: Writers) => compare(client);
  return killRow<Killed, Writers>(name, full, 'kills', { isTested: true, start, load: startLoad, strike, check });
}

const killApi = programRow('kill-api', 150, startService, async (service: OwnService, writers, trial) => {
  const { index, random } = trial;
  const { proxy } = service.postgres;
  const { process: victim, ended } = service.program;
  const kill = () => void victim.kill('SIGKILL');
  // A third of the kills hit a chosen point of a write, the others a random time.
  const isAtPoint = (trial.isFull ? index : random.below(3)) % 3 === 0;
  if (isAtPoint) proxy.at(random.pick(POINTS), random.below(WRITES_BEFORE), kill);
  else await someWrites(trial, writers).then(kill);
  await ended;
  proxy.clear();
  await writers.close();
  await service.restart();
});

const killEmbedded = programRow('kill-embedded', 120, startEmbedded, async (service, writers, trial) => {
  const { dataDir } = service;
  const { random, patience } = trial;
  await someWrites(trial, writers);
  const killed = serviceOn(service.program.pid, dataDir);
  await service.program.stop('SIGKILL');
  await writers.close();
  // The next start comes at once, while the old server ends, or after it has ended.
  const next = random.pick(['at once', 'soon', 'when nothing is left']);
  if (next === 'soon') await sleep(random.below(300));
  if (next === 'when nothing is left') await untilNothingIsLeft(killed, dataDir, patience);
  await service.restart();
  await untilNothingIsLeft(killed, dataDir, patience, service.program.pid);
});

/** A program on its own server, one on its embedded server, and the one whose turn it is. */
interface Servers {
  readonly own: Service;
  readonly embedded: Service;
  current: Service;
  close(): Promise<unknown>;
}

async function startServers(): Promise<Servers> {
  const [own, embedded] = [await startService(), await startEmbedded()];
  return { own, embedded, current: own, close: () => own.close().then(embedded.close) };
}

/** Half of the kills are on an own server; two thirds of those, a third of all, at a chosen point of a write. */
const PLACES = ['own, at a point', 'embedded', 'own', 'embedded', 'own, at a point', 'embedded'] as const;

/** A process of the server, otherwise any backend; `backend` is the one of the write at the chosen point. */
type Choose = (postmaster: number, backend?: number) => number | undefined;

/** Kills processes of the database under writes, while the program stays the same process. */
function serverRow(name: string, full: number, together: number, choose: Choose) {
  return killRow<Servers, Writers>(name, full, 'kills', {
    start: startServers,
    together,
    load(servers, trial) {
      servers.current = placeOf(trial) === 'embedded' ? servers.embedded : servers.own;
      return startLoad(servers.current, trial);
    },
    strike: ({ current }, writers, trial) => killProcess(current, writers, trial, choose),
    async check({ current }, { seen, check, client }) {
      current.expectAlive();
      expectResponses(seen);
      const { acknowledged, happened } = await check(client);
      return { acknowledged, 'with 503': outcomesOf(seen).unavailable, happened };
    },
  });
}

const placeOf = ({ index }: Trial) => PLACES[index % PLACES.length] ?? 'own';

/** Kills a process, and waits for writes afterwards. */
async function killProcess(service: Service, writers: Writers, trial: Trial, choose: Choose): Promise<void> {
  const { random } = trial;
  const { proxy, program } = service;
  const server = service.postmaster();
  let killed: { readonly at: number; readonly connections: Remembered } | undefined;
  const kill = (backends: readonly number[], connections: Remembered, backend?: number) => {
    const victim = choose(server, backend) ?? backends[random.below(backends.length)];
    if (victim === undefined) throw new Error('The service has no connection to its database.');
    process.kill(victim, 'SIGKILL');
    killed = { at: performance.now(), connections };
  };
  const wait = (complaint: string, isSo: () => boolean) => {
    const about = () => `${complaint}: ${JSON.stringify(outcomesOf(writers.seen))}\n${program.output().slice(-4_000)}`;
    return until(about, LONGEST_MS, isSo);
  };
  if (placeOf(trial) === 'own, at a point') {
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
  trial.took('the next write', performance.now() - (killed?.at ?? 0));
  await wait('few writes succeed', () => writers.acknowledged() >= first + WRITES_AFTER);
}

const killBackend = serverRow('kill-backend', 100, Number.POSITIVE_INFINITY, (_, backend) => backend);
const killPostmaster = serverRow('kill-postmaster', 60, 6, (postmaster) => postmaster);

export const writes = [killApi, killBackend, killPostmaster, killEmbedded];
