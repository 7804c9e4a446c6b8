// The baseline: node:http, and pg with named statements. A request for a website looks up the key and the website; a hit is
// read and not stored. There are no checks, limits, logs or metrics.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';

interface WebsiteRow {
  readonly id: string;
  readonly scheme: string;
  readonly address: string;
  readonly privacy: 'public' | 'private' | 'password';
  readonly password_hash: string | null;
  readonly email_reports: boolean;
  readonly exclude_bots: boolean;
  readonly excluded_params: string[];
  readonly excluded_ips: string[];
  readonly created_at: Date;
  readonly updated_at: Date;
}

const KEY =
  'select account_id from api_key where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())';
/** The lists are read as JSON, as Hitherto does, because pg parses arrays slowly. */
const WEBSITE = `select id, scheme, address, privacy, password_hash, email_reports, exclude_bots, created_at, updated_at,
    to_json(excluded_params) as excluded_params, to_json(excluded_ips) as excluded_ips
  from website where account_id = $1 and id = $2`;

/** As many connections as Hitherto's pool has. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

async function show({ headers, url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  const key = (headers.authorization ?? '').replace(/^Bearer /, '');
  const hash = createHash('sha256').update(key).digest('hex');
  const keys = await pool.query<{ account_id: string }>({ name: 'key', text: KEY, values: [hash] });
  const account = keys.rows[0]?.account_id;
  const id = /^\/api\/v1\/websites\/([0-9a-f-]{36})$/.exec(url)?.[1];
  const website =
    account === undefined || id === undefined
      ? undefined
      : (await pool.query<WebsiteRow>({ name: 'website', text: WEBSITE, values: [account, id] })).rows[0];
  const body = JSON.stringify(website === undefined ? {} : { data: toResource(website) });
  response.writeHead(website === undefined ? 404 : 200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** The same fields as in Hitherto's response. */
function toResource(row: WebsiteRow) {
  return {
    id: row.id,
    url: `${row.scheme}://${row.address}`,
    privacy: { public: 0, private: 1, password: 2 }[row.privacy],
    has_password: row.password_hash !== null,
    email: row.email_reports ? 1 : 0,
    exclude_bots: row.exclude_bots ? 1 : 0,
    exclude_params: row.excluded_params.length === 0 ? null : row.excluded_params.join('\n'),
    exclude_ips: row.excluded_ips.length === 0 ? null : row.excluded_ips.join('\n'),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

process.on('SIGTERM', () => process.exit());

createServer((request, response) => {
  if (request.method === 'GET') {
    show(request, response).catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      response.writeHead(500, { 'content-length': 0 }).end();
    });
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    Buffer.concat(chunks);
    response.writeHead(202, { 'content-length': 0 }).end();
  });
}).listen({ port: Number(process.env.PORT ?? 0), host: '127.0.0.1' });
