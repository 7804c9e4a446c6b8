import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newFolder } from '@hitherto/testing/folder';
import { row } from '../row.ts';
import { create, openClient } from '../support/client.ts';
import { serviceOn, untilNothingIsLeft } from '../support/processes.ts';
import { createKey, firstKey, type Program, spawnProgram, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

/** Some time of a start, as seen from outside, and about how long it takes. */
interface Stage {
  readonly name: string;
  readonly begun: (output: string, dataDir: string) => boolean;
  readonly ms: number;
}

const FIRST: Stage = { name: 'before it created anything', begun: () => true, ms: 900 };
const STAGES: readonly Stage[] = [
  FIRST,
  { name: 'while it created the database', begun: (output) => output.includes('preparing'), ms: 500 },
  {
    name: 'while PostgreSQL started',
    begun: (_, dataDir) => existsSync(join(dataDir, 'postgres', 'PG_VERSION')),
    ms: 200,
  },
  { name: 'while it created the schema', begun: (output) => output.includes('listening'), ms: 150 },
  { name: 'after it had written the key', begun: (output) => output.includes('first.key'), ms: 50 },
];

export const killFirstStart = row('kill-first-start', 30, 'kills', {}, async (trials) => {
  await trials.each(async ({ index, random, open, isFull, patience, add }) => {
    const { path: dataDir } = await open(newFolder());
    const env = { DATA_DIR: dataDir };
    const first = spawnProgram({ env });
    const hasBegun = ({ begun }: Stage) => begun(first.output(), dataDir);
    // Each stage gets the same number of kills, however short it is. A kill that comes too late hits the next stage.
    const stage = STAGES[isFull ? index % STAGES.length : random.below(STAGES.length)] ?? FIRST;
    await until(
      () => `the start did not get this far:\n${first.output()}`,
      60_000,
      () => hasBegun(stage),
    );
    await sleep(random.next() * stage.ms);
    const killed = serviceOn(first.pid, dataDir);
    await first.stop('SIGKILL');
    add({ [`killed ${(STAGES.findLast(hasBegun) ?? FIRST).name}`]: 1 });

    if (random.below(2) === 0) await untilNothingIsLeft(killed, dataDir, patience);
    const next = await open(startProgram({ env }));
    await untilNothingIsLeft(killed, dataDir, patience, next.pid);
    const client = await open(openClient(next.url, await keyOf(first, next, env)));
    await create(client, { url: 'https://first.example' });
  });
});

/** The first key: written by the killed start or the next one, otherwise a new one from the command line. */
function keyOf(first: Pick<Program, 'output'>, next: Program, env: Readonly<Record<string, string>>): Promise<string> {
  if (first.output().includes('first.key')) return firstKey(first);
  return firstKey(next, 1_000).catch(() => createKey(env, 'default'));
}
