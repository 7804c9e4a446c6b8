import { setTimeout as sleep } from 'node:timers/promises';
import type { Row, Trial } from '../row.ts';
import { openClient } from '../support/client.ts';
import { POINTS } from '../support/database-proxy.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { startProgram } from '../support/program.ts';
import { startWriters } from '../support/writers.ts';

/** Writes before the kill. */
const WRITES_BEFORE = 40;

/** A third of the kills hit a chosen point of a write, the others a random time. */
function pointOf({ index, random }: Trial, isFull: boolean) {
  return (isFull ? index : random.below(3)) % 3 === 0
    ? { point: random.pick(POINTS), after: random.below(WRITES_BEFORE) }
    : undefined;
}

export const killApi: Row = {
  name: 'kill-api',
  what: 'kill -9 of the API under writes',
  required: 'acknowledged ⊆ stored; writes without a response all or nothing',
  unit: 'kills',
  full: 150,
  small: 1,
  isTested: true,
  async run(trials) {
    const postgres = await startOwnPostgres();
    const env = { DATABASE_URL: postgres.url };
    let program = await startProgram({ env });
    const sum = { acknowledged: 0, unanswered: 0, happened: 0 };
    try {
      await trials.each(async (trial) => {
        const key = await postgres.issueKey(`kill ${trial.index} ${trial.random.word(8)}`);
        const client = openClient(() => program.url, key);
        const writers = startWriters(client, trial.random);
        const kill = () => void program.process.kill('SIGKILL');
        const point = pointOf(trial, trials.isFull);
        if (point === undefined) {
          const soFar = trial.random.below(WRITES_BEFORE);
          while (writers.acknowledged() < soFar) await sleep(1);
          kill();
        } else postgres.proxy.at(point.point, point.after, kill);
        await program.ended;
        postgres.proxy.clear();
        await writers.stop();

        program = await startProgram({ env });
        const checked = await writers.check(client);
        client.close();
        sum.acknowledged += checked.acknowledged;
        sum.unanswered += checked.unanswered;
        sum.happened += checked.happened;
      });
    } finally {
      await program.stop();
      await postgres.close();
    }
    return `${sum.acknowledged.toLocaleString('en')} writes acknowledged, all stored; of ${sum.unanswered.toLocaleString('en')} without a response, ${sum.happened} were done, each completely`;
  },
};
