import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { lineOfLog } from '@hitherto/testing/log-line';
import { randomOf } from '@hitherto/testing/random';
import { createHits } from '../statistics/hits.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** The host of all hits. */
export const HOST = 'site.example';
const DAYS = 365;
/** Files end yesterday: hits that are older than the retention would not be stored. */
const START = Math.floor(Date.now() / DAY_MS - DAYS) * DAY_MS;
/** Visitors at a time: one after the other, each has a visit of some minutes. */
const ACTIVE_VISITORS = 5;
const CHUNK = 1 << 18;

/** The time of a row, when all are spread evenly over the days. */
function timeOf(row: number, rows: number): Date {
  return new Date(START + Math.floor((row / rows) * DAYS * DAY_MS));
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
