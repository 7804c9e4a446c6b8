import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { openClient, websiteIn } from '../support/client.ts';
import { untilNothingIsLeft } from '../support/left-overs.ts';
import { descendantsOf, processesOn, remember } from '../support/postgres-processes.ts';
import { firstKey, type Program, runProgram, spawnProgram, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

/** A start, as seen from outside. */
interface Start {
  output(): string;
  /** Whether its database is complete and in place. */
  hasDatabase(): boolean;
}

interface Stage {
  readonly name: string;
  begun(start: Start): boolean;
  /** About how long it takes. */
  readonly ms: number;
}

const FIRST: Stage = { name: 'before it created anything', begun: () => true, ms: 900 };
const STAGES: readonly Stage[] = [
  FIRST,
  { name: 'while it created the database', begun: ({ output }) => output().includes('preparing'), ms: 500 },
  { name: 'while PostgreSQL started', begun: ({ hasDatabase }) => hasDatabase(), ms: 200 },
  { name: 'while it created the schema', begun: ({ output }) => output().includes('listening'), ms: 150 },
  { name: 'after it had printed the key', begun: ({ output }) => output().includes('hto_'), ms: 50 },
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
    await trials.each(async ({ index, random }) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'hitherto-faults-'));
      const env = { DATA_DIR: dataDir };
      try {
        const first = spawnProgram({ env });
        const start: Start = {
          output: first.output,
          hasDatabase: () => existsSync(join(dataDir, 'postgres', 'PG_VERSION')),
        };
        // Each stage gets the same number of kills, however short it is. A kill that comes too late hits the next stage.
        const stage = STAGES[trials.isFull ? index % STAGES.length : random.below(STAGES.length)] ?? FIRST;
        await until(
          () => stage.begun(start),
          60_000,
          () => `The start did not get this far:\n${first.output()}`,
        );
        await sleep(random.next() * stage.ms);
        const killed = remember([first.pid, ...descendantsOf(first.pid), ...processesOn(dataDir)]);
        first.process.kill('SIGKILL');
        await first.ended;
        const reached = (STAGES.findLast(({ begun }) => begun(start)) ?? FIRST).name;
        seen.set(reached, (seen.get(reached) ?? 0) + 1);

        if (random.below(2) === 0) await untilNothingIsLeft(killed, dataDir, undefined, trials.isFull);
        const next = await startProgram({ env });
        try {
          await untilNothingIsLeft(killed, dataDir, next.pid, trials.isFull);
          const client = openClient(next.url, await keyOf(first, next, env));
          websiteIn(await client.request('POST', '/api/v1/websites', { form: { url: 'https://first.example' } }));
          client.close();
        } finally {
          await next.stop();
        }
      } finally {
        await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
      }
    });
    return `killed ${[...seen].map(([stage, times]) => `${stage} (${times})`).join(', ')}; the next start succeeded on each folder`;
  },
};

/** The first key: printed by the killed start or the next one, otherwise a new one from the command line. */
async function keyOf(
  first: Pick<Program, 'output'>,
  next: Program,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  if (first.output().includes('hto_')) return firstKey(first);
  return firstKey(next, 1_000).catch(async () => {
    const { output } = await runProgram(['keys', 'create', '--account', 'default'], env);
    return output.trim();
  });
}
