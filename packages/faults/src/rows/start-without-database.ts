import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../row.ts';
import { type Client, openClient } from '../support/client.ts';
import { startGate } from '../support/gate.ts';
import { migrate, startOwnPostgres } from '../support/own-postgres.ts';
import { startProgram } from '../support/program.ts';
import { told } from '../support/told.ts';
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
    const postgres = await trials.open(startOwnPostgres());
    const gate = await trials.open(startGate(postgres.url));
    const waits: number[] = [];
    await migrate(postgres.url);
    const key = await postgres.issueKey();
    await trials.each(async ({ index, random, open }) => {
      const isEmpty = random.below(2) === 0;
      const url = isEmpty ? await postgres.createDatabase(`d${index}`) : postgres.url;
      await ((trials.isFull ? index : random.below(2)) % 2 === 0 ? gate.refuse() : gate.silence());
      const service = await open(startProgram({ env: { DATABASE_URL: gate.through(url) }, until: 'listening' }));
      const client = await open(openClient(service.url, key));
      await expectAbsence(client);
      await sleep(random.next() * (trials.isFull ? LONGEST_ABSENCE_MS : 1_000));
      await expectAbsence(client);
      await gate.open();
      const isReady = async () => (await client.request('GET', '/readyz')).status === 200;
      waits.push(await until(isReady, trials.patience * 5_000, () => `not ready:\n${service.output()}`));
      // An empty database does not have the key.
      await expectStatus(client, '/api/v1/websites', isEmpty ? 401 : 200);
    });
    return told`ready at most ${Math.max(...waits) / 1_000} s after the database came up`;
  },
};

/** Checks that the process is up and reports that it cannot serve requests. */
async function expectAbsence(client: Client): Promise<void> {
  await expectStatus(client, '/livez', 200);
  await expectStatus(client, '/readyz', 503);
  await expectStatus(client, '/api/v1/websites', 503);
}

async function expectStatus(client: Client, path: string, expected: number): Promise<void> {
  const { status, headers, text } = await client.request('GET', path);
  const retryAfter = String(headers['retry-after']);
  if (status === expected && (status !== 503 || /^[1-9]\d*$/.test(retryAfter))) return;
  throw new Error(`${path} responds with ${status} (Retry-After: ${retryAfter}) instead of ${expected}: ${text}`);
}
