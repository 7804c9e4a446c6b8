import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, randomOf } from '@hitherto/testing/random';
import { row } from '../row.ts';
import { type Client, openClient, type Sent, websiteIn } from '../support/client.ts';
import { addTo, withNumbers } from '../support/numbers-text.ts';
import { startProgram } from '../support/program.ts';
import { checkRegister, type Observed } from '../support/register.ts';
import { canary } from '../support/secrets.ts';
import { startService } from '../support/service.ts';

/** Histories that run side by side, each with its own website. */
const PER_TRIAL = 8;
const LIST = '/api/v1/websites';

const OPTIONS = { small: 16, perTrial: PER_TRIAL };

export const concurrentHistories = row('concurrent-histories', 3_000, 'histories', OPTIONS, async (trials) => {
  const service = await trials.open(startService());
  const other = await trials.open(startProgram({ env: service.env }));
  const key = await service.postgres.issueKey();
  const clients = [
    await trials.open(openClient(service.program.url, key)),
    await trials.open(openClient(other.url, key)),
  ] as const;
  const sum = { requests: 0, updated: 0, stale: 0, gone: 0 };
  await trials.each(async ({ random }) => {
    const seeds = Array.from({ length: PER_TRIAL }, () => random.word(12));
    for (const observed of await Promise.all(seeds.map((seed) => runHistory(clients, seed)))) {
      checkRegister(observed);
      addTo(sum, {
        requests: observed.length,
        updated: observed.filter(({ kind, status }) => kind === 'update' && status === 200).length,
        stale: observed.filter(({ status }) => status === 412).length,
        gone: observed.filter(({ status }) => status === 204).length,
      });
    }
  });
  return (
    withNumbers`${sum.requests} requests, ${sum.updated} updates (${sum.stale} more rejected by If-Match), ` +
    withNumbers`${sum.gone} websites deleted: each history has a valid order`
  );
});

type Clients = readonly [Client, Client];

/** Several clients of one website, each sending one request after the other, to either instance. */
async function runHistory(clients: Clients, seed: string): Promise<Observed[]> {
  const random = randomOf(seed);
  const name = `h-${seed}`;
  const people = 3 + random.below(3);
  const observed: Observed[] = [await createAtOnce(clients, random, people, name)];
  const id = observed[0]?.website?.id ?? '';
  /** The newest tag that any client has received, so that many use the same version. */
  let newest = observed[0]?.etag;
  const observe = (one: Observed) => {
    newest = one.etag ?? newest;
    observed.push(one);
  };
  await Promise.all(
    Array.from({ length: people }, async (_, person) => {
      const own = randomOf(seed, person);
      for (let left = 3 + own.below(3); left > 0; left -= 1) {
        if (own.below(3) === 0) await sleep(own.below(4));
        observe(await act(own.pick(clients), own, { id, name, etag: newest }));
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
  if (first === undefined || more.length > 0 || others.length !== people - 1) {
    throw new Error(
      `Concurrent creates of one address: ${tries.map(({ status, text }) => `${status} ${text}`).join('\n')}`,
    );
  }
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
  const [form, changes] = part < 38 ? [{ password: canary() }, { has_password: true }] : [fields, fields];
  return observe('update', client, 'PATCH', path, { form, headers }, { ifMatch, changes });
}

const show = (client: Client, id: string) => observe('read', client, 'GET', `${LIST}/${id}`);

async function list(client: Client, name: string): Promise<Observed> {
  const { website: _, etag: _tag, ...observed } = await observe('read', client, 'GET', `${LIST}?search=${name}`);
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
  const response = await client.request(method, path, sent);
  const end = performance.now();
  const { status, headers, text } = response;
  const isShown = status === 200 || status === 201;
  const shown = isShown ? { website: websiteIn(response), etag: String(headers.etag) } : {};
  return { kind, start, end, status, text, ...asked, ...shown };
}
