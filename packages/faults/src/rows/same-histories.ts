import assert from 'node:assert/strict';
import { createInMemoryRepositories } from '@hitherto/adapters/in-memory';
import { openPostgres } from '@hitherto/adapters/postgres';
import { fixedClock } from '@hitherto/domain/testing';
import type { Open } from '@hitherto/testing/scope';
import { row } from '../row.ts';
import { type ApiResponse, type Client, openClient } from '../support/client.ts';
import { type Operation, startHistory } from '../support/history.ts';
import { type InProcessService, startInProcess } from '../support/in-process-service.ts';
import { tallyOf } from '../support/numbers-text.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';

const OPERATIONS = 30;
/** Websites created first, so that some histories have lists of several pages. */
const AT_FIRST = [0, 0, 12, 36] as const;
const DAY_MS = 24 * 60 * 60 * 1_000;
const UNIT = `histories of ${OPERATIONS} operations`;

/** Placeholders for values that differ between runs. */
const REQUEST_ID = /"request_id":"[0-9a-f-]{36}"/;
const OWN_HEADERS = ['date', 'x-request-id'];

type Clients = Readonly<Record<Operation['who'], Client>>;

export const sameHistories = row('same-histories', 1_000, UNIT, { small: 10 }, async (trials) => {
  const postgres = await trials.open(startOwnPostgres());
  const stored = await trials.open(openPostgres({ connection: postgres.url, log: () => {} }));
  await stored.migrate();
  const clock = fixedClock();
  const services = await Promise.all(
    [createInMemoryRepositories(), stored].map((repositories) => trials.open(startInProcess(repositories, clock))),
  );
  const statuses = new Map<number, number>();
  await trials.each(async ({ index, random, open }) => {
    const name = `history ${index} ${random.word(8)}`;
    const sides = await Promise.all(services.map((service) => clientsOf(open, service, name)));
    const history = startHistory(random);
    let step = 0;
    const perform = async (operation: Operation) => {
      const { who, method, path, sent } = operation;
      const [inMemory, onPostgres] = await Promise.all(sides.map((side) => side[who].request(method, path, sent)));
      const about = `step ${step}, ${JSON.stringify(operation)}: PostgreSQL (+), in memory (-)`;
      assert.deepEqual(comparable(onPostgres), comparable(inMemory), about);
      if (inMemory === undefined) return;
      step += 1;
      statuses.set(inMemory.status, (statuses.get(inMemory.status) ?? 0) + 1);
      history.learn(operation, inMemory);
    };
    for (let left = random.pick(AT_FIRST); left > 0; left -= 1) await perform(history.create());
    for (let left = OPERATIONS; left > 0; left -= 1) {
      clock.advance(random.below(100) === 0 ? DAY_MS : random.below(3));
      await perform(history.next());
    }
  });
  return `all identical: ${tallyOf(statuses)}`;
});

/** An account for the history, and another one next to it. */
async function clientsOf(open: Open, service: InProcessService, name: string): Promise<Clients> {
  const other = `${name}, other`;
  for (const account of [name, other]) await service.createAccount(account);
  const client = (key: string) => open(openClient(service.url, key));
  return {
    owner: await client(await service.issueKey(name)),
    reader: await client(await service.issueKey(name, { scope: 'read' })),
    other: await client(await service.issueKey(other)),
  };
}

/** A response without the parts that always differ. Ids, times and cursors are the same on both sides. */
function comparable(response: ApiResponse | undefined) {
  if (response === undefined) return undefined;
  const headers = Object.entries(response.headers).filter(([name]) => !OWN_HEADERS.includes(name));
  return { status: response.status, headers: Object.fromEntries(headers), text: response.text.replace(REQUEST_ID, '') };
}
