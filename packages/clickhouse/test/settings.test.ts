import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClickHouseSettings } from '@clickhouse/client';
import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openClient, withLaterSettings } from '../src/connection/client.ts';
import { sql } from '../src/connection/sql.ts';
import { openDatabases } from './databases.ts';

describe('a request to ClickHouse', () => {
  /** The settings of a read, and of an insert. */
  async function sentSettings() {
    const sent: Record<string, string>[] = [];
    const server = createServer((request, response) => {
      sent.push(Object.fromEntries(new URL(request.url ?? '/', 'http://localhost').searchParams));
      request.resume().on('end', () => response.end('{}\n'));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const client = openClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(async () => {
      await client.close();
      server.close();
    });
    await client.read(sql`select 1`);
    await client.insert('hit', ['{}']);
    const [read = {}, insert = {}] = sent;
    return { read, insert };
  }

  it('has limits of time, and of memory where it reads', async () => {
    const { read, insert } = await sentSettings();

    expect(read).toMatchObject({ max_execution_time: '8', max_memory_usage: '10000000000' });
    expect(insert).toMatchObject({ max_execution_time: '120' });
    expect(insert).not.toHaveProperty('max_memory_usage');
  });

  it('goes to one replica of a shard while it is there', async () => {
    const { read, insert } = await sentSettings();

    const expected = { load_balancing: 'in_order', prefer_localhost_replica: '1' };
    expect(read).toMatchObject(expected);
    expect(insert).toMatchObject(expected);
  });
});

describe.skipIf(skipsClickHouse)('an insert that comes again', () => {
  it('is not left out by a version that would do so by itself', async () => {
    const { url, run } = await openDatabases();
    await run(`create table repeated (value UInt8) engine = MergeTree order by value
      settings non_replicated_deduplication_window = 100`);
    const client = openClient(url);
    onTestFinished(client.close);
    const server = await withLaterSettings(client);

    for (let times = 0; times < 2; times += 1) {
      await server.insert('repeated', ['{"value":1}']);
      await server.write(sql`insert into repeated select toUInt8(2) as value order by all`);
    }

    const rows = await server.read(sql`select value, count() as times from repeated group by value order by value`);
    expect(rows).toEqual([
      { value: 1, times: '2' },
      { value: 2, times: '2' },
    ]);
  });

  it('has no setting that the version does not know', async () => {
    const { url } = await openDatabases();
    const client = openClient(url);
    onTestFinished(client.close);
    let sent: ClickHouseSettings | undefined;
    const earlier = await withLaterSettings({
      ...client,
      read: <Row>() =>
        client.read<Row>(sql`select 'unknown' as deduplicate_insert, 'unknown' as deduplicate_insert_select`),
      write: async (_, settings) => {
        sent = settings;
      },
    });

    await earlier.write(sql`select 1`, { optimize_on_insert: 0 });

    expect(sent).toEqual({ optimize_on_insert: 0 });
  });
});
