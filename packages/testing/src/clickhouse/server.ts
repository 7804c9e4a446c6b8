/**
 * A stand-in for a ClickHouse server in a process of its own: ClickHouse's HTTP interface over chdb, which is the engine
 * itself. Arguments: the folder of the data, the port, and the threads of a query, 0 for all cores.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import chdb from 'chdb';

const [path = '', port = '0', threads = '0'] = process.argv.slice(2);
/** Parameters of a request that are not settings of the engine. */
const OWN_PARAMETERS = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'session_id',
  'user',
  'password',
  'wait_end_of_query',
  'enable_http_compression',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
  'http_response_buffer_size',
  'decompress',
  'compress',
  'role',
]);

/** Compiling the expressions of a query takes longer than running it on the few rows of a test. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['max_threads', threads],
  ['compile_expressions', '0'],
  ['compile_aggregate_expressions', '0'],
  ['compile_sort_description', '0'],
];

/** Keeps the engine open; each request has a session to itself on the same folder. */
const first = new chdb.Session(path);
/** Sessions that no request uses, by the statements that prepared them. Preparing one takes longer than a small query. */
const idle = new Map<string, chdb.Session[]>();

function prepare(statements: readonly string[]): chdb.Session {
  const session = new chdb.Session(path);
  try {
    for (const statement of statements) session.query(statement);
    return session;
  } catch (error) {
    session.close();
    throw error;
  }
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/ping') {
    response.end('Ok.\n');
    return;
  }
  const body = await bodyOf(request);
  const query = searchParams.get('query');
  const text = query === null ? body : body === '' ? query : `${query}\n${body}`;
  const database = searchParams.get('database');
  const settings = [...SETTINGS, ...searchParams]
    .filter(([name]) => !OWN_PARAMETERS.has(name))
    .map(([name, value]) => `set ${name} = ${quoted(value)};`);
  const statements = [...(database === null ? [] : [`use \`${database}\``]), settings.join(' ')];
  const key = statements.join('; ');
  const id = { 'x-clickhouse-query-id': searchParams.get('query_id') ?? '' };
  try {
    const session = idle.get(key)?.pop() ?? prepare(statements);
    const result = await session
      .queryAsync(text, { format: searchParams.get('default_format') ?? 'TabSeparated' })
      .finally(() => idle.set(key, [...(idle.get(key) ?? []), session]));
    const bytes = Buffer.from(result.bytes());
    const isZipped =
      searchParams.get('enable_http_compression') === '1' && /gzip/.test(`${request.headers['accept-encoding']}`);
    response.writeHead(200, {
      ...id,
      'content-type': 'text/plain; charset=UTF-8',
      ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
    });
    response.end(isZipped ? gzipSync(bytes) : bytes);
  } catch (error) {
    const message = (error instanceof Error ? error.message : String(error)).replace(/^.*?(Code: \d+)/s, '$1');
    const code = /Code: (\d+)/.exec(message)?.[1] ?? '0';
    response.writeHead(500, { ...id, 'x-clickhouse-exception-code': code });
    response.end(`${message}\n`);
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  return (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
}

function quoted(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

const server = createServer((request, response) => {
  respond(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
});
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`ready ${address?.port}\n`);
});
const stop = () => {
  server.close();
  for (const session of [...idle.values()].flat()) session.close();
  first.close();
  process.exit(0);
};
process.on('SIGTERM', stop);
// The process that started it has ended.
process.stdin.resume().on('end', stop);
