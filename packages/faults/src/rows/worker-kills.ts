import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf } from '@hitherto/testing/proc';
import { row } from '../row.ts';
import { startHitSenders } from '../support/hit-senders.ts';
import { addTo, withNumbers } from '../support/numbers-text.ts';
import { startHitService } from '../support/service.ts';
import { until } from '../support/until.ts';

const WORKERS = 3;
const HITS_BEFORE = 200;
/** Hits that must be acknowledged afterwards. */
const HITS_AFTER = 100;
/** A worker that dies again and again is started after growing delays. */
const LONGEST_MS = 20_000;

/** At least one worker that is ready is left, so the port responds throughout. */
export const killWorkersUnderHits = row('kill-workers-under-hits', 40, 'times', { small: 2 }, async (trials) => {
  const service = await trials.open(startHitService({ WORKERS: String(WORKERS) }));
  const starts = () => service.program.output().match(/"msg":"ready"/g)?.length ?? 0;
  const sum = { killed: 0, acknowledged: 0, unknown: 0, stored: 0 };
  const waits: number[] = [];
  await trials.each(async ({ random, open }) => {
    await until('a worker had not been started again.', LONGEST_MS, () => starts() === WORKERS + sum.killed);
    const all = childrenOf(service.program.pid);
    const first = random.below(all.length);
    const victims = [...all.slice(first), ...all.slice(0, first)].slice(0, 1 + random.below(WORKERS - 1));
    const senders = await open(startHitSenders(service, random));
    await senders.reach(random.below(HITS_BEFORE));
    await sleep(random.below(20));
    for (const victim of victims) process.kill(victim, 'SIGKILL');
    waits.push(await senders.reach(senders.acknowledged() + HITS_AFTER));
    await senders.close();

    service.expectAlive();
    if (senders.refused() > 0) throw new Error(`${senders.refused()} connections were refused.`);
    addTo(sum, { killed: victims.length, ...(await senders.check()) });
  });
  const longest = Math.max(...waits) / 1_000;
  return (
    withNumbers`${sum.killed} workers killed; ${sum.acknowledged} hits acknowledged, all stored, none twice; of ${sum.unknown} without a response, ${sum.stored} were stored; ` +
    withNumbers`no connection refused; ${HITS_AFTER} more hits within ${longest} s of each`
  );
});
