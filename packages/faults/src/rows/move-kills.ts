import assert from 'node:assert/strict';
import { openClickHouse } from '@hitherto/clickhouse';
import { isUnavailable } from '@hitherto/domain/base';
import { timeZone } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { StatisticsEngine } from '@hitherto/domain/engine';
import type { CountedHit } from '@hitherto/domain/hits';
import { createInMemoryRepositories } from '@hitherto/memory';
import { newId } from '@hitherto/outside/system';
import { openPostgres } from '@hitherto/postgres';
import { startClickHouse } from '@hitherto/testing/clickhouse';
import { anAccount, aWebsite } from '@hitherto/testing/fixtures';
import { row } from '../row.ts';
import { missingClickHouse } from '../support/engine-hits.ts';
import { hitsOf, pagesOf, startHitSenders } from '../support/hit-senders.ts';
import { readAll } from '../support/numbers.ts';
import { type Arm, killAfter, killWhen, runProgram, spawnProgram } from '../support/program.ts';
import { addRandomHits } from '../support/random-hits.ts';
import { startHitService } from '../support/service.ts';

const ZONE = timeZone('UTC');
/** Hits that were there before, and their days. */
const FILLED = 3_000;
const DAYS = 30;
const DAY_MS = 24 * 3_600_000;
/** Hits of senders before a move begins, and after it was killed. */
const HITS_BEFORE = 100;
const HITS_AFTER = 20;
/** Each of 16 senders pauses for so long, because the numbers of all hits are computed after each move. */
const PAUSE_MS = 200;
/** How often the numbers are asked for. */
const MOST_READS = 5;
/** A kill that comes later mostly finds the command at its end. */
const LONGEST_MS = 3_000;
/** The statements of a move before which it is killed. */
const STEPS = {
  clickhouse: [
    /create unlogged table arriving_batch/,
    /delete from arriving_batch/,
    /lock table journal_batch/,
    /update statistics_engine set is_outside/,
    /truncate added_hits/,
    /^commit/,
  ],
  postgresql: [
    /copy book/,
    /from journal_batch/,
    /lock table journal_batch/,
    /truncate journal_batch/,
    /update statistics_engine set is_outside/,
    /^commit/,
  ],
} as const;

/**
 * Statistics move to ClickHouse and back while hits are collected. A killed move that is run again ends with all hits, each once,
 * and with the numbers that these hits are defined to have.
 */
export const moveKills = row('move-kills', 100, 'kills', { small: 2, missing: missingClickHouse }, async (trials) => {
  const server = await trials.open(startClickHouse());
  // It collects for the engine that has the statistics, whichever it is.
  const service = await trials.open(startHitService());
  const { postgres, website } = service;
  const inside = await trials.open(openPostgres({ connection: postgres.url, log: () => {}, zone: ZONE }));
  const outside = await trials.open(openClickHouse({ url: server.url, journal: inside.journal }));
  const env = { DATABASE_URL: postgres.url, CLICKHOUSE_URL: server.url };
  const isOutside = async () => {
    const [engine] = await postgres.query<{ is_outside: boolean }>('select is_outside from statistics_engine');
    return engine?.is_outside === true;
  };
  const storedHits = async () => hitsOf((await isOutside()) ? outside : inside, website);
  let stored = 0;

  await trials.each(async (trial) => {
    const { random, open } = trial;
    if (stored === 0) {
      const [from, to] = [new Date(Date.now() - DAYS * DAY_MS), new Date()];
      await addRandomHits(inside, random, { websites: [website], count: FILLED, from, to, visitors: 400, pages: 40 });
      stored = FILLED;
    }
    const isBack = await isOutside();
    const to = isBack ? 'postgresql' : 'clickhouse';
    const args = ['statistics', 'move', '--to', to];
    const senders = await open(
      startHitSenders(service, random, async (prefix) => pagesOf(await storedHits(), prefix), PAUSE_MS),
    );
    await senders.reach(1 + random.below(HITS_BEFORE));
    const { proxy } = postgres;
    const atStep: Arm = (kill) =>
      proxy.whenAsked(random.pick(STEPS[to]), 0, ({ cut }) => {
        kill();
        // The service sends some of these statements too. While held, it would keep the locks for which the next move waits.
        cut();
      });
    const arm = random.below(2) === 0 ? atStep : killAfter(random.below(LONGEST_MS));
    await killWhen(trial, spawnProgram({ args, env }), arm, proxy);
    await senders.reach(senders.acknowledged() + HITS_AFTER);
    await runProgram(args, env);
    await senders.reach(senders.acknowledged() + HITS_AFTER);
    await senders.close();

    assert.equal(await isOutside(), !isBack);
    const found = await senders.check();
    stored += found.acknowledged + found.stored;
    const hits = await storedHits();
    assert.equal(hits.length, stored);
    assert.deepEqual(await readAgain(isBack ? inside : outside, website), await numbersOf(hits, website));
    trial.add({ [`moves to ${to}`]: 1, hits: found.acknowledged, '× 503, sent again': senders.unavailable() });
  });
});

/** All numbers; they are asked for again while the engine is overloaded, as clients do. */
async function readAgain(engine: StatisticsEngine, websiteId: string) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await readAll(engine, websiteId);
    } catch (error) {
      if (!isUnavailable(error) || tries === MOST_READS) throw error;
    }
  }
}

/** The numbers of a website with these hits. */
async function numbersOf(hits: readonly CountedHit[], websiteId: string) {
  const ports = createInMemoryRepositories(ZONE);
  const account = anAccount({ id: newId() });
  await ports.access.insertAccount(account, UNRECORDED);
  await ports.websites.insert(account.id, aWebsite({ id: websiteId }), UNRECORDED);
  await ports.hits.add(hits);
  return readAll(ports, websiteId);
}
