import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { lineOfLog } from '@hitherto/testing/log-line';
import { randomOf } from '@hitherto/testing/random';
import { zipOf } from '@hitherto/testing/zip';
import { createHits } from '../statistics/hits.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** The host of all hits. */
export const HOST = 'site.example';
/** The days of hits, and the days of sums. */
const DAYS_OF_HITS = 365;
const DAYS_OF_SUMS = 1_095;
/** All files end yesterday: hits that are older than the retention would not be stored. */
const [START_OF_HITS, START_OF_SUMS] = [startOf(DAYS_OF_HITS), startOf(DAYS_OF_SUMS)];
/** Visitors at a time: one after the other, each has a visit of some minutes. */
const ACTIVE_VISITORS = 5;
const CHUNK = 1 << 18;

/** The first and the last day of hits. */
export const PERIOD_OF_HITS = { from: dayAt(0), to: dayAt(DAYS_OF_HITS - 1) };

function startOf(days: number): number {
  return Math.floor(Date.now() / DAY_MS - days) * DAY_MS;
}

function dayAt(day: number): string {
  return new Date(START_OF_HITS + day * DAY_MS).toISOString().slice(0, 10);
}

/** The time of a row, when all are spread evenly over the days. */
function timeOf(row: number, rows: number): Date {
  return new Date(START_OF_HITS + Math.floor((row / rows) * DAYS_OF_HITS * DAY_MS));
}

const UMAMI_COLUMNS =
  'website_id,session_id,visit_id,event_id,hostname,browser,os,device,screen,language,country,region,city,url_path,url_query,utm_source,utm_medium,utm_campaign,referrer_path,referrer_query,referrer_domain,page_title,event_type,event_name,tag,distinct_id,created_at,job_id';

/** `website_event.csv` of an export of Umami, by the audience of {@link createHits}; one row in 20 is an event. */
export function writeUmami(file: string, rows: number): Promise<void> {
  const next = createHits([{ id: '', host: HOST }], 1, ACTIVE_VISITORS);
  const { below, pick } = randomOf('umami');
  return write(file, rows, `${UMAMI_COLUMNS}\n`, (row) => {
    const { url, referrer, address, userAgent, language } = next();
    const { pathname, search } = new URL(url);
    const from = referrer === undefined ? undefined : new URL(referrer);
    const session = uuidOf(`${address} ${userAgent}`);
    const isEvent = below(20) === 0;
    const campaign = search === '' ? ',,' : 'newsletter,email,week-47';
    const about = `${HOST},${pick(['chrome', 'firefox', 'edge-chromium', 'ios'])},${pick(['Windows 10', 'Mac OS', 'iOS'])},${pick(['laptop', 'mobile', 'desktop'])},1920x1080,${language.slice(0, 2)},${pick(['DE', 'US', 'FR'])},,Berlin`;
    const time = timeOf(row, rows).toISOString().slice(0, 19).replace('T', ' ');
    return `${SITE},${session},${session},${uuidOf(String(row))},${about},${pathname},${search.slice(1)},${campaign},${from?.pathname ?? ''},${from?.search.slice(1) ?? ''},${from?.hostname ?? ''},"A title, of some words",${isEvent ? 2 : 1},${isEvent ? 'Signup' : ''},,,${time},\n`;
  });
}

const SITE = '6a1b2c3d-0000-4000-8000-000000000000';

/** 32 digits made of the text, written as a UUID. */
function uuidOf(text: string): string {
  const { below } = randomOf(text);
  const group = () => below(65_536).toString(16).padStart(4, '0');
  return `${group()}${group()}-${group()}-4${group().slice(1)}-8${group().slice(1)}-${group()}${group()}${group()}`;
}

const STATIC_FILES = ['/assets/app-4f2a.js', '/assets/style-99bc.css', '/images/logo.svg', '/favicon.ico'];
const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

/** A log of nginx in its format `combined`: of ten lines, six are pageviews, three ask for other files, one is a crawler's. */
export function writeLog(file: string, lines: number): Promise<void> {
  const next = createHits([{ id: '', host: HOST }], 1, ACTIVE_VISITORS);
  const { below, pick } = randomOf('log');
  let last = next();
  return write(file, lines, '', (line) => {
    const kind = below(10);
    if (kind < 6) last = next();
    const { url, referrer, address, userAgent } = last;
    const path = kind < 6 || kind === 9 ? pathOf(url) : pick(['', ...STATIC_FILES]);
    return lineOfLog({
      time: timeOf(line, lines),
      address: kind === 9 ? `66.249.66.${below(200)}` : address,
      path: path || '/robots.txt',
      referrer: kind < 6 ? referrer : undefined,
      userAgent: kind === 9 ? CRAWLER : userAgent,
    });
  });
}

/** The path and query of an address. */
export function pathOf(url: string): string {
  return url.slice(url.indexOf('/', 'https://'.length));
}

/** Writes lines one after the other. */
async function write(file: string, lines: number, head: string, lineOf: (line: number) => string): Promise<void> {
  const stream = createWriteStream(file);
  let text = head;
  for (let line = 0; line < lines; line += 1) {
    text += lineOf(line);
    if (text.length < CHUNK) continue;
    if (!stream.write(text)) await once(stream, 'drain');
    text = '';
  }
  stream.end(text);
  await once(stream, 'finish');
}

/** A table of Plausible's export: its columns after the date, and for its n-th row of a day, the values before the numbers. */
interface SumTable {
  readonly columns: string;
  readonly values: (n: number) => string;
  /** Rows a day, of a thousand. */
  readonly share: number;
  readonly numbers: (visitors: number) => string;
}

const ofVisits = (visitors: number) => `${visitors},${visitors + 1},${visitors * 40},${visitors >> 1},${visitors * 3}`;
const OF_VISITS = 'visitors,visits,visit_duration,bounces,pageviews';
const page = (n: number) => `/articles/${n}/a-title-of-some-words`;

const TABLES: Readonly<Record<string, SumTable>> = {
  sources: {
    columns: `source,referrer,utm_source,utm_medium,utm_campaign,utm_content,utm_term,${OF_VISITS}`,
    values: (n) =>
      n % 3 === 0 ? `Google,,google,cpc,campaign-${n % 50},,` : `site-${n}.example,site-${n}.example/a-story,,,,,`,
    share: 150,
    numbers: ofVisits,
  },
  pages: {
    columns: 'hostname,page,visits,visitors,pageviews,total_scroll_depth,total_scroll_depth_visits',
    values: (n) => `${HOST},${page(n)}`,
    share: 400,
    numbers: (visitors) => `${visitors + 1},${visitors},${visitors * 3},${visitors * 50},${visitors}`,
  },
  entry_pages: {
    columns: 'entry_page,visitors,entrances,visit_duration,bounces,pageviews',
    values: page,
    share: 150,
    numbers: ofVisits,
  },
  exit_pages: {
    columns: 'exit_page,visitors,visit_duration,exits,bounces,pageviews',
    values: page,
    share: 150,
    numbers: (visitors) => `${visitors},${visitors * 40},${visitors + 1},${visitors >> 1},${visitors * 3}`,
  },
  locations: {
    columns: `country,region,city,${OF_VISITS}`,
    values: (n) => `${['DE', 'US', 'FR', 'BR', 'JP'][n % 5]},DE-BE,${2_950_159 + n}`,
    share: 100,
    numbers: ofVisits,
  },
  browsers: {
    columns: `browser,browser_version,${OF_VISITS}`,
    values: (n) => `${['Chrome', 'Safari', 'Firefox', 'Microsoft Edge'][n % 4]},${100 + n}.0`,
    share: 40,
    numbers: ofVisits,
  },
  operating_systems: {
    columns: `operating_system,operating_system_version,${OF_VISITS}`,
    values: (n) => `${['Windows', 'Mac', 'iOS', 'Android'][n % 4]},${n}`,
    share: 10,
    numbers: ofVisits,
  },
};

/** About as long as a row of these tables is on average. */
const ROW_BYTES = 68;

/** The ZIP of an export of Plausible whose tables have about so many bytes, over three years. Returns their rows. */
export async function writePlausible(file: string, bytes: number): Promise<number> {
  const days = Array.from({ length: DAYS_OF_SUMS }, (_, day) =>
    new Date(START_OF_SUMS + day * DAY_MS).toISOString().slice(0, 10),
  );
  const rowsOfDay = bytes / ROW_BYTES / DAYS_OF_SUMS;
  const { below } = randomOf('plausible');
  let rows = days.length;
  const visitors = days.map((day) => `${day},90000,300000,40000,100000,4000000\n`).join('');
  const entries = [
    { name: 'imported_visitors.csv', content: `date,visitors,pageviews,bounces,visits,visit_duration\n${visitors}` },
  ];
  for (const [name, { columns, values, share, numbers }] of Object.entries(TABLES)) {
    const ofTable = Math.ceil((rowsOfDay * share) / 1_000);
    rows += ofTable * days.length;
    const content = days.map((day) => {
      let text = '';
      for (let n = 0; n < ofTable; n += 1) text += `${day},${values(n)},${numbers(1 + below(50))}\n`;
      return text;
    });
    entries.push({ name: `imported_${name}.csv`, content: `date,${columns}\n${content.join('')}` });
  }
  await writeFile(file, zipOf(...entries));
  return rows;
}
