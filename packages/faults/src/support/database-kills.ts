import { setTimeout as sleep } from 'node:timers/promises';
import type { Trial, Trials } from '../row.ts';
import { type Client, openClient } from './client.ts';
import { POINTS } from './database-proxy.ts';
import { backendsOf, type Remembered, remember } from './postgres-processes.ts';
import { SERVE, type Served } from './served.ts';
import { until } from './until.ts';
import { startWriters, type Writers } from './writers.ts';

/** Writes before the kill. */
const WRITES_BEFORE = 40;
/** Concurrent writes; this many responses can still come from before the kill. */
const WRITERS = 6;
/** Writes that must be acknowledged after the kill. */
const WRITES_AFTER = 20;

/** Half of the kills are on an own database; two thirds of those, a third of all, at a chosen point of a write. */
const PLACES = ['own, at a point', 'embedded', 'own', 'embedded', 'own, at a point', 'embedded'] as const;

export interface ServerProcesses {
  readonly postmaster: number;
  readonly backends: readonly number[];
}

export interface DatabaseKills {
  /** Chooses the process to kill among the server's; `backend` is the one of the write at the chosen point. */
  readonly choose: (server: ServerProcesses, backend: number | undefined, trial: Trial) => number | undefined;
  /** This many trials share services, which are then restarted. */
  readonly together: number;
}

/** Kills processes of the database under writes, repeatedly, while the service stays the same process. */
export async function killDatabases(trials: Trials, { choose, together }: DatabaseKills): Promise<string> {
  const served: { own?: Served; embedded?: Served } = {};
  const closeAll = async () => {
    await Promise.all([served.own?.close(), served.embedded?.close()]);
    delete served.own;
    delete served.embedded;
  };
  const limit = trials.isFull ? 20_000 : 60_000;
  const sum = { acknowledged: 0, refused: 0, happened: 0 };
  const waits: number[] = [];
  try {
    await trials.each(async (trial) => {
      if (trial.index % together === 0) await closeAll();
      const place = (trials.isFull ? PLACES[trial.index % PLACES.length] : trial.random.pick(PLACES)) ?? 'own';
      const kind = place === 'embedded' ? 'embedded' : 'own';
      served[kind] ??= await SERVE[kind]();
      const { program, key, proxy, postmaster } = served[kind];
      const responses = watchResponses(openClient(program.url, key));
      const writers = startWriters(responses, trial.random, WRITERS);
      try {
        const server = await postmaster();
        let victims: Remembered | undefined;
        let killedAt = 0;
        const lookUp = () => {
          const backends = backendsOf(server);
          return { victims: remember(backends), processes: { postmaster: server, backends } };
        };
        const act = (found: ReturnType<typeof lookUp>, backend?: number) => {
          const victim = choose(found.processes, backend, trial);
          if (victim === undefined) throw new Error('The service has no connection to its database.');
          process.kill(victim, 'SIGKILL');
          killedAt = performance.now();
          victims = found.victims;
        };
        if (place === 'own, at a point') {
          // The write is blocked meanwhile.
          proxy?.at(trial.random.pick(POINTS), trial.random.below(WRITES_BEFORE), (backend) => act(lookUp(), backend));
          await until(
            () => victims !== undefined,
            limit,
            () => 'no write had reached the point of the kill.',
          );
        } else {
          const before = trial.random.below(WRITES_BEFORE);
          await until(
            () => writers.acknowledged() >= before,
            limit,
            () => `only ${writers.acknowledged()} writes were acknowledged.`,
          );
          // Known before the wait: while they are looked up, the writes under way would come to rest.
          const found = lookUp();
          await sleep(1 + trial.random.below(10));
          act(found);
        }
        // Whichever process is killed, PostgreSQL closes all connections.
        await until(
          () => victims?.running().length === 0,
          limit,
          () => 'the server had not closed its connections.',
        );
        const first = writers.acknowledged() + WRITERS;
        await until(
          () => writers.acknowledged() > first,
          limit,
          () => `no write succeeds on the ${kind} database: ${tell(writers)}.\n${program.output().slice(-4_000)}`,
        );
        waits.push(performance.now() - killedAt);
        await until(
          () => writers.acknowledged() >= first + WRITES_AFTER,
          limit,
          () => 'few writes succeed.',
        );
      } finally {
        proxy?.clear();
        await writers.stop();
      }
      if (program.process.exitCode !== null || program.process.signalCode !== null)
        throw new Error('The service ended.');
      responses.check();
      const checked = await writers.check(responses);
      responses.close();
      if (checked.unanswered > 0)
        throw new Error(`${checked.unanswered} requests had no response from a service that was not killed.`);
      sum.acknowledged += checked.acknowledged;
      sum.refused += writers.statuses.get(503) ?? 0;
      sum.happened += checked.happened;
    });
  } finally {
    await closeAll();
  }
  waits.sort((a, b) => a - b);
  const seconds = (share: number) => `${((waits[Math.ceil(waits.length * share) - 1] ?? 0) / 1_000).toFixed(2)} s`;
  return `${sum.acknowledged.toLocaleString('en')} writes acknowledged, all stored; of ${sum.refused.toLocaleString('en')} with 503, ${sum.happened} were done, each completely; the next write succeeded after ${seconds(0.5)} (median), ${seconds(1)} (longest)`;
}

function tell({ statuses }: Writers): string {
  return JSON.stringify(Object.fromEntries(statuses));
}

/** A client that records responses which the loss of the database does not excuse. */
function watchResponses(client: Client): Client & { check(): void } {
  let wrong: string | undefined;
  return {
    ...client,
    async request(method, path, sent) {
      const response = await client.request(method, path, sent);
      const isRefusal = response.status === 503 && /^[1-9]\d*$/.test(String(response.headers['retry-after']));
      if (response.status >= 300 && !isRefusal) wrong ??= `${method} ${path} gets ${response.status}: ${response.text}`;
      return response;
    },
    check() {
      if (wrong !== undefined) throw new Error(`Neither done nor 503 with Retry-After: ${wrong}`);
    },
  };
}
