import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { openClient, websiteIn } from '../support/client.ts';
import { serviceOn, untilNothingIsLeft } from '../support/processes.ts';
import { createKey, firstKey, type Program, spawnProgram, startProgram } from '../support/program.ts';
import { told } from '../support/told.ts';
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
  { name: 'after it had printed the key', begun: (output) => output.includes('hto_'), ms: 50 },
];

export const killFirstStart: Row = {
  name: 'kill-first-start',
  what: 'kill -9 of the embedded service during its first start',
  required: 'the next start succeeds without help; no process left',
  unit: 'kills',
  full: 30,
  small: 1,
  async run(trials) {
    const seen = new Map<string, number>();
    await trials.each(async ({ index, random, open }) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'hitherto-faults-'));
      await open({ close: () => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }) });
      const env = { DATA_DIR: dataDir };
      const first = spawnProgram({ env });
      const hasBegun = ({ begun }: Stage) => begun(first.output(), dataDir);
      // Each stage gets the same number of kills, however short it is. A kill that comes too late hits the next stage.
      const stage = STAGES[trials.isFull ? index % STAGES.length : random.below(STAGES.length)] ?? FIRST;
      await until(
        () => hasBegun(stage),
        60_000,
        () => `the start did not get this far:\n${first.output()}`,
      );
      await sleep(random.next() * stage.ms);
      const killed = serviceOn(first.pid, dataDir);
      first.process.kill('SIGKILL');
      await first.ended;
      const reached = (STAGES.findLast(hasBegun) ?? FIRST).name;
      seen.set(reached, (seen.get(reached) ?? 0) + 1);

      if (random.below(2) === 0) await untilNothingIsLeft(killed, dataDir, trials.patience);
      const next = await open(startProgram({ env }));
      await untilNothingIsLeft(killed, dataDir, trials.patience, next.pid);
      const client = await open(openClient(next.url, await keyOf(first, next, env)));
      websiteIn(await client.request('POST', '/api/v1/websites', { form: { url: 'https://first.example' } }));
    });
    return `killed ${[...seen].map(([stage, times]) => told`${stage} (${times})`).join(', ')}; the next start succeeded on each folder`;
  },
};

/** The first key: printed by the killed start or the next one, otherwise a new one from the command line. */
function keyOf(first: Pick<Program, 'output'>, next: Program, env: Readonly<Record<string, string>>): Promise<string> {
  if (first.output().includes('hto_')) return firstKey(first);
  return firstKey(next, 1_000).catch(() => createKey(env, 'default'));
}
