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

/** A single kill does not need to know how long a start takes here. */
const ABOUT_A_START_MS = 2_500;

export const killFirstStart: Row = {
  name: 'kill-first-start',
  what: 'kill -9 of the embedded service during its first start',
  required: 'the next start opens without help; nothing left running',
  unit: 'kills',
  full: 30,
  small: 1,
  async run(trials) {
    const seen = new Map<string, number>();
    const firstStartMs = trials.isFull ? await timeFirstStart() : ABOUT_A_START_MS;
    await trials.each(async ({ random }) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'hitherto-faults-'));
      const env = { DATA_DIR: dataDir };
      try {
        const first = spawnProgram({ env });
        await sleep(random.next() * firstStartMs);
        const killed = remember([first.pid, ...descendantsOf(first.pid), ...processesOn(dataDir)]);
        const hasDatabase = existsSync(join(dataDir, 'postgres', 'PG_VERSION'));
        first.process.kill('SIGKILL');
        await first.ended;
        const stage = stageOf(first.output(), hasDatabase);
        seen.set(stage, (seen.get(stage) ?? 0) + 1);

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
    return `killed ${[...seen].map(([stage, times]) => `${stage} (${times})`).join(', ')}; each folder opened`;
  },
};

/** How long a first start takes on this machine, to the end. */
async function timeFirstStart(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hitherto-faults-'));
  const since = performance.now();
  const program = await startProgram({ env: { DATA_DIR: dataDir } });
  try {
    await firstKey(program);
    return performance.now() - since;
  } finally {
    await program.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The first key: told by the start that was killed, or by the next one; a key that was told to nobody is made good by the command line. */
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

/** How far the start had come. */
function stageOf(output: string, hasDatabase: boolean): string {
  if (output.includes('"msg":"ready"')) return 'when ready';
  if (output.includes('listening')) return 'while it made the schema';
  if (hasDatabase) return 'while PostgreSQL started';
  return output.includes('preparing the database') ? 'while it made the database' : 'before it made anything';
}
