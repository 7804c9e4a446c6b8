import { contractOf, type OpenApiDocument } from '@hitherto/testing/contract';
import { createFuzzedResources, type KnownIds } from '@hitherto/testing/fuzzed-resources';
import { row } from '../row.ts';
import type { Sent } from '../support/client.ts';
import { fuzz, PER_TRIAL } from '../support/fuzz.ts';
import { WATCHED_MEMORY } from '../support/memory.ts';
import { startHitService } from '../support/service.ts';
import { repeatedWhenBusy } from '../support/when-busy.ts';

/** Webhooks deliver nothing beyond this machine: there is no such port. */
const NOWHERE = 'http://127.0.0.1:1/hook';
const SIZES = { small: 500, perTrial: PER_TRIAL };

export const fuzzedResources = row('fuzzed-resources', 50_000, 'requests', SIZES, async (trials) => {
  const service = await trials.open(
    startHitService({ RATE_LIMIT_PER_MINUTE: '0', WEBHOOK_ALLOW_PRIVATE: '127.0.0.1', ...WATCHED_MEMORY }),
  );
  const { website, key } = service;
  const client = repeatedWhenBusy(await trials.open(service.openClient(key)));
  const document: OpenApiDocument = JSON.parse((await client.request('GET', '/openapi.json')).text);
  const contract = contractOf(document);
  const generator = createFuzzedResources(document);
  const found = await fuzz(trials, service, client, () => {
    const ids: KnownIds = new Map([['id', website]]);
    return {
      next(random) {
        const request = generator.next(random, ids);
        const isWebhook = request.pattern.startsWith('/api/v1/webhooks');
        return isWebhook ? { ...request, sent: withLocalUrl(request.sent) } : request;
      },
      faultOf({ pattern, method, path }, response) {
        const { status, text } = response;
        try {
          contract(method, path, response);
        } catch (error) {
          return `This is not documented: ${String(error)}`;
        }
        if (status === 201) generator.learn(pattern, text, ids);
        return undefined;
      },
    };
  });
  return found + client.busy();
});

/** The same body with an address on this machine in the place of any other. */
function withLocalUrl(sent: Sent): Sent {
  if (typeof sent.body !== 'string') return sent;
  return { ...sent, body: sent.body.replaceAll(/"[a-z]+:\/\/[^"]*"/gi, JSON.stringify(NOWHERE)) };
}
