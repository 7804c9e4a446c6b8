import { type Random, randomOf } from '@hitherto/testing/random';
import type { Row } from '../row.ts';
import { type ApiResponse, allWebsites, type Client, openClient, websiteIn } from '../support/client.ts';
import { type HttpProxy, startHttpProxy } from '../support/http-proxy.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { startProgram } from '../support/program.ts';
import { canary } from '../support/secrets.ts';

/** How many intents run concurrently. */
const PER_TRIAL = 50;
const CLIENTS = 32;
const HARM = { drops: 30, resets: 10 };

/** A website that a client wants to create once, and retries until a response comes. */
interface Intent {
  readonly key: string;
  readonly form: Readonly<Record<string, string>>;
}

export const idempotentCreates: Row = {
  name: 'idempotent-creates',
  what: 'idempotent creates through a proxy that drops 30 % of responses and resets 10 % of connections',
  required: 'exactly as many websites as intents',
  unit: 'intents',
  full: 5_000,
  small: 50,
  isTested: true,
  perTrial: PER_TRIAL,
  async run(trials) {
    const postgres = await startOwnPostgres();
    const program = await startProgram({ env: { DATABASE_URL: postgres.url } });
    const proxy = await startHttpProxy(program.url, randomOf('none yet'), HARM);
    const sum = { tries: 0, replayed: 0, websites: 0 };
    try {
      await trials.each(async ({ index, random }) => {
        proxy.random = random;
        const key = await postgres.issueKey(`intents ${index} ${random.word(8)}`);
        const client = openClient(proxy.url, key, CLIENTS);
        const direct = openClient(program.url, key);
        try {
          const intents = Array.from({ length: PER_TRIAL }, (_, number) => intentOf(number, random));
          const ids = await Promise.all(
            intents.map(async (intent) => {
              const { response, tries } = await createUntilAnswered(client, intent);
              sum.tries += tries;
              if (response.headers['idempotent-replayed'] === 'true') sum.replayed += 1;
              await expectSame(response, client, intent);
              await expectSame(response, direct, intent);
              return websiteIn(response).id;
            }),
          );
          const stored = (await allWebsites(direct)).map(({ id }) => id);
          if (stored.length !== PER_TRIAL || new Set([...stored, ...ids]).size !== PER_TRIAL) {
            throw new Error(`${PER_TRIAL} intents got ${new Set(ids).size} ids; there are ${stored.length} websites.`);
          }
          sum.websites += stored.length;
        } finally {
          client.close();
          direct.close();
        }
      });
    } finally {
      await proxy.close();
      await program.stop();
      await postgres.close();
    }
    return `${sum.websites.toLocaleString('en')} websites after ${sum.tries.toLocaleString('en')} attempts (${harmDone(proxy)}); ${sum.replayed.toLocaleString('en')} intents were done before their first response arrived`;
  },
};

function intentOf(number: number, random: Random): Intent {
  // Hashing a password, and comparing it in a retry, takes long enough for attempts to overlap.
  const password = random.below(25) === 0 ? { password: canary(), privacy: '2' } : {};
  return {
    key: `intent-${number}-${random.word(12)}`,
    form: { url: `https://intent-${number}.example`, exclude_params: random.word(8), ...password },
  };
}

/** Repeats the create with the same key until there is a response. */
async function createUntilAnswered(client: Client, intent: Intent): Promise<{ response: ApiResponse; tries: number }> {
  for (let tries = 1; tries <= 200; tries += 1) {
    const response = await create(client, intent).catch(() => undefined);
    if (response === undefined) continue;
    if (response.status !== 201)
      throw new Error(`Attempt ${tries} of a create gets ${response.status}: ${response.text}`);
    return { response, tries };
  }
  throw new Error('200 attempts of a create had no response.');
}

function create(client: Client, { key, form }: Intent): Promise<ApiResponse> {
  return client.request('POST', '/api/v1/websites', { form, headers: { 'idempotency-key': key } });
}

/** @throws if a repeat gets a different response from the first. */
async function expectSame(first: ApiResponse, client: Client, intent: Intent): Promise<void> {
  const { response } = await createUntilAnswered(client, intent);
  if (response.headers['idempotent-replayed'] !== 'true' || response.text !== first.text) {
    throw new Error(`A create got ${first.text}, its repeat ${response.text}.`);
  }
}

function harmDone({ seen }: HttpProxy): string {
  const resets = seen['reset before'] + seen['reset in the middle'] + seen['reset after'];
  return `${seen['response dropped'].toLocaleString('en')} responses dropped, ${resets.toLocaleString('en')} connections reset`;
}
