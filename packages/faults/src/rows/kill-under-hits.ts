import { setTimeout as sleep } from 'node:timers/promises';
import type { Row, Trial } from '../row.ts';
import { HIT_POINTS } from '../support/hit-points.ts';
import { createCollectingWebsite, startHitSenders } from '../support/hit-senders.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const HITS_BEFORE = 200;
const BATCHES_BEFORE = 20;
const LONGEST_MS = 20_000;

/** Half of the kills hit a chosen point of a batch, the others a random time. */
function pointOf({ index, random }: Trial) {
  return index % 2 === 0 ? random.pick(HIT_POINTS) : undefined;
}

export const killUnderHits: Row = {
  name: 'kill-under-hits',
  what: 'kill -9 of the program under hits',
  required: 'acknowledged ⊆ stored; no hit twice',
  unit: 'kills',
  full: 100,
  small: 2,
  isTested: true,
  async run(trials) {
    const postgres = await startOwnPostgres();
    const env = { DATABASE_URL: postgres.url, TRUST_PROXY: '127.0.0.1' };
    let program = await startProgram({ env });
    const website = await createCollectingWebsite(program.url, await postgres.issueKey('hits'));
    const sum = { acknowledged: 0, unknown: 0, stored: 0 };
    try {
      await trials.each(async (trial) => {
        // The victim is known before, so that nothing comes to rest while it is looked up.
        const { process: victim } = program;
        const senders = startHitSenders(() => program.url, website, trial.random);
        const point = pointOf(trial);
        if (point === undefined) {
          const before = trial.random.below(HITS_BEFORE);
          await until(
            () => senders.acknowledged() >= before,
            LONGEST_MS,
            () => `only ${senders.acknowledged()} hits were acknowledged.`,
          );
          await sleep(trial.random.below(20));
          victim.kill('SIGKILL');
        } else postgres.proxy.atHits(point, trial.random.below(BATCHES_BEFORE), () => void victim.kill('SIGKILL'));
        await program.ended;
        postgres.proxy.clear();
        const stopped = senders.stop();
        program = await startProgram({ env });
        await stopped;

        sum.stored += await senders.check(postgres);
        sum.acknowledged += senders.acknowledged();
        sum.unknown += senders.unknown();
      });
    } finally {
      await program.stop();
      await postgres.close();
    }
    return `${sum.acknowledged.toLocaleString('en')} hits acknowledged, all stored, none twice; of ${sum.unknown.toLocaleString('en')} without a response, ${sum.stored.toLocaleString('en')} were stored`;
  },
};
