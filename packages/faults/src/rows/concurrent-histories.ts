import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, randomOf } from '@hitherto/testing/random';
import type { WebsiteJson } from '@hitherto/testing/website-json';
import type { Row } from '../row.ts';
import { type ApiResponse, type Client, openClient, websiteIn } from '../support/client.ts';
import { startProgram } from '../support/program.ts';
import { checkRegister, type Observed } from '../support/register.ts';
import { canary } from '../support/secrets.ts';
import { startService } from '../support/service.ts';
import { addTo, told } from '../support/told.ts';

/** Histories that run side by side, each with its own website. */
const PER_TRIAL = 8;
const LIST = '/api/v1/websites';

export const concurrentHistories: Row = {
  name: 'concurrent-histories',
  what: 'concurrent histories on two instances, checked for lost updates, resurrected rows, stale reads',
  required: 'none',
  unit: 'histories',
  full: 3_000,
  small: 16,
  perTrial: PER_TRIAL,
  async run(trials) {
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
      told`${sum.requests} requests, ${sum.updated} updates (${sum.stale} more refused by If-Match), ` +
      told`${sum.gone} websites deleted: each history has a valid order`
    );
  },
};

/** Several clients of one website, each sending one request after the other, to either instance. */
async function runHistory(clients: readonly [Client, Client], seed: string): Promise<Observed[]> {
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
async function createAtOnce(
  clients: readonly [Client, Client],
  random: Random,
  people: number,
  name: string,
): Promise<Observed> {
  const json = { url: `https://${name}.example` };
  const tries = await Promise.all(
    Array.from({ length: people }, () => observe('create', () => random.pick(clients).request('POST', LIST, { json }))),
  );
  const stored = tries.filter(({ response }) => response.status === 201);
  const [first] = stored;
  const id = first?.observed.website?.id;
  const others = tries.filter(
    (one) => one !== first && !(one.response.status === 409 && one.response.text.includes(`"existing_id":"${id}"`)),
  );
  if (first === undefined || others.length > 0) {
    throw new Error(
      `Concurrent creates of one address: ${tries.map(({ response }) => `${response.status} ${response.text}`).join('\n')}`,
    );
  }
  return first.observed;
}

interface Target {
  readonly id: string;
  readonly name: string;
  readonly etag: string | undefined;
}

async function act(client: Client, random: Random, { id, name, etag }: Target): Promise<Observed> {
  const path = `${LIST}/${id}`;
  const ifMatch = random.below(3) === 0 ? etag : undefined;
  const headers: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch };
  const part = random.below(100);
  if (part < 20) return show(client, id);
  if (part < 30) return list(client, name);
  if (part < 36) {
    return (await observe('delete', () => client.request('DELETE', path, { headers }), { ifMatch })).observed;
  }
  // No two updates write the same value, so each makes a version.
  const group = () => (0x1000 + random.below(0xefff)).toString(16);
  const fields: Record<string, string> =
    random.below(2) === 0 ? { exclude_params: random.word(10) } : { exclude_ips: `2001:db8::${group()}:${group()}` };
  const isPassword = part < 38;
  const form = isPassword ? { password: canary() } : fields;
  const changes: Partial<WebsiteJson> = isPassword ? { has_password: true } : fields;
  return (await observe('update', () => client.request('PATCH', path, { form, headers }), { ifMatch, changes }))
    .observed;
}

async function show(client: Client, id: string): Promise<Observed> {
  return (await observe('read', () => client.request('GET', `${LIST}/${id}`))).observed;
}

async function list(client: Client, name: string): Promise<Observed> {
  const { response, observed } = await observe(
    'read',
    () => client.request('GET', `${LIST}?search=${name}`),
    {},
    false,
  );
  if (response.status !== 200) return observed;
  const { data }: { data: WebsiteJson[] } = JSON.parse(response.text);
  return { ...observed, website: data[0] };
}

/** Sends a request; remembers when, and what it shows: a website with its tag, or nothing of that kind. */
async function observe(
  kind: Observed['kind'],
  send: () => Promise<ApiResponse>,
  asked: Pick<Observed, 'ifMatch' | 'changes'> = {},
  isWebsite = true,
): Promise<{ response: ApiResponse; observed: Observed }> {
  const start = performance.now();
  const response = await send();
  const end = performance.now();
  const { status, headers } = response;
  const isShown = isWebsite && (status === 200 || status === 201);
  const shown = isShown ? { website: websiteIn(response), etag: String(headers.etag) } : {};
  return { response, observed: { kind, start, end, status, ...asked, ...shown } };
}
