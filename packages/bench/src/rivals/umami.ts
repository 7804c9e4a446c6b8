// Collecting hits in the write shape of Umami 3.1, as its schema documents it: a session, inserted unless it is there, and an
// event; 11 indexes of sessions and 14 of events besides the primary keys. The statements are prepared and on node:http, not
// Prisma and Next.js, which is in its favour. It looks up the website, asks isbot and reads names from the user agent.
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { isbot } from 'isbot';
import { UAParser } from 'ua-parser-js';
import { LISTEN, pool, type SentHit } from './setup.ts';

/** The columns that a hit is written to, and the indexes by the columns after the website and the time. */
const TABLES = {
  session: {
    columns: `session_id uuid primary key, website_id uuid not null, browser varchar(20), os varchar(20), device varchar(20),
      screen varchar(11), language varchar(35), country char(2), region varchar(20), city varchar(50),
      distinct_id varchar(50), created_at timestamptz(6)`,
    indexes: ['created_at', 'website_id', 'website_id, created_at'],
    byTime: ['browser', 'os', 'device', 'screen', 'language', 'country', 'region', 'city'],
  },
  website_event: {
    columns: `event_id uuid primary key, website_id uuid not null, session_id uuid not null, visit_id uuid not null,
      created_at timestamptz(6), url_path varchar(500) not null, url_query varchar(500), utm_source varchar(255),
      utm_medium varchar(255), utm_campaign varchar(255), utm_content varchar(255), utm_term varchar(255),
      referrer_path varchar(500), referrer_query varchar(500), referrer_domain varchar(500), page_title varchar(500),
      gclid varchar(255), fbclid varchar(255), msclkid varchar(255), ttclid varchar(255), li_fat_id varchar(255),
      twclid varchar(255), event_type integer not null default 1, event_name varchar(50), tag varchar(50),
      hostname varchar(100), lcp numeric(10, 1), inp numeric(10, 1), cls numeric(10, 4), fcp numeric(10, 1),
      ttfb numeric(10, 1)`,
    indexes: [
      'created_at',
      'session_id',
      'visit_id',
      'website_id',
      'website_id, created_at',
      'website_id, session_id, created_at',
      'website_id, visit_id, created_at',
    ],
    byTime: ['url_path', 'url_query', 'referrer_domain', 'page_title', 'event_name', 'tag', 'hostname'],
  },
};
await pool.query(`create schema umami;
  create table umami.website (website_id uuid primary key, domain varchar(500), deleted_at timestamptz(6));
  insert into umami.website select id, address from website`);
for (const [table, { columns, indexes, byTime }] of Object.entries(TABLES)) {
  await pool.query(`create table umami.${table} (${columns})`);
  for (const list of [...indexes, ...byTime.map((column) => `website_id, created_at, ${column}`)]) {
    await pool.query(`create index on umami.${table} (${list})`);
  }
}

const WEBSITE = 'select website_id from umami.website where website_id = $1 and deleted_at is null';
const SESSION = `insert into umami.session (session_id, website_id, browser, os, device, screen, language, created_at)
  values ($1, $2, $3, $4, $5, '1920x1080', $6, $7) on conflict (session_id) do nothing`;
const EVENT = `insert into umami.website_event (event_id, website_id, session_id, visit_id, created_at, url_path, url_query,
    utm_source, utm_medium, utm_campaign, referrer_path, referrer_query, referrer_domain, page_title, event_type, hostname)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'A title of some words', 1, $14)`;

async function collect({ website, url: sent, referrer: from }: SentHit, { headers }: IncomingMessage): Promise<void> {
  const found = await pool.query({ name: 'website', text: WEBSITE, values: [website] });
  const agent = headers['user-agent'] ?? '';
  if (found.rows.length === 0 || isbot(agent)) return;

  const { browser, os, device } = UAParser(agent);
  const now = new Date();
  const session = uuidOf(`${now.toISOString().slice(0, 7)} ${website} ${headers['x-forwarded-for']} ${agent}`);
  const visit = uuidOf(`${session} ${now.toISOString().slice(0, 13)}`);
  const language = headers['accept-language']?.slice(0, 5);
  const names = [browser.name, os.name, device.type ?? 'desktop', language];
  await pool.query({ name: 'session', text: SESSION, values: [session, website, ...names, now] });

  const url = new URL(sent);
  const referrer = from === undefined ? undefined : new URL(from);
  const labels = ['utm_source', 'utm_medium', 'utm_campaign'].map((name) => url.searchParams.get(name));
  const origin = [referrer?.pathname, referrer?.search.slice(1), referrer?.hostname];
  const page = [url.pathname, url.search.slice(1), ...labels, ...origin, url.hostname];
  await pool.query({ name: 'event', text: EVENT, values: [randomUUID(), website, session, visit, now, ...page] });
}

function uuidOf(text: string): string {
  const hex = createHash('sha512').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

createServer((request, response) => {
  const respond = (status: number) => response.writeHead(status, { 'content-length': 0 }).end();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (chunks.length === 0) return respond(404);
    const hit: SentHit = JSON.parse(Buffer.concat(chunks).toString());
    return collect(hit, request).then(
      () => respond(202),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        respond(500);
      },
    );
  });
}).listen(LISTEN);
