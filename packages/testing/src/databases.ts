import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** The migrated database that others are cloned from. */
export const TEMPLATE = 'hitherto_test_template';

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  drop(): Promise<void>;
}

/**
 * A separate database: a clone of `template`, or an empty one. By default strings sort by language, so that code which relies
 * on the order of bytes has to say so.
 */
export async function createDatabase(
  serverUrl: string,
  { name = `hitherto_test_${randomUUID()}`, template = 'template0' } = {},
): Promise<TestDatabase> {
  await run(serverUrl, `drop database if exists "${name}" with (force)`);
  const locale = template === 'template0' ? `locale_provider icu icu_locale 'en-US' locale 'C' encoding 'UTF8'` : '';
  await run(serverUrl, `create database "${name}" template "${template}" ${locale}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, name, drop: () => run(serverUrl, `drop database if exists "${name}" with (force)`) };
}

/** Runs a statement on a separate connection. */
export async function run(url: string, text: string, values: unknown[] = []): Promise<void> {
  await rowsOf(url, text, values);
}

/** The rows of a statement that runs on a separate connection. */
export async function rowsOf<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** The url of a database on a server that listens on a Unix socket. */
export function urlOf(connection: {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}): string {
  const { host, port, user, database } = connection;
  return `postgresql://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}&sslmode=disable`;
}
