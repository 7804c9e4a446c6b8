import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { newDataFolder } from '@hitherto/testing/data-folder';
import type { Row } from '../row.ts';
import { openClient } from '../support/client.ts';
import { untilNothingIsLeft } from '../support/left-overs.ts';
import { descendantsOf, processesOn, remember } from '../support/postgres-processes.ts';
import { firstKey, startProgram } from '../support/program.ts';
import { startWriters } from '../support/writers.ts';

/** Writes before the kill. */
const WRITES_BEFORE = 40;

export const killEmbedded: Row = {
  name: 'kill-embedded',
  what: 'kill -9 of the embedded service under writes',
  required: 'restarts each time without help; acknowledged ⊆ stored; no process left',
  unit: 'kills',
  full: 120,
  small: 1,
  isTested: true,
  async run(trials) {
    const dataDir = await newDataFolder();
    const env = { DATA_DIR: dataDir };
    let program = await startProgram({ env });
    const sum = { acknowledged: 0, unanswered: 0, happened: 0, processes: 0 };
    try {
      const key = await firstKey(program);
      await trials.each(async ({ random }) => {
        const client = openClient(() => program.url, key);
        const writers = startWriters(client, random);
        const soFar = random.below(WRITES_BEFORE);
        while (writers.acknowledged() < soFar) await sleep(1);
        await sleep(random.below(10));
        const killed = remember([program.pid, ...descendantsOf(program.pid), ...processesOn(dataDir)]);
        program.process.kill('SIGKILL');
        await program.ended;
        await writers.stop();

        // The next start comes at once, while the old server ends, or after it has ended.
        const next = random.pick(['at once', 'soon', 'when nothing is left']);
        if (next === 'soon') await sleep(random.below(300));
        if (next === 'when nothing is left') {
          await untilNothingIsLeft(killed, dataDir, undefined, trials.isFull);
        }
        program = await startProgram({ env });
        await untilNothingIsLeft(killed, dataDir, program.pid, trials.isFull);
        const checked = await writers.check(client);
        client.close();
        sum.acknowledged += checked.acknowledged;
        sum.unanswered += checked.unanswered;
        sum.happened += checked.happened;
        sum.processes += killed.count;
      });
    } finally {
      await program.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    }
    return `${sum.acknowledged.toLocaleString('en')} writes acknowledged, all stored; of ${sum.unanswered.toLocaleString('en')} without a response, ${sum.happened} were done, each completely; of ${sum.processes.toLocaleString('en')} processes none is left`;
  },
};
