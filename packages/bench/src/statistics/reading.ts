import { openPostgres } from '@hitherto/adapters/postgres';
import { addDays } from '@hitherto/domain';
import { type BenchDatabase, createDatabase, withClient } from '../database.ts';
import { settle } from '../fill.ts';
import { startHitherto } from '../variants.ts';
import { copyFirstDay, sumUpWeeks } from './copy-day.ts';
import { fillDay, markChanged } from './fill-hits.ts';
import type { HitWebsite } from './hits.ts';
import { type AgainstUsual, compareWithUsual, type ReadTimes, timePage } from './pages.ts';
import { collectDuring, maintainUntil, type PauseResult } from './pauses.ts';
import type { StatisticsPlan } from './plan.ts';
import { catchUp } from './rates.ts';
import { addWebsites } from './websites.ts';

/** Reading statistics of a large website, and what background work on it does to collecting. */
export interface ReadingResult {
  readonly closedHits: number;
  readonly closedDays: number;
  readonly openHits: number;
  readonly summarisedHits: number;
  /** All days are summarised. */
  readonly closed: ReadTimes;
  /** Today has hits. */
  readonly open: ReadTimes;
  readonly filtered: ReadTimes;
  readonly usual: AgainstUsual;
  /** Nothing else ran. */
  readonly alone: PauseResult;
  readonly summarising: PauseResult;
  readonly deleting: PauseResult;
  /** Megabytes of each table with its indexes, with all closed days. */
  readonly megabytes: Readonly<Record<'hit' | 'visit' | 'summary', number>>;
}

const PERIOD_DAYS = 28;
const ALONE_MS = 10_000;
const FILTERED_READS = 5;

export async function measureReading({ url }: BenchDatabase, plan: StatisticsPlan): Promise<ReadingResult> {
  const databaseUrl = await createDatabase(url, 'bench_reading');
  const today = new Date().toISOString().slice(0, 10);
  const yesterday = addDays(today, -1);
  const days = Array.from({ length: plan.closedDays }, (_, n) => addDays(today, n - plan.closedDays));
  const { key, websites } = await addWebsites(databaseUrl, ['large.example', 'day.example', 'other.example']);
  const [large, day, other] = websites;
  if (large === undefined || day === undefined || other === undefined) throw new Error('Websites are missing.');

  await fillClosedDays(databaseUrl, large, days, Math.ceil(plan.closedHits / plan.closedDays), plan);
  const megabytes = await tableSizes(databaseUrl);
  const server = await startHitherto(databaseUrl);
  const report = (name: string, { p50, p95, refused }: ReadTimes) =>
    plan.progress(`page, ${name}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, ${refused} of them 503`);
  try {
    const closed = await timePage(server, large, plan.reads);
    report('closed days', closed);
    const period = { from: addDays(today, -PERIOD_DAYS), to: yesterday };
    const usual = await compareWithUsual(server, databaseUrl, large, key, period, plan);

    await fillToday(databaseUrl, large, today, plan);
    const open = await timePage(server, large, plan.reads);
    report('today open', open);
    const filtered = await timePage(server, large, Math.max(FILTERED_READS, plan.reads / 5), '&channel=Search');
    report('with a filter', filtered);

    const alone = await collectDuring(server, other, () => new Promise((resolve) => setTimeout(resolve, ALONE_MS)));
    const numberOfDay = await fillOneDay(databaseUrl, day, yesterday, plan.summarisedHits);
    const summarising = await collectDuring(server, other, () =>
      maintainUntil(
        databaseUrl,
        (maintenance) => maintenance.summarise(today),
        'select from website_day where website_number = $1 and summarised',
        [numberOfDay],
      ),
    );
    plan.progress(`summarising: ${summarising.seconds.toFixed(1)} s, longest ${summarising.longest.toFixed()} ms`);
    const deleting = await collectDuring(server, other, async () => {
      const headers = { authorization: `Bearer ${key}` };
      await fetch(`${server.url}/api/v1/websites/${large.id}`, { method: 'DELETE', headers });
      await maintainUntil(
        databaseUrl,
        (maintenance) => maintenance.purge(),
        'select where not exists (select from deleted_website where not is_purged)',
        [],
      );
    });
    plan.progress(`deleting: ${deleting.seconds.toFixed(1)} s, longest ${deleting.longest.toFixed()} ms`);
    const { closedHits, closedDays, openHits, summarisedHits } = plan;
    const amounts = { closedHits, closedDays, openHits, summarisedHits };
    return { ...amounts, closed, open, filtered, usual, alone, summarising, deleting, megabytes };
  } finally {
    await server.stop();
  }
}

/**
 * Fills days that are over. The visits and the summary of the first are made as the service does it the day after; the others
 * are copies of it.
 */
async function fillClosedDays(
  databaseUrl: string,
  website: HitWebsite,
  days: readonly string[],
  hits: number,
  plan: StatisticsPlan,
): Promise<void> {
  const [first = ''] = days;
  const repositories = openPostgres({ connection: databaseUrl, log: () => {} });
  const { maintenance } = repositories;
  for (const day of days.filter((_, index) => index % 28 === 0)) await maintenance.prepare(day);
  const websiteNumber = await fillOneDay(databaseUrl, website, first, hits);
  await maintenance.summarise(addDays(first, 1));
  await repositories.close();
  await withClient(databaseUrl, async (client) => {
    for (const [index, day] of days.entries()) {
      if (index > 0) await copyFirstDay(client, websiteNumber, index);
      if (index % 7 === 0) plan.progress(`filling: ${day}, ${hits.toLocaleString('en')} hits a day`);
    }
    await sumUpWeeks(client, websiteNumber);
  });
  await settle(databaseUrl);
}

/** Fills one day and makes its visits, not its summary; resolves to the website's number. */
async function fillOneDay(databaseUrl: string, website: HitWebsite, day: string, hits: number): Promise<string> {
  const websiteNumber = await numberOf(databaseUrl, website);
  await fillDay(databaseUrl, { websiteNumber, host: website.host, day, hits });
  const repositories = openPostgres({ connection: databaseUrl, log: () => {} });
  await repositories.maintenance.rebuild({ websiteId: website.id });
  await repositories.close();
  return websiteNumber;
}

/** Fills what has passed of today; the running service makes the visits, and it or this process the running summary. */
async function fillToday(
  databaseUrl: string,
  website: HitWebsite,
  today: string,
  { openHits }: StatisticsPlan,
): Promise<void> {
  const websiteNumber = await numberOf(databaseUrl, website);
  const seconds = (Date.now() - Date.parse(today)) / 1_000;
  await fillDay(databaseUrl, { websiteNumber, host: website.host, day: today, hits: openHits, seconds });
  await withClient(databaseUrl, (client) => markChanged(client, websiteNumber, today));
  await catchUp(databaseUrl);
  await maintainUntil(
    databaseUrl,
    (maintenance) => maintenance.summarise(today),
    'select from website_day where website_number = $1 and running_zone is not null',
    [websiteNumber],
  );
}

function numberOf(databaseUrl: string, { id }: HitWebsite): Promise<string> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ number: string }>('select number from website where id = $1', [id]);
    return rows[0]?.number ?? '';
  });
}

function tableSizes(databaseUrl: string): Promise<ReadingResult['megabytes']> {
  return withClient(databaseUrl, async (client) => {
    const size = async (table: string) => {
      const { rows } = await client.query<{ bytes: number }>(
        `select coalesce(sum(pg_total_relation_size(relid)), pg_total_relation_size($1::regclass))::double precision as bytes
         from pg_partition_tree($1::regclass)`,
        [table],
      );
      return Math.round((rows[0]?.bytes ?? 0) / 1e6);
    };
    return { hit: await size('hit'), visit: await size('visit'), summary: await size('summary') };
  });
}
