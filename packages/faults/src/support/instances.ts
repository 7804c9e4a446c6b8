import { openClient } from './client.ts';
import type { Program } from './program.ts';
import { schemaOf } from './schemas.ts';

/** How many times the instances have logged that they applied migrations. */
function timesApplied(instances: readonly Pick<Program, 'output'>[]): number {
  return instances.reduce((sum, { output }) => sum + output().split('"msg":"the schema is up to date"').length - 1, 0);
}

/** Waits for all of them, even if one fails. */
export async function all<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

export interface Migrated {
  /** All started instances, including killed ones. */
  readonly started: readonly Pick<Program, 'output'>[];
  readonly running: readonly Program[];
  readonly url: string;
  /** The schema as created by a single instance. */
  readonly reference: string;
  /** Whether an instance may have applied the migrations without logging it. */
  readonly mayBeUntold: boolean;
}

/** @throws {Error} if an instance is not ready, or the migrations were not applied exactly once. */
export async function checkMigrated({ started, running, url, reference, mayBeUntold }: Migrated): Promise<void> {
  for (const { url: base, output } of running) {
    const client = openClient(base, null);
    const { status, text } = await client.request('GET', '/readyz');
    client.close();
    if (status !== 200) throw new Error(`An instance is not ready: ${status} ${text}\n${output()}`);
  }
  const times = timesApplied(started);
  if (times > 1 || (times === 0 && !mayBeUntold)) throw new Error(`The migrations were applied ${times} times.`);
  const schema = await schemaOf(url);
  if (schema !== reference) throw new Error(`The schema is\n${schema}\ninstead of\n${reference}`);
}
