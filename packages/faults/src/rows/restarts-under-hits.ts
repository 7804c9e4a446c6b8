import { setTimeout as sleep } from 'node:timers/promises';
import { row } from '../row.ts';
import { startHitSenders } from '../support/hit-senders.ts';
import { withNumbers } from '../support/numbers-text.ts';
import { quantile } from '../support/pace.ts';
import { startHitService } from '../support/service.ts';

const HITS_BEFORE = 200;
const LONGEST_ABSENCE_MS = 2_000;
const FIRST_WITHIN_MS = 1_000;

/** Hits wait while PostgreSQL is away, and the first of them is acknowledged soon after its return. */
export const restartsUnderHits = row('restarts-under-hits', 20, 'restarts', { small: 1 }, async (trials) => {
  const service = await trials.open(startHitService());
  const { postgres } = service;
  let acknowledged = 0;
  const firsts: number[] = [];
  await trials.each(async ({ random, open }) => {
    const senders = await open(startHitSenders(service, random));
    await senders.reach(1 + random.below(HITS_BEFORE));
    await postgres.stop();
    await sleep(random.below(LONGEST_ABSENCE_MS));
    const before = senders.acknowledged();
    await postgres.start();
    firsts.push(await senders.reach(before + 1));
    await senders.close();

    service.expectAlive();
    acknowledged += (await senders.check()).acknowledged;
  });
  const p95 = quantile(firsts, 0.95);
  if (trials.isFull && p95 > FIRST_WITHIN_MS) throw new Error(`The p95 of the first 202 is ${Math.round(p95)} ms.`);
  return (
    withNumbers`${acknowledged} hits acknowledged, all stored once; the first 202 after PostgreSQL's return came within ` +
    withNumbers`${quantile(firsts, 0.5) / 1_000} s (median), ${p95 / 1_000} s (p95), ${quantile(firsts, 1) / 1_000} s (longest)`
  );
});
