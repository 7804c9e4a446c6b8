import { setTimeout as sleep } from 'node:timers/promises';
import { addDays } from '@hitherto/domain/calendar';
import { cpuOf, memoryOf } from '@hitherto/testing/proc';
import { numberIn } from '../database.ts';
import { atLeast, atMost, type Percents, type Target } from '../figures.ts';
import { measureServer, type ServerSample, startLoad, timed, timePath } from '../load/measure.ts';
import { readFrom } from '../load/read.ts';
import { inTurns, type Run } from '../run.ts';
import { PERIOD_DAYS } from './closed-days.ts';
import { catchUp } from './collecting.ts';
import { createHits, type HitWebsite, hitRequests } from './hits.ts';
import { type BothEngines, longestWait, openBothEngines, type Side } from './two-engines.ts';

const FULL = { closed: 10_000_000, open: 300_000, pages: 100, filteredPages: 20, outageSeconds: 600 };
const SHORT = { closed: 112_000, open: 20_000, pages: 10, filteredPages: 5, outageSeconds: 20 };

/** Filters of pages; of the hits, a quarter to a third are chosen, or more. */
const FILTERS: Readonly<Record<string, string>> = {
  'one filter (os=Windows, 29 % of visits)': 'os=Windows',
  'two filters (os=Windows, channel=Search)': 'os=Windows&channel=Search',
  'page.like=/blog/*': 'page.like=/blog/*',
  'browser.not=Chrome': 'browser.not=Chrome',
};

const CONNECTIONS = 64;
const OUTAGE_HITS_PER_SECOND = 1_000;
const WAITING_HITS = 500;

/** PostgreSQL alone against PostgreSQL with ClickHouse, on the same hits. */
export async function measureEngines(run: Run, { stored }: { readonly stored?: number }): Promise<void> {
  const amounts = run.isFull ? FULL : SHORT;
  const today = new Date().toISOString().slice(0, 10);
  const both = await openBothEngines(run, today, stored ?? amounts.closed);
  const sides = [both.postgresql, both.clickhouse];
  const days = { from: addDays(today, -2 * PERIOD_DAYS), to: addDays(today, -1) };
  run.figures.add('hits of the large website', '', [await compareNumbers(both, days)]);
  await measureDisk(run, both);

  const timePages = async (name: string, filter: string, enough: number, target: Target) => {
    for (const side of sides) {
      const path = `/statistics/${side.large.id}?period=28d${filter}`;
      await timePath(run, side.server, `${side.name}: ${name}`, path, { enough, percents: percentsOf(side, target) });
    }
  };
  await timePages('28 days from summaries', '', amounts.pages, atMost(150, 70));
  for (const [name, filter] of Object.entries(FILTERS)) {
    await timePages(name, `&${filter}`, amounts.filteredPages, atMost(1_000, 400));
  }
  await both.fillToday(amounts.open);
  await timePages("with today's hits, handed over", '', amounts.filteredPages, atMost(500, 200));
  await compareNumbers(both, { ...days, to: today });
  for (const side of sides) await measureWaiting(run, side, amounts.filteredPages);

  await compareRates(run, both);
  await measureOutage(run, both, amounts.outageSeconds);
  const memory = memoryOf(both.engine.pid)?.peak ?? Number.NaN;
  run.figures.add('memory of the stand-in for ClickHouse, the peak', 'MB', [memory]);
}

/** Only ClickHouse has targets. */
function percentsOf({ name }: Side, target: Target): Percents {
  return { 50: undefined, 95: name === 'ClickHouse' ? target : undefined };
}

interface Days {
  readonly from: string;
  readonly to: string;
}

interface Totals {
  readonly pageviews: number;
  readonly events: number;
}

/** Checks that both engines give the same numbers of every day; returns how many hits they have. */
async function compareNumbers({ postgresql, clickhouse }: BothEngines, days: Days): Promise<number> {
  const read = async (side: Side) => ({
    totals: await totalsOf(side, side.large, days),
    series: (await readStatistics(side, side.large, '/series', days)).data,
    pages: (await readStatistics(side, side.large, '/by/page', days, '&os=Windows')).data,
    browsers: (await readStatistics(side, side.large, '/by/browser', days, '&page.like=/blog/*')).data,
  });
  const [inside, outside] = [await read(postgresql), await read(clickhouse)];
  if (JSON.stringify(inside) !== JSON.stringify(outside)) {
    throw new Error(`The engines differ: ${JSON.stringify(inside.totals)} and ${JSON.stringify(outside.totals)}.`);
  }
  return inside.totals.pageviews + inside.totals.events;
}

async function totalsOf(side: Side, website: HitWebsite, days: Days): Promise<Totals> {
  return (await readStatistics<Totals>(side, website, '', days)).data;
}

async function readStatistics<Data>(
  { server, key }: Side,
  { id }: HitWebsite,
  path: string,
  { from, to }: Days,
  filter = '',
): Promise<{ data: Data }> {
  const statistics = `/api/v1/websites/${id}/statistics${path}?from=${from}&to=${to}${filter}`;
  return JSON.parse(await readFrom(server, statistics, { key }));
}

/** Sizes as they are once PostgreSQL has vacuumed, and ClickHouse merged its parts. */
async function measureDisk({ figures }: Run, { postgresql, engine }: BothEngines): Promise<void> {
  for (const table of ['hit', 'visitor_day', 'summary']) await engine.query(`optimize table ${table} final`);
  const sizeOf = async (tables: string) => {
    const parts = `system.parts where active and database = 'default' and table in (${tables})`;
    return Number(await engine.query(`select sum(bytes_on_disk) from ${parts}`));
  };
  const hits = await numberIn(postgresql.databaseUrl, 'select count(*) as value from hit');
  const size = `select sum(pg_total_relation_size(relid)) as value
    from unnest(array['hit', 'visit', 'visit_columns']) name, pg_partition_tree(name::regclass)`;
  const inPostgres = await numberIn(postgresql.databaseUrl, size);
  figures.add('PostgreSQL: disk per hit, with its visit', 'bytes', [inPostgres / hits]);
  const inClickHouse = await sizeOf("'hit', 'visitor_day'");
  figures.add('ClickHouse: disk per hit, with its visit', 'bytes', [inClickHouse / hits], atMost(60, 40));
  figures.add('ClickHouse: disk per hit, of the hit alone', 'bytes', [(await sizeOf("'hit'")) / hits]);
  figures.add('ClickHouse: summaries', 'MB', [(await sizeOf("'summary'")) / 1e6]);
}

/** Times pages that are asked for directly after 500 hits of their website were acknowledged. */
async function measureWaiting(run: Run, side: Side, pages: number): Promise<void> {
  const { server, key, large } = side;
  const next = createHits([large], 11);
  const times: number[] = [];
  for (let page = 0; page < pages; page += 1) {
    const hits = Array.from({ length: WAITING_HITS }, () => {
      const { url, referrer, address: ip, userAgent: user_agent, language } = next();
      return { website: large.id, url, ip, user_agent, language, ...(referrer && { referrer }) };
    });
    await readFrom(server, '/api/v1/hits', { key, method: 'POST', json: { hits } });
    times.push(await timed(() => readFrom(server, `/statistics/${large.id}?period=28d`)));
  }
  const name = `${side.name}: with today's hits, ${WAITING_HITS} of which wait`;
  run.figures.times(name, times, percentsOf(side, atMost(1_500, 600)));
}

/** A load of hits, with the CPU of ClickHouse in microseconds a hit. */
interface HitsSample extends ServerSample {
  readonly engineCpu: number;
}

/**
 * How many hits a second each program stores, and the CPU of a hit, its hand-over and its visit included. Checks that each has
 * counted as many hits as it acknowledged.
 */
async function compareRates(run: Run, { postgresql, clickhouse, engine }: BothEngines): Promise<void> {
  const acknowledged = { PostgreSQL: 0, ClickHouse: 0 };
  const from = new Date().toISOString().slice(0, 10);
  const sides = [
    { side: postgresql, caughtUp: () => catchUp(postgresql.databaseUrl) },
    { side: clickhouse, caughtUp: () => waitUntilHandedOver(clickhouse, 0) },
  ];
  const engineCpu = () => cpuOf(engine.pid) ?? Number.NaN;
  const measuring = sides.map(({ side: { name, server, small }, caughtUp }) => ({
    name,
    async measure(seconds: number): Promise<HitsSample> {
      const load = { url: server.url, connections: CONNECTIONS, next: hitRequests(small) };
      const before = engineCpu();
      const measured = await measureServer(server, run.database.pid, load, seconds, caughtUp);
      const hits = measured.times.length;
      acknowledged[name] += hits;
      return { ...measured, engineCpu: ((engineCpu() - before) / hits) * 1e6 };
    },
  }));
  const of = await inTurns(run, measuring);
  const { figures } = run;
  const rates = (name: Side['name']) => of(name, ({ perSecond }) => perSecond);
  for (const { side } of sides) {
    const { name, small } = side;
    figures.add(`${name}: hits/s`, 'per second', rates(name));
    const addCpu = (process: string, pick: (sample: HitsSample) => number) =>
      figures.add(`${name}: CPU of a hit: ${process}`, 'µs', of(name, pick));
    addCpu('the program', ({ nodeCpu }) => nodeCpu);
    addCpu('PostgreSQL', ({ databaseCpu }) => databaseCpu);
    addCpu('ClickHouse', (sample) => sample.engineCpu);
    const counted = await pageviewsOf(side, small, from);
    if (counted !== acknowledged[name]) {
      throw new Error(`${name}: ${acknowledged[name]} hits were acknowledged, ${counted} are counted.`);
    }
  }
  const target = atLeast(0.85, 0.95);
  figures.ratio('hits/s with ClickHouse against without', rates('ClickHouse'), rates('PostgreSQL'), target);
}

async function pageviewsOf(side: Side, websites: readonly HitWebsite[], from: string): Promise<number> {
  const to = new Date().toISOString().slice(0, 10);
  let pageviews = 0;
  for (const website of websites) pageviews += (await totalsOf(side, website, { from, to })).pageviews;
  return pageviews;
}

/** Kills ClickHouse while hits are collected, and goes on collecting until it has caught up. */
async function measureOutage(run: Run, { clickhouse, engine }: BothEngines, seconds: number): Promise<void> {
  const from = new Date().toISOString().slice(0, 10);
  const load = startLoad({
    url: clickhouse.server.url,
    connections: CONNECTIONS,
    perSecond: OUTAGE_HITS_PER_SECOND,
    next: hitRequests(clickhouse.away, 12),
  });
  await engine.kill();
  await sleep(seconds * 1_000);
  await engine.restart();
  const took = await waitUntilHandedOver(clickhouse, 2);
  const { times, p99 } = await load.end();
  const about = `an outage of ${seconds} s at ${OUTAGE_HITS_PER_SECOND} hits/s`;
  run.figures.add(`${about}: caught up in`, 's', [took], atMost(60, 20));
  run.figures.add(`${about}: p99 of a hit`, 'ms', [p99]);
  await waitUntilHandedOver(clickhouse, 0);
  const counted = await pageviewsOf(clickhouse, clickhouse.away, from);
  if (counted !== times.length) {
    throw new Error(`${times.length} hits were acknowledged during an outage, ${counted} are counted.`);
  }
}

/** Waits until no hit has waited longer than this; returns the seconds that took. */
async function waitUntilHandedOver(side: Side, seconds: number): Promise<number> {
  const start = performance.now();
  while ((await longestWait(side)) > seconds) await sleep(50);
  return (performance.now() - start) / 1_000;
}
