// The baseline: node:http, and pg with named statements. A request for a website looks up the key and the website; a hit is
// read and not stored. There are no checks, limits, logs or metrics.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { COLUMNS, keyHashOf, LISTEN, pool, toResource, type WebsiteRow } from './setup.ts';

const KEY =
  'select account_id from api_key where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())';
const WEBSITE = `select ${COLUMNS.join(', ')}, to_json(excluded_params) as excluded_params, to_json(excluded_ips) as excluded_ips
  from website where account_id = $1 and id = $2`;

async function show({ headers, url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  const keys = await pool.query<{ account_id: string }>({
    name: 'key',
    text: KEY,
    values: [keyHashOf(headers.authorization)],
  });
  const account = keys.rows[0]?.account_id;
  const id = /^\/api\/v1\/websites\/([0-9a-f-]{36})$/.exec(url)?.[1];
  const found =
    account === undefined || id === undefined
      ? []
      : (await pool.query<WebsiteRow>({ name: 'website', text: WEBSITE, values: [account, id] })).rows;
  const text = JSON.stringify(found[0] === undefined ? {} : { data: toResource(found[0]) });
  response.writeHead(found.length === 0 ? 404 : 200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

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
}).listen(LISTEN);
