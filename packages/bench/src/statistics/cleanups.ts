import { setTimeout as sleep } from 'node:timers/promises';
import { addDays } from '@hitherto/domain/calendar';
import { rowsOf } from '@hitherto/testing/databases';
import { createDatabase } from '../database.ts';
import { atMost } from '../figures.ts';
import { timePath } from '../load/measure.ts';
import { readFrom } from '../load/read.ts';
import type { Run } from '../run.ts';
import { startHitherto } from '../servers.ts';
import { CLOSED_DAYS, fillClosedDays, numberOf, PERIOD_DAYS } from './closed-days.ts';
import { collectDuring } from './collecting-during.ts';
import { addWebsites } from './websites.ts';

const FULL = { hits: 10_000_000, reads: 100 };
const SHORT = { hits: 56_000, reads: 10 };
const EVERY_MS = 100;
/** About one visit in eleven. */
const RULE = { name: 'Italy', filters: { country: ['IT'] } };

/** How long a cleanup of all days takes, which numbers are read meanwhile, and what it costs collecting and pages. */
export async function measureCleanups(run: Run, stored?: number): Promise<void> {
  const amounts = run.isFull ? FULL : SHORT;
  const hits = stored ?? amounts.hits;
  const databaseUrl = await createDatabase(run.database.url, 'bench_cleanups');
  const today = new Date().toISOString().slice(0, 10);
  const { key, websites } = await addWebsites(databaseUrl, ['large.example', 'other.example']);
  const [website, other] = websites;
  await fillClosedDays(run, databaseUrl, website, today, hits);
  const number = await numberOf(databaseUrl, website);
  const server = await run.open(startHitherto({ DATABASE_URL: databaseUrl }));
  const statistics = `/api/v1/websites/${website.id}/statistics`;
  const cleanups = `/api/v1/websites/${website.id}/cleanups`;
  const days = `from=${addDays(today, -CLOSED_DAYS)}&to=${addDays(today, -1)}`;
  const readVisits = async (query: string): Promise<number> =>
    JSON.parse(await readFrom(server, `${statistics}?${days}${query}`, { key })).data.visits;

  const [all, italian] = [await readVisits(''), await readVisits('&country=IT')];
  /** Reads until the numbers are the new ones; any others than these and the old ones are wrong. */
  const change = async (name: string, before: number, after: number, begin: () => Promise<unknown>) => {
    const start = performance.now();
    await begin();
    for (let visits = before; visits !== after; await sleep(EVERY_MS)) {
      visits = await readVisits('');
      if (visits !== before && visits !== after) throw new Error(`${visits} visits instead of ${before} or ${after}.`);
    }
    const seconds = (performance.now() - start) / 1_000;
    const target = hits > 1_000_000 ? atMost(300) : atMost(30);
    run.figures.add(`${hits.toLocaleString('en')} hits: a cleanup is ${name}`, 's', [seconds], target);
    const areMade =
      'select where not exists (select from website_day where website_number = $1 and hits <> hits_in_numbers)';
    while ((await rowsOf(databaseUrl, areMade, [number])).length === 0) await sleep(EVERY_MS);
    run.figures.add('until the numbers of days are made again', 's', [(performance.now() - start) / 1_000]);
  };
  await collectDuring(run, server, other, 'no other work', () => sleep(run.isFull ? 10_000 : 2_000));
  let created = '';
  const applying = await collectDuring(run, server, other, 'applying', () =>
    change('applied', all, all - italian, async () => {
      const response = await readFrom(server, cleanups, { key, method: 'POST', json: RULE });
      created = JSON.parse(response).data.id;
    }),
  );
  const percents = { 50: undefined, 95: atMost(100) };
  const page = `/statistics/${website.id}?period=28d`;
  await timePath(run, server, 'page of 28 days with a cleanup', page, { enough: amounts.reads, percents });
  const explained = `${statistics}/change?from=${addDays(today, -PERIOD_DAYS)}&to=${addDays(today, -1)}`;
  await timePath(run, server, 'an explained change', explained, {
    ...{ key, enough: amounts.reads },
    percents: { 50: undefined, 95: atMost(300) },
  });
  const undoing = await collectDuring(run, server, other, 'undoing', () =>
    change('undone', all - italian, all, () => readFrom(server, `${cleanups}/${created}`, { key, method: 'DELETE' })),
  );
  run.figures.add('longest pause of collecting', 'ms', [Math.max(applying, undoing)], atMost(1_000));
}
