import { cpuOf, cpuOfServer, memoryOf } from '@hitherto/testing/proc';
import { checkResponse } from './check.ts';
import type { LoadGenerator, Operation } from './load/load.ts';
import type { RunningVariant, VariantName } from './variants.ts';

/** A variant and the server of its database. */
export interface Contestant {
  readonly name: VariantName;
  readonly variant: RunningVariant;
  readonly databasePid: number | undefined;
}

/** One variant in one round; CPU in microseconds per request, times in milliseconds, memory in MB. */
export interface Sample {
  readonly variant: VariantName;
  readonly round: number;
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly nodeCpu: number | undefined;
  readonly databaseCpu: number | undefined;
  readonly memory: number | undefined;
}

export interface Plan {
  readonly generator: LoadGenerator;
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly progress: (text: string) => void;
}

/** One contestant's part in a round. */
export interface Entry {
  readonly contestant: Contestant;
  readonly operation: Operation;
}

/** Measures all entries, interleaved: A B C, A B C. Throws if any request fails. Samples are in the order of the entries. */
export async function measure(entries: readonly Entry[], plan: Plan): Promise<Sample[][]> {
  for (const { contestant, operation } of entries) {
    const { variant, name } = contestant;
    plan.progress(`${operation.name}: warming up ${name}`);
    await checkResponse(variant.url, operation);
    await run(variant, name, operation, plan, WARM_UP_SECONDS);
  }
  const samples: Sample[][] = entries.map(() => []);
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const [index, { contestant, operation }] of entries.entries()) {
      const sample = await measureOnce(contestant, operation, plan, round);
      const { requestsPerSecond: rate, p50, p99, nodeCpu, databaseCpu } = sample;
      plan.progress(
        `${operation.name}: round ${round} of ${plan.rounds}, ${contestant.name}: ${Math.round(rate)} requests/s, ` +
          `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, CPU ${nodeCpu?.toFixed() ?? '?'} µs node, ${databaseCpu?.toFixed() ?? '?'} µs database`,
      );
      samples[index]?.push(sample);
    }
  }
  return samples;
}

const WARM_UP_SECONDS = 2;

async function measureOnce(
  { name, variant, databasePid }: Contestant,
  operation: Operation,
  plan: Plan,
  round: number,
): Promise<Sample> {
  const cpu = () => ({
    node: cpuOf(variant.pid),
    database: databasePid === undefined ? undefined : cpuOfServer(databasePid),
  });
  const before = cpu();
  const result = await run(variant, name, operation, plan, plan.seconds);
  const after = cpu();
  const perRequest = (start?: number, end?: number) =>
    start === undefined || end === undefined ? undefined : ((end - start) / result.requests) * 1e6;
  return {
    variant: name,
    round,
    requestsPerSecond: result.requests / result.seconds,
    p50: result.p50,
    p99: result.p99,
    nodeCpu: perRequest(before.node, after.node),
    databaseCpu: perRequest(before.database, after.database),
    memory: memoryOf(variant.pid)?.now,
  };
}

async function run(variant: RunningVariant, name: string, operation: Operation, plan: Plan, seconds: number) {
  const result = await plan.generator.run(variant.url, operation, plan.connections, seconds);
  if (result.failures > 0 || result.requests === 0) {
    throw new Error(`${operation.name}, ${name}: ${result.failures} of ${result.requests} requests failed.`);
  }
  return result;
}
