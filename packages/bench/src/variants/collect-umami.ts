// Collecting hits in the write shape of Umami 3.1, as its schema documents it: a session, inserted unless it is there, and an
// event; 11 indexes of sessions and 14 of events besides the primary keys. The statements are prepared and on node:http, not
// Prisma and Next.js, which is in its favour. It looks up the website, asks isbot and reads names from the user agent.
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { isbot } from 'isbot';
import pg from 'pg';
import { UAParser } from 'ua-parser-js';
import { POOL_SIZE, settings } from './setup.ts';

const { databaseUrl, port } = settings();
const pool = new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE });

interface Hit {
  readonly website: string;
  readonly url: string;
  readonly referrer?: string;
}

async function collect(hit: Hit, { headers }: IncomingMessage): Promise<void> {
  const { rows } = await pool.query({
    name: 'website',
    text: 'select website_id from umami.website where website_id = $1 and deleted_at is null',
    values: [hit.website],
  });
  const agent = headers['user-agent'] ?? '';
  if (rows.length === 0 || isbot(agent)) return;

  const { browser, os, device } = UAParser(agent);
  const now = new Date();
  const address = String(headers['x-forwarded-for']);
  const session = uuidOf(`${now.toISOString().slice(0, 7)} ${hit.website} ${address} ${agent}`);
  const visit = uuidOf(`${session} ${now.toISOString().slice(0, 13)}`);
  const language = headers['accept-language']?.slice(0, 5) ?? null;
  await pool.query({
    name: 'session',
    text: `insert into umami.session (session_id, website_id, browser, os, device, screen, language, created_at)
      values ($1, $2, $3, $4, $5, '1920x1080', $6, $7) on conflict (session_id) do nothing`,
    values: [session, hit.website, browser.name, os.name, device.type ?? 'desktop', language, now],
  });

  const url = new URL(hit.url);
  const referrer = hit.referrer === undefined ? undefined : new URL(hit.referrer);
  const label = (name: string) => url.searchParams.get(name);
  await pool.query({
    name: 'event',
    text: `insert into umami.website_event (event_id, website_id, session_id, visit_id, created_at, url_path, url_query,
        utm_source, utm_medium, utm_campaign, referrer_path, referrer_query, referrer_domain, page_title, event_type, hostname)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 1, $15)`,
    values: [
      randomUUID(),
      hit.website,
      session,
      visit,
      now,
      url.pathname,
      url.search.slice(1),
      label('utm_source'),
      label('utm_medium'),
      label('utm_campaign'),
      referrer?.pathname,
      referrer?.search.slice(1),
      referrer?.hostname,
      'A title of some words',
      url.hostname,
    ],
  });
}

function uuidOf(text: string): string {
  const hex = createHash('sha512').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (chunks.length === 0) return response.writeHead(404, { 'content-length': 0 }).end();
    const hit: Hit = JSON.parse(Buffer.concat(chunks).toString());
    return collect(hit, request).then(
      () => response.writeHead(202, { 'content-length': 0 }).end(),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        response.writeHead(500, { 'content-length': 0 }).end();
      },
    );
  });
}).listen(port, '127.0.0.1');
process.on('SIGTERM', () => process.exit());
