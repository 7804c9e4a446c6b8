import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@hitherto/testing/free-port';
import { row, type Setting } from '../row.ts';
import { create, openClient } from '../support/client.ts';
import { type DeployedProxy, missingForProxies, startProxy } from '../support/deployed-proxy.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { type Program, startProgram } from '../support/program.ts';

const SENDERS = 4;
/** The largest share of requests with 503 while an instance stops: open-source nginx does not check instances. */
const SHARES = { 'Caddyfile.two': 0, 'nginx/two.conf': 0.05 } as const;

/** The proxies of deploy: with one instance, and with two that are stopped in turn under reads and writes. */
export const proxies = row('proxies', 20, 'stops', { small: 2, missing: missingForProxies }, async (trials) => {
  const postgres = await trials.open(startOwnPostgres());
  const ports = [await freePort(), await freePort()] as const;
  const startOn = (port: number) =>
    startProgram({ env: { DATABASE_URL: postgres.url, PORT: String(port), TRUST_PROXY: '127.0.0.1' } });
  const instances: Program[] = [await startOn(ports[0]), await startOn(ports[1])];
  await trials.open({ close: () => Promise.all(instances.map((instance) => instance.close())) });
  const key = await postgres.issueKey();
  const client = await trials.open(openClient(`http://127.0.0.1:${ports[0]}`, key));
  const { id } = await create(client, { url: 'https://example.com' });
  client.close();
  for (const file of ['Caddyfile', 'nginx/one.conf']) await checkOne(trials, file, ports[0], key, id);
  let isOver = false;
  const loads = await Promise.all(
    Object.keys(SHARES).map(async (file) => {
      const proxy = await trials.open(startProxy(file, { 3001: ports[0], 3002: ports[1] }));
      await checkRules(proxy, key);
      const counts = new Map<number, number>();
      return { counts, ended: sendAll(proxy, key, id, counts, () => isOver) };
    }),
  );
  await trials.each(async ({ index }) => {
    const number = index % 2;
    await instances[number]?.stop();
    instances[number] = await startOn(ports[number] ?? 0);
    await sleep(500);
  });
  isOver = true;
  for (const [index, [file, share]] of Object.entries(SHARES).entries()) {
    await loads[index]?.ended;
    checkCounts(trials, file, loads[index]?.counts ?? new Map(), share);
  }
});

function checkCounts(trials: Setting, file: string, counts: ReadonlyMap<number, number>, share: number): void {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const refused = counts.get(503) ?? 0;
  trials.add({ [`requests to ${file}`]: all, [`503 of ${file}`]: refused });
  const others = [...counts.keys()].filter((status) => ![200, 202, 503].includes(status));
  if (others.length > 0) throw new Error(`Requests to ${file} had the status ${others.join()}.`);
  if (refused > share * all) throw new Error(`${refused} of ${all} requests to ${file} had the status 503.`);
}

async function checkOne(trials: Setting, file: string, port: number, key: string, website: string): Promise<void> {
  const proxy = await trials.open(startProxy(file, { 3000: port }));
  await checkRules(proxy, key);
  const { status } = await sendHit(proxy, website);
  if (status !== 202) throw new Error(`A hit through ${file} had the status ${status}.`);
}

/** The metrics are hidden, and the service knows that the browser came by https. */
async function checkRules({ request, origin }: DeployedProxy, key: string): Promise<void> {
  const metrics = await request('GET', '/metrics');
  if (metrics.status !== 404) throw new Error(`/metrics had the status ${metrics.status}.`);
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin };
  const { cookie } = await request('POST', '/sign-in', form, `key=${key}`);
  if (!/; Secure/i.test(cookie)) throw new Error(`The cookie of a session is: ${cookie.replace(/=[^;]*/, '=…')}`);
}

/** Sends reads and writes, and counts the responses by status. */
async function sendAll(
  proxy: DeployedProxy,
  key: string,
  website: string,
  counts: Map<number, number>,
  isOver: () => boolean,
): Promise<void> {
  const read = () => proxy.request('GET', '/api/v1/websites', { authorization: `Bearer ${key}` });
  const sender = async () => {
    while (!isOver()) {
      for (const work of [read, () => sendHit(proxy, website)]) {
        const { status } = await work().catch(() => ({ status: 0 }));
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
      await sleep(5);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
}

function sendHit({ request }: DeployedProxy, website: string) {
  const headers = {
    'content-type': 'text/plain',
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  };
  return request('POST', '/hits', headers, JSON.stringify({ website, url: 'https://example.com/' }));
}
