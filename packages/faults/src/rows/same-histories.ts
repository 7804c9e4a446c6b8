import assert from 'node:assert/strict';
import { createInMemoryRepositories } from '@hitherto/adapters/in-memory';
import { openPostgres } from '@hitherto/adapters/postgres';
import { fixedClock } from '@hitherto/domain/testing';
import type { Row } from '../row.ts';
import { type ApiResponse, type Client, openClient } from '../support/client.ts';
import { type Operation, startHistory } from '../support/history.ts';
import { type InProcessService, startInProcess } from '../support/in-process-service.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';

const OPERATIONS = 30;
/** Websites created first, so that some histories have lists of several pages. */
const AT_FIRST = [0, 0, 12, 36] as const;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Placeholders for values that differ between runs. */
const REQUEST_ID = /"request_id":"[0-9a-f-]{36}"/;
const OWN_HEADERS = ['date', 'x-request-id'];

type Clients = Readonly<Record<Operation['who'], Client>>;

export const sameHistories: Row = {
  name: 'same-histories',
  what: 'generated histories on in-memory and PostgreSQL side by side',
  required: 'same status, headers and body',
  unit: `histories of ${OPERATIONS} operations`,
  full: 1_000,
  small: 10,
  async run(trials) {
    const postgres = await startOwnPostgres();
    const stored = openPostgres({ connection: postgres.url, log: () => {} });
    await stored.migrate();
    const clock = fixedClock();
    const services = await Promise.all(
      [createInMemoryRepositories(), stored].map((repositories) => startInProcess({ repositories, clock })),
    );
    const statuses = new Map<number, number>();
    try {
      await trials.each(async ({ index, random }) => {
        const name = `history ${index} ${random.word(8)}`;
        const sides = await Promise.all(services.map((service) => clientsOf(service, name)));
        const history = startHistory(random);
        let step = 0;
        const perform = async (operation: Operation) => {
          const [inMemory, onPostgres] = await Promise.all(
            sides.map((side) => side[operation.who].request(operation.method, operation.path, operation.sent)),
          );
          assert.deepEqual(
            told(onPostgres),
            told(inMemory),
            `step ${step}, ${JSON.stringify(operation)}: PostgreSQL (+), in memory (-)`,
          );
          if (inMemory === undefined) return;
          step += 1;
          statuses.set(inMemory.status, (statuses.get(inMemory.status) ?? 0) + 1);
          history.learn(operation, inMemory);
        };
        try {
          for (let left = random.pick(AT_FIRST); left > 0; left -= 1) await perform(history.create());
          for (let left = OPERATIONS; left > 0; left -= 1) {
            clock.advance(random.below(100) === 0 ? DAY_MS : random.below(3));
            await perform(history.next());
          }
        } finally {
          for (const side of sides) for (const client of Object.values(side)) client.close();
        }
      });
    } finally {
      for (const service of services) await service.close();
      await stored.close();
      await postgres.close();
    }
    const spread = [...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, n]) => `${n.toLocaleString('en')} × ${status}`);
    return `all identical: ${spread.join(', ')}`;
  },
};

/** A separate account for the history, and another beside it. */
async function clientsOf(service: InProcessService, name: string): Promise<Clients> {
  const other = `${name}, other`;
  for (const account of [name, other]) await service.createAccount(account);
  const open = (key: string) => openClient(service.url, key);
  return {
    owner: open(await service.issueKey(name)),
    reader: open(await service.issueKey(name, { scope: 'read' })),
    other: open(await service.issueKey(other)),
  };
}

/** A response without what differs in each. Ids, times and cursors are the same on both sides. */
function told(response: ApiResponse | undefined) {
  if (response === undefined) return undefined;
  const headers = Object.entries(response.headers).filter(([name]) => !OWN_HEADERS.includes(name));
  return { status: response.status, headers: Object.fromEntries(headers), text: response.text.replace(REQUEST_ID, '') };
}
