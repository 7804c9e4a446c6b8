import { setTimeout as sleep } from 'node:timers/promises';
import { UNRECORDED } from '@hitherto/domain/changes';
import { openPostgres } from '@hitherto/postgres';
import { type Random, randomOf } from '@hitherto/testing/random';
import { runs } from '@hitherto/testing/runs';
import { type Open, withScope } from '@hitherto/testing/scope';
import { startTestPostgres } from '@hitherto/testing/test-postgres';
import { expect, test } from 'vitest';
import { type Api, type Sent, startApi } from '../support/api.ts';
import { checkRegister, type Observed } from './register.ts';

// api.md, "Retries and concurrency": no update is lost, also with several instances. "Authentication": revoked keys.

const HISTORIES = runs(6, 3_000);
/** Histories that run side by side, each with its own website. */
const AT_ONCE = 8;
const LIST = '/api/v1/websites';
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Sends a request with the key of the account whose websites are observed. */
type Client = (method: string, path: string, sent?: Sent) => ReturnType<Api['send']>;
type Clients = readonly [Client, Client];

/** Two instances on one PostgreSQL. */
async function startInstances(open: Open): Promise<readonly [Api, Api]> {
  const server = await startTestPostgres();
  await open({ close: server.stop });
  const start = async (...accounts: [string, string]) => {
    const repositories = await open(openPostgres({ connection: server.url, log: () => {} }));
    await repositories.migrate();
    const api = await startApi({ repositories, accounts, logLevel: 'silent' });
    await open(api.app);
    return api;
  };
  return [await start('one', 'another'), await start('a third', 'a fourth')];
}

test(
  `${HISTORIES} histories of concurrent requests to two instances have a valid order (seed ${seed})`,
  {
    timeout: 60_000 + HISTORIES * 500,
  },
  () =>
    withScope(async (open) => {
      const [first, second] = await startInstances(open);
      const { key } = first;
      const clients = [first, second].map(
        ({ send }): Client =>
          (method, path, sent) =>
            send(method, path, { ...sent, key }),
      ) as [Client, Client];
      for (let done = 0; done < HISTORIES; done += AT_ONCE) {
        const seeds = Array.from({ length: AT_ONCE }, (_, index) => `${seed}-${done + index}`);
        for (const observed of await Promise.all(seeds.map((each) => runHistory(clients, each))))
          checkRegister(observed);
      }
    }),
);

test('a key that is in use on two instances is rejected by both a second after it was revoked', () =>
  withScope(async (open) => {
    const instances = await startInstances(open);
    const [{ issue, access, clock }] = instances;
    const { text: key, id } = await issue('one');
    const statuses = () => Promise.all(instances.map(async ({ send }) => (await send('GET', LIST, { key })).status));
    const before = await statuses();
    await access.revokeKey(id, clock.now(), UNRECORDED);
    await sleep(1_000);

    expect([before, await statuses()]).toEqual([
      [200, 200],
      [401, 401],
    ]);
  }));

/** Several clients of one website, each sending one request after the other, to either instance. */
async function runHistory(clients: Clients, own: string): Promise<Observed[]> {
  const random = randomOf(own);
  const name = `h-${own}`;
  const people = 3 + random.below(3);
  const observed: Observed[] = [await createAtOnce(clients, random, people, name)];
  const id = observed[0]?.website?.id ?? '';
  /** The newest tag that any client has received, so that many use the same version. */
  let newest = observed[0]?.etag;
  await Promise.all(
    Array.from({ length: people }, async (_, person) => {
      const chance = randomOf(own, person);
      for (let left = 3 + chance.below(3); left > 0; left -= 1) {
        if (chance.below(3) === 0) await sleep(chance.below(4));
        const one = await act(chance.pick(clients), chance, { id, name, etag: newest });
        newest = one.etag ?? newest;
        observed.push(one);
      }
    }),
  );
  for (const client of clients) observed.push(await show(client, id), await list(client, name));
  return observed;
}

/** All create the same address at once: one succeeds, and the others get its id. */
async function createAtOnce(clients: Clients, random: Random, people: number, name: string): Promise<Observed> {
  const json = { url: `https://${name}.example` };
  const send = () => observe('create', random.pick(clients), 'POST', LIST, { json });
  const tries = await Promise.all(Array.from({ length: people }, send));
  const [first, ...more] = tries.filter(({ status }) => status === 201);
  const taken = `"existing_id":"${first?.website?.id}"`;
  const others = tries.filter(({ status, text }) => status === 409 && text.includes(taken));
  expect([more.length, others.length], tries.map(({ text }) => text).join('\n')).toEqual([0, people - 1]);
  if (first === undefined) throw new Error('No create succeeded.');
  return first;
}

interface Target {
  readonly id: string;
  readonly name: string;
  readonly etag: string | undefined;
}

function act(client: Client, random: Random, { id, name, etag }: Target): Promise<Observed> {
  const path = `${LIST}/${id}`;
  const part = random.below(100);
  if (part < 20) return show(client, id);
  if (part < 30) return list(client, name);
  const ifMatch = random.below(3) === 0 ? etag : undefined;
  const headers: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch };
  if (part < 36) return observe('delete', client, 'DELETE', path, { headers }, { ifMatch });
  // No two updates write the same value, so each makes a version.
  const group = () => (0x1000 + random.below(0xefff)).toString(16);
  const fields: Record<string, string> =
    random.below(2) === 0 ? { exclude_params: random.word(10) } : { exclude_ips: `2001:db8::${group()}:${group()}` };
  const [form, changes] = part < 38 ? [{ password: random.word(10) }, { has_password: true }] : [fields, fields];
  return observe('update', client, 'PATCH', path, { form, headers }, { ifMatch, changes });
}

const show = (client: Client, id: string) => observe('read', client, 'GET', `${LIST}/${id}`);

async function list(client: Client, name: string): Promise<Observed> {
  const { website: _, etag: _tag, ...observed } = await observe('read', client, 'GET', `${LIST}?search=${name}.`);
  return observed.status === 200 ? { ...observed, website: JSON.parse(observed.text).data[0] } : observed;
}

/** Sends a request; remembers the time and the result: a website with its tag, or nothing of that kind. */
async function observe(
  kind: Observed['kind'],
  client: Client,
  method: string,
  path: string,
  sent: Sent = {},
  asked: Pick<Observed, 'ifMatch' | 'changes'> = {},
): Promise<Observed & { readonly text: string }> {
  const start = performance.now();
  const response = await client(method, path, sent);
  const end = performance.now();
  const { status, text } = response;
  const isShown = status === 200 || status === 201;
  const shown = isShown ? { website: JSON.parse(text).data, etag: response.header('etag') } : {};
  return { kind, start, end, status, text, ...asked, ...shown };
}
