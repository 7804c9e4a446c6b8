import { monitorEventLoopDelay } from 'node:perf_hooks';
import { addDays, timeZone } from '@hitherto/domain/calendar';
import { bareDetails, type CountedHit, DIMENSIONS } from '@hitherto/domain/hits';
import { showOverview } from '@hitherto/domain/reading';
import type { FilterSet } from '@hitherto/domain/visits';
import { openPostgres, type PostgresRepositories } from '@hitherto/postgres';
import { rowsOf } from '@hitherto/testing/databases';
import { cpuOfServer } from '@hitherto/testing/proc';
import { createDatabase, numberIn, vacuum } from '../database.ts';
import { atMost } from '../figures.ts';
import type { Run } from '../run.ts';
import { numberOf } from './closed-days.ts';
import { fillDay } from './fill-hits.ts';
import type { HitWebsite } from './hits.ts';
import { addWebsites, type Hosts } from './websites.ts';

const FULL = { large: 100_000, websites: 100, days: 10, open: 300_000, filtered: 60_000, closed: 1_000_000 };
const SHORT = { large: 6_000, websites: 10, days: 3, open: 10_000, filtered: 6_000, closed: 20_000 };

const DAY_MS = 86_400_000;
const BATCH = 64;

/** What hits cost until their day is closed, and what it takes to count them, without a face. */
export async function measureBook(run: Run): Promise<void> {
  const amounts = run.isFull ? FULL : SHORT;
  const { large, websites, days, open, filtered, closed } = amounts;
  const disk = await measureHits(run, 'a large day', { websites: 1, hits: large, days: 3 }, 20);
  const ofMeasured = await measureHits(run, 'a large day, measured', {
    websites: 1,
    hits: large,
    days: 3,
    isMeasured: true,
  });
  run.figures.add('disk of a measure, by hits', 'bytes', [ofMeasured - disk], atMost(24));
  await measureHits(run, 'days of 100 hits', { websites, hits: 100, days }, 60);
  await measureLooks(run, open);
  await measureFilteredDays(run, filtered);
  await measureClose(run, closed);
}

interface HitsToSend {
  readonly websites: number;
  /** Of each website, on each day. */
  readonly hits: number;
  readonly days: number;
  /** Whether each pageview is followed by a message about how it was looked at. */
  readonly isMeasured?: boolean;
}

/** Returns the bytes of a hit of closed days. */
async function measureHits(run: Run, name: string, amounts: HitsToSend, mostDisk?: number): Promise<number> {
  const hosts: Hosts = ['0.example', ...Array.from({ length: amounts.websites - 1 }, (_, n) => `${n + 1}.example`)];
  const { databaseUrl, ports, ofHosts } = await openSide(run, hosts);
  const count = amounts.websites * amounts.hits * amounts.days;
  const used = async () => {
    const { user, system } = process.cpuUsage();
    const log = await numberIn(databaseUrl, "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as value");
    return { node: user + system, database: (cpuOfServer(run.database.pid) ?? Number.NaN) * 1e6, log };
  };
  const before = await used();
  const jobs = ports.maintenance.jobs(() => new Date());
  let batch: CountedHit[] = [];
  let batches = 0;
  for (const hit of hitsOf(ofHosts, amounts)) {
    if (batch.push(hit) < BATCH) continue;
    await ports.hits.add(batch);
    batch = [];
    batches += 1;
    // About as often as the service looks.
    if (batches % 20 === 0)
      await jobs.find(({ name }) => name === 'hand over hits')?.work(new AbortController().signal);
  }
  await ports.hits.add(batch);
  // As hours later: pages that are changed again are written whole to the log.
  await rowsOf(databaseUrl, 'checkpoint');
  await ports.maintenance.settle(new Date());
  const after = await used();
  run.figures.add(`${name}: CPU of Node a hit until its day is closed`, 'µs', [(after.node - before.node) / count]);
  run.figures.add(`${name}: CPU of the database`, 'µs', [(after.database - before.database) / count]);
  run.figures.add(`${name}: log`, 'bytes', [(after.log - before.log) / count], atMost(250, 150));
  await vacuum(databaseUrl);
  const size = await numberIn(
    databaseUrl,
    `select sum(pg_total_relation_size(name::regclass)) as value from unnest('{book, day_numbers, website_day}'::text[]) name`,
  );
  run.figures.add(
    `${name}: disk of closed days`,
    'bytes',
    [size / count],
    mostDisk === undefined ? undefined : atMost(mostDisk),
  );
  await ports.close();
  return size / count;
}

function* hitsOf(
  ofHosts: readonly HitWebsite[],
  { hits, days, isMeasured = false }: HitsToSend,
): Generator<CountedHit> {
  const first = Date.parse(new Date().toISOString().slice(0, 10)) - days * DAY_MS;
  const random = createRandom();
  for (let day = 0; day < days; day += 1) {
    for (let hit = 0; hit < hits; hit += 1) {
      for (const [place, { id, host }] of ofHosts.entries()) {
        const visitor = Math.floor(hit / 2.5);
        const isDirect = visitor % 5 < 3;
        const time = new Date(first + day * DAY_MS + Math.floor((0.98 * DAY_MS * hit) / hits + 60_000 * random()));
        const counted: CountedHit = {
          ...{ websiteId: id, day: time.toISOString().slice(0, 10), time, host },
          visitor: BigInt.asUintN(64, BigInt(visitor + 1 + place * 1e6 + day * 1e9) * 0x9e3779b97f4a7c15n),
          page: `/articles/${Math.floor(Math.exp(random() * Math.log(2_000))) - 1}/a-title-of-some-words`,
          channel: isDirect ? 'Direct' : 'Referral',
          source: isDirect ? null : `source-${visitor % 400}.example`,
          referrer: isDirect ? null : `source-${visitor % 400}.example`,
          ...{ utmSource: null, utmMedium: null, utmCampaign: null, utmContent: null, utmTerm: null },
          country: ['DE', 'US', 'FR', 'BR', 'JP'][visitor % 5] ?? null,
          language: 'de',
          browser: ['Chrome', 'Safari', 'Firefox'][visitor % 3] ?? null,
          os: ['Windows', 'iOS', 'Linux'][visitor % 3] ?? null,
          device: 'desktop',
          network: null,
          ...(hit % 20 === 0 ? { name: 'Signup', props: { plan: 'pro' } } : { name: null, props: null }),
        };
        if (!isMeasured || counted.name !== null) {
          yield counted;
          continue;
        }
        const view = 1 + Math.floor((2 ** 32 - 1) * random());
        yield { ...counted, view };
        const measure = { seconds: Math.floor(120 * random()), scroll: Math.floor(101 * random()) };
        yield { ...counted, ...bareDetails('', ''), view, measure };
      }
    }
  }
}

/** The same numbers each time. */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const GOALS = [
  { id: 'a', rule: { event: 'Signup', props: {} }, sum: 'amount' },
  { id: 'b', rule: { page: '/checkout' }, sum: null },
  { id: 'c', rule: { page: '/blog/*' }, sum: null },
  { id: 'd', rule: { event: 'Download', props: {} }, sum: null },
  { id: 'e', rule: { event: 'Add to cart', props: {} }, sum: 'amount' },
];
const STEPS = [{ page: '/product/*' }, { event: 'Add to cart', props: {} }, { page: '/checkout' }];

/** The first look of a process, and those after it. */
async function measureLooks(run: Run, hits: number): Promise<void> {
  const { databaseUrl, ports, ofHosts } = await openSide(run, ['looks.example']);
  const [website] = ofHosts;
  const today = new Date().toISOString().slice(0, 10);
  const seconds = (Date.now() - Date.parse(today)) / 1_000;
  await fill(databaseUrl, website, today, hits, seconds);
  for (let day = 1; day <= 28; day += 1)
    await fill(databaseUrl, website, addDays(today, -day), day === 1 ? hits : 5_000);
  await ports.maintenance.settle(new Date());
  await vacuum(databaseUrl);
  await ports.close();
  const page = ({ statistics }: PostgresRepositories, from: string) => {
    const deps = { statistics, zone: timeZone('UTC'), now: () => new Date() };
    const query = { websiteId: website.id, from, to: today, filters: [] };
    return showOverview(deps, query, from === today ? 'hour' : 'day', DIMENSIONS, 10);
  };
  const looks: Readonly<Record<string, (ports: PostgresRepositories) => Promise<unknown>>> = {
    'page of today': (opened) => page(opened, today),
    'page of 28 days with today': (opened) => page(opened, addDays(today, -27)),
    'five goals and a funnel of today': ({ statistics }) => {
      const query = { websiteId: website.id, from: today, to: today, filters: [] };
      return Promise.all([statistics.goals(query, GOALS), statistics.funnel(query, { steps: STEPS, isStrict: false })]);
    },
  };
  for (const [name, look] of Object.entries(looks)) {
    const [firsts, others]: [number[], number[]] = [[], []];
    for (let round = 0; round < run.rounds; round += 1) {
      const opened = openPostgres({ connection: databaseUrl, log: () => {} });
      await opened.statistics.firstDay(website.id);
      firsts.push(await millisecondsOf(() => look(opened)));
      const added = Array.from(hitsOf([website], { websites: 1, hits: 500, days: 1 }), (hit) => ({
        ...hit,
        ...{ day: today, time: new Date(Date.parse(today) + (hit.time.getTime() % (seconds * 1_000))) },
      }));
      await opened.hits.add(added);
      others.push(await millisecondsOf(() => look(opened)));
      await opened.close();
    }
    const isOfGoals = name.includes('goals');
    run.figures.add(`${name}: first look`, 'ms', firsts, isOfGoals ? atMost(1_000, 300) : atMost(1_200, 400));
    run.figures.add(`${name}: after 500 hits`, 'ms', others, isOfGoals ? atMost(200, 50) : atMost(100, 30));
  }
}

const FILTERS: Readonly<Record<string, readonly FilterSet[]>> = {
  'country=DE': filterBy('country', 'is', 'DE'),
  'page.like=/blog/*': filterBy('page', 'like', '/blog/*'),
};

function filterBy(dimension: 'country' | 'page', comparator: 'is' | 'like', value: string): readonly FilterSet[] {
  return [{ match: 'all', filters: [{ kind: 'dimension', dimension, comparator, isNegated: false, values: [value] }] }];
}

async function measureFilteredDays(run: Run, hits: number): Promise<void> {
  const { databaseUrl, ports, ofHosts } = await openSide(run, ['filters.example']);
  const [website] = ofHosts;
  const today = new Date().toISOString().slice(0, 10);
  for (let day = 1; day <= 5; day += 1) await fill(databaseUrl, website, addDays(today, -day), hits);
  await ports.maintenance.settle(new Date());
  await vacuum(databaseUrl);
  for (const [name, filters] of Object.entries(FILTERS)) {
    const query = { websiteId: website.id, from: addDays(today, -5), to: addDays(today, -1), filters };
    const look = () => millisecondsOf(() => ports.statistics.overview(query, DIMENSIONS, 10));
    run.figures.add(`${name} of five days: first look`, 'ms', [await look()]);
    const times: number[] = [];
    for (let round = 0; round < 3 * run.rounds; round += 1) times.push(await look());
    run.figures.add(`${name} of five days`, 'ms', times);
  }
  await ports.close();
}

/** The longest pause of this thread while another one closes a day. */
async function measureClose(run: Run, hits: number): Promise<void> {
  const opened = await openSide(run, ['close.example']);
  const {
    databaseUrl,
    ofHosts: [website],
  } = opened;
  await opened.ports.close();
  // Only a build has threads.
  const build: typeof import('@hitherto/postgres') = await import(
    new URL('../../../postgres/dist/index.js', import.meta.url).href
  );
  const ports = build.openPostgres({ connection: databaseUrl, log: () => {}, countsInThread: true });
  await fill(databaseUrl, website, addDays(new Date().toISOString().slice(0, 10), -1), hits);
  await vacuum(databaseUrl);
  const delay = monitorEventLoopDelay({ resolution: 2 });
  delay.enable();
  run.figures.add('closing a day', 'ms', [await millisecondsOf(() => ports.maintenance.settle(new Date()))]);
  delay.disable();
  run.figures.add('longest pause while a day is closed', 'ms', [delay.max / 1e6], atMost(30, 10));
  await ports.close();
}

async function openSide(run: Run, hosts: Hosts) {
  const databaseUrl = await createDatabase(run.database.url, 'bench_book');
  const { websites } = await addWebsites(databaseUrl, hosts);
  const ports = openPostgres({ connection: databaseUrl, log: () => {} });
  return { databaseUrl, ports, ofHosts: websites };
}

async function fill(url: string, website: HitWebsite, day: string, hits: number, seconds?: number): Promise<void> {
  const websiteNumber = await numberOf(url, website);
  const spread: { seconds?: number } = seconds === undefined ? {} : { seconds };
  await fillDay(url, { websiteNumber, host: website.host, day, hits, ...spread });
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
