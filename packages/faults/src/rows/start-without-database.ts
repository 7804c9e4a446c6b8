import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { row } from '../row.ts';
import { type Client, openClient } from '../support/client.ts';
import { startGate } from '../support/gate.ts';
import { withNumbers } from '../support/numbers-text.ts';
import { migrate, startOwnPostgres } from '../support/own-postgres.ts';
import { startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

/** The service retries with growing delays for a while, then at a steady pace. */
const LONGEST_ABSENCE_MS = 20_000;

export const startWithoutDatabase = row('start-without-database', 8, 'starts', { small: 1 }, async (trials) => {
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
    waits.push(await until(() => `not ready:\n${service.output()}`, trials.patience * 5_000, isReady));
    // An empty database does not have the key.
    await client.request('GET', '/api/v1/websites', { expects: isEmpty ? 401 : 200 });
  });
  return withNumbers`ready at most ${Math.max(...waits) / 1_000} s after the database came up`;
});

/** Checks that the process is up and reports that it cannot serve requests. */
async function expectAbsence(client: Client): Promise<void> {
  await client.request('GET', '/livez', { expects: 200 });
  for (const path of ['/readyz', '/api/v1/websites']) {
    const { headers } = await client.request('GET', path, { expects: 503 });
    assert.match(String(headers['retry-after']), /^[1-9]\d*$/);
  }
}
