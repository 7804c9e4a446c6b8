import assert from 'node:assert/strict';
import { createInMemoryRepositories } from '@hitherto/adapters/in-memory';
import { openPostgres, type PostgresRepositories } from '@hitherto/adapters/postgres';
import { newId } from '@hitherto/adapters/system';
import { type TimeZone, timeZone } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { StatisticsEngine } from '@hitherto/domain/engine';
import type { CountedHit } from '@hitherto/domain/hits';
import type { Repositories } from '@hitherto/domain/repositories';
import { anAccount, aWebsite, type History, histories } from '@hitherto/domain/testing';
import type { Random } from '@hitherto/testing/random';
import fc from 'fast-check';
import { row } from '../row.ts';
import { readAll } from '../support/numbers.ts';
import { withNumbers } from '../support/numbers-text.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York'] as const;
const LONGEST_BATCH = 8;
const FEWEST_HITS = 5;
/** Nearly every day has a running summary as long as it is not over. */
const RUNNING_SUMMARIES = { visits: 2, appended: 5 };
/** Times when all days of the histories are over, and when none is. */
const TIMES = ['2027-02-01T12:00:00Z', '2026-01-01T12:00:00Z'] as const;

const FOREVER = new Date('2100-01-01');

type Ports = Pick<Repositories, 'access' | 'websites' | 'hits' | 'batches'> & StatisticsEngine;

export const hitHistories = row('hit-histories', 500, 'histories', {}, async (trials) => {
  const postgres = await trials.open(startOwnPostgres());
  const places: { readonly zone: TimeZone; readonly instances: readonly PostgresRepositories[] }[] = [];
  for (const name of ZONES) {
    const zone = timeZone(name);
    const connection = await postgres.createDatabase(name.toLowerCase().replace('/', '_'));
    const instance = () =>
      trials.open(openPostgres({ connection, log: () => {}, zone, runningSummaries: RUNNING_SUMMARIES }));
    const instances = [await instance(), await instance()];
    await instances[0]?.migrate();
    places.push({ zone, instances });
  }
  let hits = 0;
  await trials.each(async ({ index, random }) => {
    const place = places[index % places.length];
    if (place === undefined) throw new Error('A zone is missing.');
    const { zone, instances } = place;
    const history = historyIn(zone, random);
    const expected = createInMemoryRepositories(zone);
    const account = anAccount({ id: newId(), name: `history ${index} ${random.word(8)}` });
    const website = aWebsite({ id: newId() });
    for (const ports of [instances[0], expected]) {
      await ports?.access.insertAccount(account, UNRECORDED);
      await ports?.websites.insert(account.id, website, UNRECORDED);
    }
    const own = history.hits.map((hit) => ({ ...hit, websiteId: website.id }));
    await expected.hits.add(own);
    await arrive(shuffled(own, random), instances, random);
    const wanted = await readAll(expected, website.id);
    for (const ports of instances) assert.deepEqual(await readAll(ports, website.id), wanted);
    hits += own.length;
  });
  return withNumbers`all numbers equal, of ${hits} hits in ${ZONES.join(', ')}`;
});

/** A random history of some hits, whose days are in the zone. */
function historyIn(zone: TimeZone, random: Random): History {
  const seed = random.below(2 ** 31);
  const found = fc
    .sample(histories(), { numRuns: 100, seed })
    .find((each) => each.zone.name === zone.name && each.hits.length >= FEWEST_HITS);
  if (found === undefined) throw new Error(`There is no history in ${zone.name}.`);
  return found;
}

function shuffled(hits: readonly CountedHit[], random: Random): CountedHit[] {
  return hits
    .map((hit) => ({ hit, rank: random.next() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ hit }) => hit);
}

/** Both instances get batches at the same time, in any order, some of them both, while both do background work. */
async function arrive(hits: readonly CountedHit[], instances: readonly Ports[], random: Random): Promise<void> {
  const work: Promise<unknown>[] = [];
  for (let start = 0; start < hits.length; ) {
    const size = 1 + random.below(LONGEST_BATCH);
    const part = hits.slice(start, start + size);
    const record = { keyHash: newId(), fingerprint: '', collected: { counted: size, dropped: [] }, expiresAt: FOREVER };
    const isRepeated = random.below(3) === 0;
    const taker = random.below(instances.length);
    for (const [index, { hits: target, batches, maintenance }] of instances.entries()) {
      if (isRepeated) work.push(batches.add(record, part, [], new Date()));
      else if (index === taker) work.push(target.add(part));
      const now = new Date(random.pick(TIMES));
      for (const job of maintenance.jobs(() => now)) {
        if (random.below(4) === 0) work.push(job.work(new AbortController().signal));
      }
    }
    if (random.below(3) === 0) await Promise.all(work.splice(0));
    start += size;
  }
  await Promise.all(work);
}
