import { createHash } from 'node:crypto';
import { readUrl } from '@hitherto/domain/base';
import { type ImportRow, InvalidFile, type RowContent } from '@hitherto/domain/imports';
import pg from 'pg';
import { map, timeReader } from './rows.ts';
import { EVENT, umamiRow } from './umami.ts';

/** A database whose rows are imported like a file. */
interface DatabaseContent extends RowContent {
  /** In hexadecimal, of the rows that there are: it differs once there are more. */
  readonly sha256: string;
  close(): Promise<void>;
}

export interface UmamiDatabaseOptions {
  /** The url of the website that the rows are imported into. */
  readonly url: string;
  /** The website in Umami; by default the one with the same domain. */
  readonly websiteId?: string | undefined;
}

/** How many rows are fetched together; they determine how much memory reading takes. */
const ROWS = 2_000;
const MAX_NAMED = 10;
const CONNECT_MS = 10_000;
/** Types of the data of events. */
const [NUMBER, BOOLEAN] = [2, 3];
const TABLES = ['website', 'session', 'website_event', 'event_data'];

/**
 * Opens the PostgreSQL of a self-hosted Umami 2 or 3, to read the events of a website in one snapshot. The
 * transaction is read-only.
 *
 * @param connection `postgres://…`; a password may also come from `PGPASSWORD`. No error has it
 * @throws InvalidFile if the database cannot be read, is none of Umami, or has no such website
 */
export async function openUmamiDatabase(
  connection: string,
  { url, websiteId }: UmamiDatabaseOptions,
): Promise<DatabaseContent> {
  const client = new pg.Client({
    connectionString: checked(connection),
    application_name: 'hitherto',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  });
  // A connection that is lost while it idles; the next statement fails.
  client.on('error', () => {});
  const close = () => client.end().catch(() => {});
  try {
    await client.connect();
    // All statements see the same rows, even while Umami counts. Prefer a plan for all rows over one for the first rows.
    await client.query('begin isolation level repeatable read read only');
    await client.query('set local cursor_tuple_fraction = 1');
    const columns = await columnsOf(client);
    const website = await findWebsite(client, url, websiteId);
    const { count, sha256 } = await fingerprint(client, website);
    let read = 0;
    return {
      format: 'umami',
      sha256,
      close,
      share: () => (count === 0 ? 1 : Math.min(1, read / count)),
      async *rows() {
        try {
          const context = { origin: new URL(url).origin, timeOf: timeReader('UTC') };
          const toRow = (event: UmamiEvent): ImportRow => {
            const data: object = event.data === '' ? {} : JSON.parse(event.data);
            return { event: event.event_id, ...umamiRow(event, context, data) };
          };
          for await (const events of eventsOf(client, website, columns)) {
            read += events.length;
            yield map(events, toRow);
          }
        } catch (error) {
          throw unreadable(error);
        } finally {
          await close();
        }
      },
    };
  } catch (error) {
    await close();
    throw unreadable(error);
  }
}

/** An address that is none could be shown by the error that it causes, with its password. */
function checked(connection: string): string {
  if (/^postgres(ql)?:$/.test(readUrl(connection)?.protocol ?? '')) return connection;
  throw new InvalidFile('The address of a database must be written as postgres://user@host:5432/database.');
}

/** Where the columns are that Umami has moved. Throws if they are not the tables of Umami. */
async function columnsOf(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = any (current_schemas(false)) and table_name = any ($1)`,
    [TABLES],
  );
  const columns = new Set(rows.map(({ name }) => name));
  if (!columns.has('website_event.url_path') || !columns.has('event_data.data_key')) {
    throw new InvalidFile('The database has no tables of Umami 2 or 3. Name the database that its DATABASE_URL names.');
  }
  return columns;
}

interface UmamiWebsite {
  readonly id: string;
  readonly domain: string | null;
}

async function findWebsite(client: pg.Client, url: string, wanted: string | undefined): Promise<string> {
  const { rows } = await client.query<UmamiWebsite>(
    'select website_id::text as id, domain from website where deleted_at is null order by created_at, website_id',
  );
  const host = hostOf(url);
  const found = rows.filter(({ id, domain }) =>
    wanted === undefined ? domain !== null && hostOf(domain) === host : id === wanted.toLowerCase(),
  );
  const [website] = found;
  if (website !== undefined && found.length === 1) return website.id;
  const ids = (found.length > 1 ? found : rows)
    .slice(0, MAX_NAMED)
    .map(({ id, domain }) => `${id} (${domain ?? 'no domain'})`)
    .join(', ');
  if (ids === '') throw new InvalidFile('Umami has no websites.');
  if (wanted !== undefined) {
    throw new InvalidFile(`Umami has no website with this id. Name one of its websites by id: ${ids}.`);
  }
  if (found.length > 1) {
    throw new InvalidFile(`Umami has several websites with the domain ${host}. Name one of them by its id: ${ids}.`);
  }
  throw new InvalidFile(`Umami has no website with the domain ${host}. Name one of its websites by id: ${ids}.`);
}

/** The host of an address or a domain, without `www.`. */
function hostOf(address: string): string {
  const url = /^\w+:\/\//.test(address) ? address : `https://${address.trim()}`;
  return readUrl(url)?.hostname.replace(/^www\./, '') ?? address;
}

async function fingerprint(client: pg.Client, website: string): Promise<{ count: number; sha256: string }> {
  const { rows } = await client.query<{ count: string; first: string | null; last: string | null }>(
    `select count(*), min(created_at)::text as first, max(created_at)::text as last
     from website_event where website_id = $1`,
    [website],
  );
  const [{ count, first, last } = { count: '0', first: null, last: null }] = rows;
  const content = JSON.stringify(['umami', website, count, first, last]);
  return { count: Number(count), sha256: createHash('sha256').update(content).digest('hex') };
}

/** Of an event and its session, as `website_event.csv` has them; `data` is an object in JSON. Absent ones are empty. */
type UmamiEvent = Readonly<
  Record<'event_id' | 'session_id' | 'created_at' | 'data' | (typeof FIELDS)[number][1], string>
>;

/** The tables that a field may be in, the first that has it counts, and its name. */
const FIELDS = [
  ['website_event', 'url_path'],
  ['website_event', 'url_query'],
  ['website_event', 'referrer_domain'],
  ['website_event', 'referrer_path'],
  ['website_event', 'referrer_query'],
  ['website_event', 'event_type'],
  ['website_event', 'event_name'],
  ['website_event', 'tag'],
  ['website_event session', 'hostname'],
  ['session', 'browser'],
  ['session', 'os'],
  ['session', 'device'],
  ['session', 'language'],
  ['session', 'country'],
] as const;

async function* eventsOf(
  client: pg.Client,
  website: string,
  columns: ReadonlySet<string>,
): AsyncGenerator<readonly UmamiEvent[]> {
  const fields = FIELDS.map(([tables, name]) => {
    const table = tables.split(' ').find((one) => columns.has(`${one}.${name}`));
    return `${table === undefined ? "''" : `coalesce(${table}.${name}::text, '')`} as ${name}`;
  });
  // The values of a cursor cannot be parameters. This one is a UUID that the database itself has.
  await client.query(
    `declare events no scroll cursor for
     select event_id::text, website_event.session_id::text, ${fields.join(', ')}, coalesce(added.data::text, '') as data,
       to_char(website_event.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
     from website_event
     left join session using (session_id)
     left join lateral (
       select jsonb_object_agg(data_key, case data_type
         when ${NUMBER} then to_jsonb(number_value::float8)
         when ${BOOLEAN} then to_jsonb(string_value = 'true')
         else to_jsonb(coalesce(string_value, date_value::text)) end) as data
       from event_data where website_event.event_type = ${EVENT} and website_event_id = website_event.event_id
     ) added on true
     where website_event.website_id = '${website}'`,
  );
  for (;;) {
    const { rows } = await client.query<UmamiEvent>(`fetch ${ROWS} from events`);
    if (rows.length === 0) return;
    yield rows;
  }
}

function unreadable(error: unknown): unknown {
  if (error instanceof InvalidFile || !(error instanceof Error)) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const why = message === '' ? code : message;
  return new InvalidFile(`Umami's database cannot be read: ${why}.`, { cause: error });
}
