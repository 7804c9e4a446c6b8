import { setTimeout as sleep } from 'node:timers/promises';
import { skipsClickHouse, startClickHouse } from '@hitherto/testing/clickhouse';
import { type RowOptions, row } from '../row.ts';
import { missingClickHouse, pageviewsOf, storedHits } from '../support/engine-hits.ts';
import { startHitSenders } from '../support/hit-senders.ts';
import { addTo, withNumbers } from '../support/numbers-text.ts';
import { startHitService } from '../support/service.ts';

const HITS_BEFORE = 200;

/** The processes that trials kill, in turn. */
const VICTIMS = ['the engine', 'the program', 'both'] as const;

const OPTIONS: RowOptions = { small: 3, ...(skipsClickHouse ? {} : { isTested: true }), missing: missingClickHouse };

export const killEngine = row('kill-engine', 100, 'kills', OPTIONS, async (trials) => {
  const engine = await trials.open(startClickHouse());
  const service = await trials.open(startHitService({ CLICKHOUSE_URL: engine.url }));
  const sum = { acknowledged: 0, unknown: 0, stored: 0 };
  await trials.each(async ({ index, random, open }) => {
    const victim = VICTIMS[index % VICTIMS.length];
    const senders = await open(startHitSenders(service, random, (prefix) => storedHits(service, engine, prefix)));
    await senders.reach(random.below(HITS_BEFORE));
    // Reads hand hits over in between.
    const read = pageviewsOf(service).catch(() => 0);
    await sleep(random.below(300));
    const { process: program, ended } = service.program;
    if (victim !== 'the engine') program.kill('SIGKILL');
    if (victim !== 'the program') await engine.kill();
    await sleep(random.below(500));
    if (victim !== 'the program') await engine.restart();
    if (victim !== 'the engine') {
      await ended;
      await service.restart();
    }
    await read;
    await senders.close();
    addTo(sum, await senders.check());
  });
  return withNumbers`${sum.acknowledged} hits acknowledged, all counted, none twice; of ${sum.unknown} without a response, ${sum.stored} were stored`;
});
