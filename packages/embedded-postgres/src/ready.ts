import pg from 'pg';
import type { EmbeddedConnection } from './types.ts';

/** Undefined if the server responds to a query; `starting` while it starts or recovers; otherwise the error. */
export async function whyNotReady(connection: EmbeddedConnection): Promise<string | undefined> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return undefined;
  } catch (error) {
    const cannotConnectNow = error instanceof pg.DatabaseError && error.code === '57P03';
    return cannotConnectNow ? 'starting' : String(error);
  } finally {
    await client.end().catch(() => {});
  }
}
