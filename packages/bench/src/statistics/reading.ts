import { setTimeout as sleep } from 'node:timers/promises';
import { addDays } from '@hitherto/domain/calendar';
import { forgetDeletedWebsite } from '@hitherto/domain/engine';
import { rowsOf } from '@hitherto/testing/databases';
import { createDatabase, numberIn, withClient } from '../database.ts';
import { atLeast, atMost } from '../figures.ts';
import { timed, timePath } from '../load/measure.ts';
import { readFrom } from '../load/read.ts';
import { inTurns, type Run } from '../run.ts';
import { type RunningServer, startHitherto } from '../servers.ts';
import {
  fillClosedDays,
  fillOneDay,
  fillToday,
  maintainUntil,
  numberOf,
  PERIOD_DAYS,
  settleNow,
} from './closed-days.ts';
import { collectDuring } from './collecting-during.ts';
import type { HitWebsite } from './hits.ts';
import { addWebsites } from './websites.ts';

const FULL = { closed: 10_000_000, open: 300_000, summarised: 1_000_000, reads: 100 };
const SHORT = { closed: 112_000, open: 20_000, summarised: 20_000, reads: 10 };

interface Large {
  readonly server: RunningServer;
  readonly databaseUrl: string;
  readonly website: HitWebsite;
  /** The website's number in the database. */
  readonly number: string;
  readonly key: string;
}

/** Reading statistics of a large website, and how background work on it affects collecting for another one. */
export async function measureReading(run: Run): Promise<void> {
  const { figures } = run;
  const amounts = run.isFull ? FULL : SHORT;
  const databaseUrl = await createDatabase(run.database.url, 'bench_reading');
  const today = new Date().toISOString().slice(0, 10);
  const { key, websites } = await addWebsites(databaseUrl, ['large.example', 'day.example', 'other.example']);
  const [website, day, other] = websites;
  const number = await numberOf(databaseUrl, website);
  await fillClosedDays(run, databaseUrl, website, today, amounts.closed);
  for (const table of ['book', 'day_numbers']) {
    const size = `select pg_total_relation_size('${table}') as value`;
    figures.add(`${table}, with indexes`, 'MB', [(await numberIn(databaseUrl, size)) / 1e6]);
  }
  const server = await run.open(startHitherto({ DATABASE_URL: databaseUrl }));
  const large = { server, databaseUrl, website, number, key };
  const page = (name: string, filter: string, most: number, aim: number) => {
    const options = { enough: amounts.reads, percents: { 50: undefined, 95: atMost(most, aim) } };
    return timePath(run, server, `page of 28 days, ${name}`, `/statistics/${website.id}?period=28d${filter}`, options);
  };
  await page('all days closed', '', 100, 50);
  await timePath(run, server, 'why a number changed', `/statistics/${website.id}/change?period=28d`, {
    enough: amounts.reads,
    percents: { 50: undefined, 95: atMost(300) },
  });
  await compareWithUsual(run, large, addDays(today, -PERIOD_DAYS), addDays(today, -1));
  await fillToday(databaseUrl, website, today, amounts.open);
  await page("with today's hits open", '', 500, 100);
  await page('filtered by channel', '&channel=Search', 3_000, 500);

  const numberOfDay = await fillOneDay(databaseUrl, day, addDays(today, -1), amounts.summarised);
  await collectDuring(run, server, other, 'no other work', () => sleep(run.isFull ? 10_000 : 2_000));
  const summarised = await collectDuring(run, server, other, 'summarising', () =>
    maintainUntil(
      databaseUrl,
      settleNow,
      'select from website_day where website_number = $1 and hits = hits_in_numbers',
      [numberOfDay],
    ),
  );
  const deleted = await collectDuring(run, server, other, 'deleting', async () => {
    await readFrom(server, `/api/v1/websites/${website.id}`, { key, method: 'DELETE' });
    const isPurged = 'select where not exists (select from deleted_website where not is_purged)';
    await maintainUntil(databaseUrl, forgetDeletedWebsite, isPurged);
  });
  const longest = 'longest pause of collecting while a day is summarised or hits are deleted';
  figures.add(longest, 'ms', [Math.max(summarised, deleted)], atMost(1_000, 200));
}

const CHOSEN = 'from raw_hit where website_number = $1 and day between $2 and $3';
const VISITORS = 'count(distinct visitor)::integer as visitors';
const TOTALS = `select ${VISITORS}, (count(*) filter (where name is null))::integer as pageviews ${CHOSEN}`;
/** The usual reads of a page from raw hits: totals, a series by day, two lists of ten. Hitherto's page has much more. */
const USUAL = [
  TOTALS,
  `select day, ${VISITORS}, count(*) ${CHOSEN} group by day order by day`,
  ...['page', 'source'].map(
    (column) => `select ${column}, ${VISITORS}, count(*) ${CHOSEN} group by ${column} order by visitors desc limit 10`,
  ),
];

interface Totals {
  readonly visitors: number;
  readonly pageviews: number;
}

/** Reads the page and asks the usual query in turns, after checking that their numbers are the same. */
async function compareWithUsual(run: Run, large: Large, from: string, to: string): Promise<void> {
  const { server, databaseUrl, website, number, key } = large;
  const days = `from=${from}&to=${to}`;
  const totals = await readFrom(server, `/api/v1/websites/${website.id}/statistics?${days}`, { key });
  const { data }: { data: Totals } = JSON.parse(totals);
  const [found] = await rowsOf<Totals & Record<string, unknown>>(databaseUrl, TOTALS, [number, from, to]);
  if (found?.visitors !== data.visitors || found.pageviews !== data.pageviews) {
    throw new Error(`The numbers differ: ${JSON.stringify({ found, data })}`);
  }
  const of = await withClient(databaseUrl, (client) => {
    const readPage = () => readFrom(server, `/statistics/${website.id}?${days}`);
    const askUsual = async () => {
      for (const statement of USUAL) await client.query(statement, [number, from, to]);
    };
    return inTurns({ ...run, warmUpSeconds: 0 }, [
      { name: 'page', measure: () => timed(readPage) },
      { name: 'usual query', measure: () => timed(askUsual) },
    ]);
  });
  const [page, usual] = [of('page', (ms) => ms), of('usual query', (ms) => ms)];
  run.figures.add('the usual query on raw hits', 'ms', usual);
  run.figures.ratio('the page against the usual query on raw hits', usual, page, atLeast(20, 50));
}
