import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { rowsOf } from '@hitherto/testing/databases';
import { bind, startListener } from '@hitherto/testing/listener';
import { measureLoad } from '../load/measure.ts';
import { eachOf } from '../load/request.ts';
import type { Run } from '../run.ts';
import { startHitherto } from '../servers.ts';
import { addAccount, fillAccount } from './fill.ts';
import { operationsOn } from './operations.ts';

const LISTS = 200;

/** Two instances on one database, behind a proxy that distributes new connections in turn. */
export async function measureInstances({ database, figures, seconds, open, progress }: Run): Promise<void> {
  const account = await fillAccount(database.url, 'instances', 1_000, progress);
  const env = { DATABASE_URL: database.url };
  const instances = await Promise.all([open(startHitherto(env)), open(startHitherto(env))]);
  const urls = instances.map(({ url }) => url);
  const proxy = await open(startProxy(urls.map((each) => Number(new URL(each).port))));
  const url = `http://127.0.0.1:${proxy.port}`;
  const { perSecond } = await measureLoad({ url, connections: 32, next: operationsOn(account).show }, seconds);
  figures.add('show, two instances behind a proxy', 'per second', [perSecond]);
  figures.add('shows that each of them served', '', await Promise.all(urls.map(shown)));
  figures.add('a key rejected by both after its revocation', 'ms', [await revoke(database.url, urls)]);
  await instances[0].close();
  const headers = { authorization: `Bearer ${account.key}`, connection: 'close' };
  let good = 0;
  for (let n = 0; n < LISTS; n += 1) {
    const response = await fetch(`${url}/api/v1/websites`, { headers });
    await response.arrayBuffer();
    if (response.ok) good += 1;
  }
  figures.add('lists through the proxy after one was stopped: good ones', '%', [(100 * good) / LISTS]);
}

/** How many websites an instance has shown, according to its metrics. */
async function shown(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const line =
    /^hitherto_http_request_duration_seconds_count\{route="\/api\/v1\/websites\/:id",[^}]*status="200"[^}]*\} (\d+)/m;
  return Number(line.exec(metrics)?.[1] ?? 0);
}

/** Uses a new key on all instances, revokes it in the database, and waits until all of them reject it. */
async function revoke(databaseUrl: string, urls: readonly string[]): Promise<number> {
  const { id, key } = await addAccount(databaseUrl, `revoked ${Date.now()}`);
  const ask = (url: string) => fetch(`${url}/api/v1/websites`, { headers: { authorization: `Bearer ${key}` } });
  await Promise.all(urls.map(ask));
  await rowsOf(databaseUrl, 'update api_key set revoked_at = now() where account_id = $1', [id]);
  const since = performance.now();
  for (; ; await sleep(10)) {
    const responses = await Promise.all(urls.map(ask));
    if (responses.every(({ status }) => status === 401)) return performance.now() - since;
  }
}

/** Distributes connections over the ports in turn, skipping a port that refuses. */
function startProxy(ports: readonly number[]) {
  const next = eachOf(ports);
  return startListener((client, own) => {
    const tryNext = (left: number) => {
      const server = connect(next(), '127.0.0.1');
      server.once('error', () => (left > 0 ? tryNext(left - 1) : client.destroy()));
      server.once('connect', () => bind(client.pipe(own(server)).pipe(client), server));
    };
    tryNext(ports.length - 1);
  });
}
