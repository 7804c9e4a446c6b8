import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { type Client, openClient } from '../support/client.ts';
import { startGate } from '../support/gate.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { startProgram } from '../support/program.ts';
import { migrate } from '../support/schemas.ts';
import { until } from '../support/until.ts';

/** The service retries with growing delays for a while, then at a steady pace. */
const LONGEST_ABSENCE_MS = 20_000;

export const startWithoutDatabase: Row = {
  name: 'start-without-database',
  what: 'start while the database is down: it refuses connections, or accepts them and stays silent',
  required: 'up, not ready, 503 with Retry-After; ready within 5 s of the database coming up',
  unit: 'starts',
  full: 8,
  small: 1,
  async run(trials) {
    const postgres = await startOwnPostgres();
    const gate = await startGate(Number(new URL(postgres.url).port));
    const waits: number[] = [];
    try {
      const through = (url: string) => url.replace(/:\d+\//, `:${gate.port}/`);
      const filled = { DATABASE_URL: through(postgres.url) };
      await migrate(postgres.url);
      const key = await postgres.issueKey('faults');

      await trials.each(async ({ index, random }) => {
        const isEmpty = random.below(2) === 0;
        const env = isEmpty ? { DATABASE_URL: through(await postgres.createDatabase(`d${index}`)) } : filled;
        await ((trials.isFull ? index : random.below(2)) % 2 === 0 ? gate.refuse() : gate.silence());
        const service = await startProgram({ env, until: 'listening' });
        const client = openClient(service.url, key);
        try {
          await expectAbsence(client);
          await sleep(random.next() * (trials.isFull ? LONGEST_ABSENCE_MS : 1_000));
          await expectAbsence(client);
          await gate.open();
          const isReady = async () => (await client.request('GET', '/readyz')).status === 200;
          waits.push(await until(isReady, trials.isFull ? 5_000 : 60_000, () => `not ready:\n${service.output()}`));
          // An empty database does not have the key.
          await expectStatus(client, '/api/v1/websites', isEmpty ? 401 : 200);
        } finally {
          client.close();
          await service.stop();
        }
      });
    } finally {
      await gate.close();
      await postgres.close();
    }
    return `ready at most ${(Math.max(...waits) / 1_000).toFixed(1)} s after the database came up`;
  },
};

/** Checks that the process is up and reports that it cannot serve requests. */
async function expectAbsence(client: Client): Promise<void> {
  await expectStatus(client, '/livez', 200);
  await expectStatus(client, '/readyz', 503);
  await expectStatus(client, '/api/v1/websites', 503);
}

async function expectStatus(client: Client, path: string, status: number): Promise<void> {
  const response = await client.request('GET', path);
  const retryAfter = String(response.headers['retry-after']);
  if (response.status !== status || (status === 503 && !/^[1-9]\d*$/.test(retryAfter))) {
    throw new Error(
      `${path} responds with ${response.status} (Retry-After: ${retryAfter}) instead of ${status}: ${response.text}`,
    );
  }
}
