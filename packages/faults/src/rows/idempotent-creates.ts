import type { Random } from '@hitherto/testing/random';
import { type RowOptions, row } from '../row.ts';
import { type ApiResponse, allWebsites, type Client, openClient, websiteIn } from '../support/client.ts';
import { startHttpProxy } from '../support/http-proxy.ts';
import { canary } from '../support/secrets.ts';
import { startService } from '../support/service.ts';

/** How many intents run concurrently. */
const PER_TRIAL = 50;
const CLIENTS = 32;
const MAX_TRIES = 200;

/** A website that a client wants to create once, and retries until a response comes. */
interface Intent {
  readonly headers: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
}

const OPTIONS: RowOptions = { small: 50, isTested: true, perTrial: PER_TRIAL };

export const idempotentCreates = row('idempotent-creates', 5_000, 'intents', OPTIONS, async (trials) => {
  const service = await trials.open(startService());
  const proxy = await trials.open(startHttpProxy(service.program.url, { drops: 30, resets: 10 }));
  await trials.each(async ({ random, open, add }) => {
    proxy.random = random;
    const key = await service.postgres.issueKey();
    const client = await open(openClient(proxy.url, key, CLIENTS));
    const direct = await open(service.openClient(key));
    const ids = await Promise.all(
      Array.from({ length: PER_TRIAL }, async (_, number) => {
        const intent = intentOf(number, random);
        const { response, tries } = await createUntilResponse(client, intent);
        add({ tries, 'done before their first response': isReplayed(response) ? 1 : 0 });
        for (const again of [client, direct]) {
          const { response: repeated } = await createUntilResponse(again, intent);
          if (isReplayed(repeated) && repeated.text === response.text) continue;
          throw new Error(`A create got ${response.text}, its repeat ${repeated.text}.`);
        }
        return websiteIn(response).id;
      }),
    );
    const stored = (await allWebsites(direct)).map(({ id }) => id);
    if (stored.length !== PER_TRIAL || new Set([...stored, ...ids]).size !== PER_TRIAL) {
      throw new Error(`${PER_TRIAL} intents got ${new Set(ids).size} ids; there are ${stored.length} websites.`);
    }
    add({ websites: stored.length });
  });
  trials.add({ 'responses dropped': proxy.seen.dropped, 'connections reset': proxy.seen.reset });
});

function intentOf(number: number, random: Random): Intent {
  // Hashing a password, and comparing it in a retry, takes long enough for attempts to overlap.
  const password = random.below(25) === 0 ? { password: canary(), privacy: '2' } : {};
  return {
    headers: { 'idempotency-key': `intent-${number}-${random.word(12)}` },
    form: { url: `https://intent-${number}.example`, exclude_params: random.word(8), ...password },
  };
}

/** Repeats the create with the same key until there is a response. */
async function createUntilResponse(client: Client, intent: Intent): Promise<{ response: ApiResponse; tries: number }> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const response = await client.request('POST', '/api/v1/websites', intent).catch(() => undefined);
    if (response?.status === 201) return { response, tries };
    if (response !== undefined)
      throw new Error(`Attempt ${tries} of a create gets ${response.status}: ${response.text}`);
  }
  throw new Error(`${MAX_TRIES} attempts of a create had no response.`);
}

const isReplayed = ({ headers }: ApiResponse) => headers['idempotent-replayed'] === 'true';
