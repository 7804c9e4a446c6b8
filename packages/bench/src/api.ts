import { describeMachine } from '@hitherto/testing/machine';
import { holdContest } from './contest.ts';
import type { BenchDatabase } from './database.ts';
import { runTwoInstances } from './instances.ts';
import { withAutocannon } from './load/autocannon.ts';
import { findWrk } from './load/wrk.ts';
import type { OperationName } from './operations.ts';
import { limitOfDatabase, pgbenchVersion } from './pgbench.ts';
import type { Results } from './results.ts';
import type { Plan } from './rounds.ts';
import { measureScale } from './scale.ts';

const SHORT: readonly OperationName[] = ['show', 'show, If-None-Match'];
const FULL: readonly OperationName[] = [...SHORT, 'create', 'update', 'list page', 'search', 'search, frequent'];

export interface ApiOptions {
  readonly full?: true;
  readonly autocannon?: true;
  readonly rounds?: number;
  readonly seconds?: number;
}

/** Measures the API. */
export async function measureApi(
  options: ApiOptions,
  command: string,
  database: BenchDatabase,
  progress: (text: string) => void,
): Promise<Results> {
  const mode = options.full === true ? 'full' : 'short';
  const generator = (options.autocannon === true ? undefined : findWrk()) ?? withAutocannon;
  const full = mode === 'full';
  const plan: Plan = {
    generator,
    connections: 32,
    rounds: options.rounds ?? (full ? 7 : 5),
    seconds: options.seconds ?? (full ? 4 : 2),
    progress,
  };
  progress(`load by ${generator.name}`);

  const websites = full ? 100_000 : 10_000;
  const { samples, account } = await holdContest(database, full ? FULL : SHORT, websites, plan);
  const version = pgbenchVersion();
  const pgbench: number[] = [];
  for (let round = 0; version !== undefined && round < 3; round += 1) {
    progress('pgbench: the statement of show');
    pgbench.push(await limitOfDatabase(database.url, account, plan.seconds));
  }
  const instances = full ? await runTwoInstances(database, account, plan) : undefined;
  const scale = full ? await measureScale(database, plan) : undefined;
  return {
    mode,
    command,
    date: new Date().toISOString().slice(0, 10),
    ...describeMachine(),
    database: database.description,
    generator: generator.name,
    connections: plan.connections,
    rounds: plan.rounds,
    secondsARound: plan.seconds,
    websites,
    samples,
    pgbench,
    ...(version === undefined ? {} : { pgbenchVersion: version }),
    ...(scale === undefined ? {} : { scale }),
    ...(instances === undefined ? {} : { instances }),
  };
}
