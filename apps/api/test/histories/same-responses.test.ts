import { createInMemoryRepositories } from '@hitherto/memory';
import { openPostgres } from '@hitherto/postgres';
import { fixedClock, sequentialIds } from '@hitherto/testing/fixtures';
import { randomOf } from '@hitherto/testing/random';
import { runs } from '@hitherto/testing/runs';
import { withScope } from '@hitherto/testing/scope';
import { startTestPostgres } from '@hitherto/testing/test-postgres';
import { expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import type { ApiResponse } from '../support/response.ts';
import { type Operation, startHistory, type Who } from './operations.ts';

// api.md, "Retries and concurrency", "List": what is promised holds with either adapter.

const HISTORIES = runs(4, 1_000);
const OPERATIONS = 30;
/** Websites created first, so that some histories have lists of several pages. */
const AT_FIRST = [0, 0, 12, 36] as const;
const DAY_MS = 24 * 60 * 60 * 1_000;
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Placeholders for values that differ between runs. */
const REQUEST_ID = /"request_id":"[0-9a-f-]{36}"/;
const OWN_HEADERS = ['date', 'x-request-id'];

/** A response without the parts that always differ. Ids, times and cursors are the same on both sides. */
function comparable({ status, headers, text }: ApiResponse) {
  const same = Object.entries(headers).filter(([name]) => !OWN_HEADERS.includes(name));
  return { status, headers: Object.fromEntries(same), text: text.replace(REQUEST_ID, '') };
}

/** Keys of a new account for the history, and of another one next to it. */
async function keysOf({ createAccount, issue }: Api, name: string): Promise<Record<Who, string>> {
  for (const account of [name, `${name}, other`]) await createAccount(account);
  const owner = await issue(name);
  const reader = await issue(name, { scope: 'read' });
  return { owner: owner.text, reader: reader.text, other: (await issue(`${name}, other`)).text };
}

test(
  `PostgreSQL and the in-memory adapter give the same responses in ${HISTORIES} random histories (seed ${seed})`,
  {
    timeout: 60_000 + HISTORIES * 3_000,
  },
  () =>
    withScope(async (open) => {
      const server = await startTestPostgres();
      await open({ close: server.stop });
      const stored = await open(openPostgres({ connection: server.url, log: () => {} }));
      await stored.migrate();
      const clock = fixedClock();
      const start = (repositories: typeof stored | ReturnType<typeof createInMemoryRepositories>) =>
        startApi({ repositories, clock, newId: sequentialIds(), logLevel: 'silent' });
      const [inMemory, onPostgres] = [await start(createInMemoryRepositories()), await start(stored)];
      await open(inMemory.app);
      await open(onPostgres.app);

      for (let index = 0; index < HISTORIES; index += 1) {
        const random = randomOf(seed, index);
        const name = `history ${index}`;
        const [here, there] = [await keysOf(inMemory, name), await keysOf(onPostgres, name)];
        const history = startHistory(random);
        const perform = async (operation: Operation) => {
          const { who, method, path, sent } = operation;
          const [expected, found] = await Promise.all([
            inMemory.send(method, path, { ...sent, key: here[who] }),
            onPostgres.send(method, path, { ...sent, key: there[who] }),
          ]);
          expect(comparable(found), `${name}: ${JSON.stringify(operation)}`).toEqual(comparable(expected));
          history.learn(operation, expected);
        };
        for (let left = random.pick(AT_FIRST); left > 0; left -= 1) await perform(history.create());
        for (let left = OPERATIONS; left > 0; left -= 1) {
          clock.advance(random.below(100) === 0 ? DAY_MS : random.below(3));
          await perform(history.next());
        }
      }
    }),
);
