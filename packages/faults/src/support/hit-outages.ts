import { setTimeout as sleep } from 'node:timers/promises';
import type { Trial, Trials } from '../row.ts';
import { startHitSenders } from './hit-senders.ts';
import { type HitService, startHitService } from './hit-service.ts';
import { until } from './until.ts';

const HITS_BEFORE = 200;
/** Hits that must be acknowledged afterwards. */
const HITS_AFTER = 100;
const LONGEST_MS = 20_000;

/**
 * Breaks something between the program and its database under hits, and then resolves.
 *
 * @param wait for a chosen number of hits
 */
export type Break = (service: HitService, trial: Trial, wait: () => Promise<void>) => Promise<void>;

/**
 * Repeats outages under hits, while the program stays the same process: every hit is acknowledged, since its sender waits, and
 * stored once.
 *
 * @param together this many trials share a database
 */
export async function surviveOutages(trials: Trials, together: number, breakDown: Break): Promise<string> {
  let service: HitService | undefined;
  const sum = { acknowledged: 0 };
  const waits: number[] = [];
  try {
    await trials.each(async (trial) => {
      if (trial.index % together === 0) {
        await service?.close();
        service = undefined;
      }
      service ??= await startHitService();
      const { program, website, postgres } = service;
      const senders = startHitSenders(() => program.url, website, trial.random);
      const reach = (hits: number) =>
        until(
          () => senders.acknowledged() >= hits,
          LONGEST_MS,
          () => `only ${senders.acknowledged()} hits were acknowledged, ${senders.refused()} refused.`,
        );
      await breakDown(service, trial, async () => {
        await reach(1 + trial.random.below(HITS_BEFORE));
        await sleep(trial.random.below(20));
      });
      waits.push(await reach(senders.acknowledged() + HITS_AFTER));
      await senders.stop();

      service.expectAlive();
      await senders.check(postgres);
      // Outside a full run a busy machine may take longer than senders wait.
      const missed = senders.refused() + senders.unknown();
      if (trials.isFull && missed > 0) throw new Error(`${missed} times a hit of a sender that waited had no 202.`);
      sum.acknowledged += senders.acknowledged();
    });
  } finally {
    await service?.close();
  }
  return `${sum.acknowledged.toLocaleString('en')} hits, all acknowledged and stored once; ${HITS_AFTER} more hits within ${(Math.max(...waits) / 1_000).toFixed(1)} s of each`;
}
