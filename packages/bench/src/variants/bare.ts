// The baseline: node:http and pg with named statements. Each request looks up the key and the website; there are no checks,
// limits, logs or metrics.
import { createServer, type IncomingMessage } from 'node:http';
import pg from 'pg';
import { keyHashOf, POOL_SIZE, settings, toResource, type WebsiteRow } from './setup.ts';

const { databaseUrl, port } = settings();
const pool = new pg.Pool({ connectionString: databaseUrl, max: POOL_SIZE });
const PATH = /^\/api\/v1\/websites\/([0-9a-f-]{36})$/;

async function accountOf(request: IncomingMessage): Promise<string | undefined> {
  const { rows } = await pool.query<{ account_id: string }>({
    name: 'key',
    text: 'select account_id from api_key where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())',
    values: [keyHashOf(request.headers.authorization)],
  });
  return rows[0]?.account_id;
}

async function find(accountId: string, id: string): Promise<WebsiteRow | undefined> {
  const { rows } = await pool.query<WebsiteRow>({
    name: 'website',
    // Lists as JSON, as Hitherto reads them: pg parses arrays letter by letter.
    text: `select id, scheme, address, privacy, password_hash, email_reports, exclude_bots,
        to_json(excluded_params) as excluded_params, to_json(excluded_ips) as excluded_ips, created_at, updated_at
      from website where account_id = $1 and id = $2`,
    values: [accountId, id],
  });
  return rows[0];
}

async function respond(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
  const accountId = await accountOf(request);
  if (accountId === undefined) return { status: 401, body: {} };
  const id = PATH.exec(request.url ?? '')?.[1];
  const website = id === undefined ? undefined : await find(accountId, id);
  return website === undefined ? { status: 404, body: {} } : { status: 200, body: { data: toResource(website) } };
}

const server = createServer((request, response) => {
  respond(request).then(
    ({ status, body }) => {
      const text = JSON.stringify(body);
      response.writeHead(status, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    },
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      response.writeHead(500).end();
    },
  );
});
server.listen(port, '127.0.0.1');
process.on('SIGTERM', () => process.exit());
