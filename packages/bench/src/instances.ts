import { connect as connectTo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchDatabase, withClient } from './database.ts';
import { addAccount, type FilledAccount } from './fill.ts';
import { operationsOn } from './operations.ts';
import type { Plan } from './rounds.ts';
import { startVariant } from './variants.ts';

/** Two instances on one database behind a proxy. */
export interface InstancesResult {
  readonly requests: number;
  /** How many of them each instance served, according to its metrics. */
  readonly answeredBy: readonly number[];
  readonly failures: number;
  /** The time from revoking a key until all instances refused it, in milliseconds. */
  readonly refusedAfterMs: number;
  /** Requests through the proxy after one instance had stopped: how many succeeded, of how many. */
  readonly afterStop: { readonly good: number; readonly of: number };
}

const AFTER_STOP = 200;

export async function runTwoInstances(
  database: BenchDatabase,
  account: FilledAccount,
  plan: Plan,
): Promise<InstancesResult> {
  plan.progress('starting two instances behind a proxy');
  const instances = await Promise.all([
    startVariant('hitherto', { url: database.url }),
    startVariant('hitherto', { url: database.url }),
  ]);
  const proxy = await startProxy(instances.map(({ url }) => Number(new URL(url).port)));
  try {
    const operation = operationsOn(account).show;
    const { requests, failures } = await plan.generator.run(proxy.url, operation, plan.connections, plan.seconds);
    const answeredBy = await Promise.all(instances.map(({ url }) => shown(url)));
    const refusedAfterMs = await revoke(
      database,
      instances.map(({ url }) => url),
    );
    await instances[0]?.stop();
    const headers = { ...operation.headers, connection: 'close' };
    let good = 0;
    for (let n = 0; n < AFTER_STOP; n += 1) {
      const response = await fetch(`${proxy.url}/api/v1/websites`, { headers });
      await response.arrayBuffer();
      if (response.ok) good += 1;
    }
    return { requests, answeredBy, failures, refusedAfterMs, afterStop: { good, of: AFTER_STOP } };
  } finally {
    proxy.close();
    await Promise.all(instances.map((instance) => instance.stop()));
  }
}

/** How many websites an instance has shown. */
async function shown(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const line =
    /^hitherto_http_request_duration_seconds_count\{route="\/api\/v1\/websites\/:id",[^}]*status="200"[^}]*\} (\d+)/m;
  return Number(line.exec(metrics)?.[1] ?? 0);
}

/** Uses a new key on all instances, revokes it in the database, and waits until all instances refuse it. */
async function revoke(database: BenchDatabase, urls: readonly string[]): Promise<number> {
  const { id, key } = await addAccount(database.url, `revoked ${Date.now()}`);
  const ask = (url: string) => fetch(`${url}/api/v1/websites`, { headers: { authorization: `Bearer ${key}` } });
  await Promise.all(urls.map(ask));
  await withClient(database.url, (client) =>
    client.query('update api_key set revoked_at = now() where account_id = $1', [id]),
  );
  const since = performance.now();
  for (;;) {
    const responses = await Promise.all(urls.map(ask));
    if (responses.every(({ status }) => status === 401)) return performance.now() - since;
    await sleep(10);
  }
}

/** Distributes connections over the ports in turn, skipping a port that refuses. */
async function startProxy(ports: readonly number[]): Promise<{ url: string; close(): void }> {
  let turn = 0;
  const server = createServer((client) => {
    client.on('error', () => {});
    const tryNext = (tries: number) => {
      const upstream = connectTo(ports[turn++ % ports.length] ?? 0, '127.0.0.1');
      let isThrough = false;
      upstream.once('connect', () => {
        isThrough = true;
        client.pipe(upstream).pipe(client);
      });
      upstream.on('error', () => {
        if (!isThrough && tries < ports.length) tryNext(tries + 1);
        else client.destroy();
      });
      client.on('close', () => upstream.destroy());
    };
    tryNext(1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
