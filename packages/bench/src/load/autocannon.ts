import { createRequire } from 'node:module';
import autocannon from 'autocannon';
import { percentile } from '../spread.ts';
import type { LoadGenerator, Operation } from './load.ts';
import { newRunName } from './load.ts';

const { version } = createRequire(import.meta.url)('autocannon/package.json') as { version: string };

/** How many different requests each connection repeats. */
const ROUND = 200;

/** The load generator from npm. It parses HTTP in JavaScript, so it takes more CPU than wrk. */
export const withAutocannon: LoadGenerator = {
  name: `autocannon ${version}`,
  async run(url, operation, connections, seconds) {
    const times: number[] = [];
    let failures = 0;
    const started = performance.now();
    await new Promise<void>((resolve, reject) => {
      const instance = autocannon(
        { url, connections, duration: seconds, method: operation.method, requests: requestsOf(operation) },
        (error) => (error ? reject(error) : resolve()),
      );
      instance.on('response', (_client, status, _bytes, time) => {
        times.push(time);
        if (status !== operation.status) failures += 1;
      });
      instance.on('reqError', () => {
        failures += 1;
      });
    });
    const took = (performance.now() - started) / 1000;
    times.sort((a, b) => a - b);
    return { requests: times.length, seconds: took, p50: percentile(times, 50), p99: percentile(times, 99), failures };
  },
};

function requestsOf({ method, path, headers, body, ids }: Operation): autocannon.Request[] {
  const requests = ids.slice(0, ROUND).map((id) => ({ method, path: path.replace('{id}', id), headers }));
  if (body === undefined) return requests;
  const name = newRunName();
  let count = 0;
  const setupRequest = (request: autocannon.Request) => {
    count += 1;
    return { ...request, body: body.replace('{n}', `${name}-${count}`) };
  };
  return requests.map((request) => ({ ...request, setupRequest }));
}
