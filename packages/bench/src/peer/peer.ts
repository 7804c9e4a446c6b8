import { addDays } from '@hitherto/domain/calendar';
import { createDatabase } from '../database.ts';
import { atLeast, medianOf } from '../figures.ts';
import { measureLoad, timed } from '../load/measure.ts';
import { readFrom } from '../load/read.ts';
import { inTurns, type Run } from '../run.ts';
import { startHitherto } from '../servers.ts';
import { fillClosedDays, numberOf, PERIOD_DAYS } from '../statistics/closed-days.ts';
import { catchUp } from '../statistics/collecting.ts';
import { hitRequests } from '../statistics/hits.ts';
import { addWebsites, tenHosts } from '../statistics/websites.ts';
import { copyHitsToUmami } from './copy-hits.ts';
import { type Days, dashboardOf, listOf, openUmami, type Umami, umamiRequests } from './umami.ts';

const CONNECTIONS = 64;
const HOSTS = tenHosts('site');
const STORED = { full: 1_000_000, short: 56_000 };

/** Umami's lists that Hitherto has too, by the names there. */
const LISTS: Readonly<Record<string, string>> = {
  path: 'page',
  entry: 'entry_page',
  exit: 'exit_page',
  referrer: 'referrer',
  channel: 'channel',
  browser: 'browser',
  os: 'os',
  device: 'device',
  country: 'country',
  language: 'language',
  event: 'event',
  hostname: 'host',
  utmSource: 'utm_source',
  utmCampaign: 'utm_campaign',
};

/** A running Umami to compare with. */
export interface Peer {
  /** Its address, with user and password. */
  readonly url: string;
  /** Its database, to fill it; without it only collecting is compared. */
  readonly databaseUrl: string | undefined;
}

/** Compares Hitherto with a running Umami: hits a second and, with its database, a page of 28 days and filtered lists. */
export async function measurePeer(run: Run, peer: Peer, stored?: number): Promise<void> {
  const umami = await openUmami(peer.url);
  await compareCollecting(run, umami);
  if (peer.databaseUrl === undefined) {
    run.progress('Reading is not compared without --database.');
    return;
  }
  await compareReading(run, umami, peer.databaseUrl, stored ?? (run.isFull ? STORED.full : STORED.short));
}

async function compareCollecting(run: Run, umami: Umami): Promise<void> {
  const databaseUrl = await createDatabase(run.database.url, 'bench_peer');
  const { websites } = await addWebsites(databaseUrl, HOSTS);
  const theirs: { id: string; host: string }[] = [];
  for (const host of HOSTS) theirs.push({ id: await umami.addWebsite(host), host });
  const server = await run.open(startHitherto({ DATABASE_URL: databaseUrl }));
  const own = { url: server.url, connections: CONNECTIONS, next: hitRequests(websites) };
  const other = { url: umami.url, connections: CONNECTIONS, next: umamiRequests(theirs) };
  const measureOwn = async (seconds: number) => {
    const measured = await measureLoad(own, seconds);
    await catchUp(databaseUrl);
    return measured;
  };
  try {
    const of = await inTurns(run, [
      { name: 'hitherto', measure: measureOwn },
      { name: 'umami', measure: (seconds) => measureLoad(other, seconds) },
    ]);
    const rates = (name: string) => of(name, ({ perSecond }) => perSecond);
    const medians = (name: string) => of(name, ({ p50 }) => p50);
    for (const name of ['hitherto', 'umami']) {
      run.figures.add(`hits: ${name}`, 'per second', rates(name));
      run.figures.add(`hits: ${name}: p50`, 'ms', medians(name));
    }
    run.figures.ratio('hits/s against Umami', rates('hitherto'), rates('umami'), atLeast(18, 25));
  } finally {
    for (const { id } of theirs) await umami.deleteWebsite(id);
    await server.close();
  }
}

async function compareReading(run: Run, umami: Umami, umamiDatabase: string, stored: number): Promise<void> {
  const databaseUrl = await createDatabase(run.database.url, 'bench_peer');
  const { key, websites } = await addWebsites(databaseUrl, ['peer.example']);
  const [website] = websites;
  const today = new Date().toISOString().slice(0, 10);
  await fillClosedDays(run, databaseUrl, website, today, stored);
  const websiteId = await umami.addWebsite(website.host);
  try {
    run.progress('copying the hits to Umami');
    const source = { databaseUrl, websiteNumber: await numberOf(databaseUrl, website) };
    await copyHitsToUmami(source, { databaseUrl: umamiDatabase, websiteId });
    const server = await run.open(startHitherto({ DATABASE_URL: databaseUrl }));
    const read = (path: string) => readFrom(server, path, { key });
    const days: Days = { from: addDays(today, -PERIOD_DAYS), to: addDays(today, -1) };
    const page = `/statistics/${website.id}?from=${days.from}&to=${days.to}`;
    const dashboard = () => Promise.all(dashboardOf(websiteId, days).map(umami.read));
    await compare(run, 'page of 28 days', () => read(page), dashboard, atLeast(130, 200));
    for (const [type, dimension] of Object.entries(LISTS)) {
      const query = `from=${days.from}&to=${days.to}&per_page=10&browser=Chrome`;
      const own = () => read(`/api/v1/websites/${website.id}/statistics/by/${dimension}?${query}`);
      const other = () => umami.read(listOf(websiteId, days, type, '&browser=chrome'));
      await compare(run, `list by ${dimension}, one browser`, own, other, atLeast(1, 3));
    }
  } finally {
    await umami.deleteWebsite(websiteId);
  }
}

/** Times two requests in turn, after one of each, and adds how many times faster the first is. */
async function compare(
  { rounds, figures }: Run,
  name: string,
  own: () => Promise<unknown>,
  other: () => Promise<unknown>,
  target: ReturnType<typeof atLeast>,
): Promise<void> {
  await own();
  await other();
  const [ownTimes, otherTimes]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    // A single short time varies more than a long one.
    const several: number[] = [];
    for (let n = 0; n < 5; n += 1) several.push(await timed(own));
    ownTimes.push(medianOf(several));
    otherTimes.push(await timed(other));
  }
  figures.add(`${name}: hitherto`, 'ms', ownTimes);
  figures.add(`${name}: umami`, 'ms', otherTimes);
  figures.ratio(`${name}, Umami's time against Hitherto's`, otherTimes, ownTimes, target);
}
