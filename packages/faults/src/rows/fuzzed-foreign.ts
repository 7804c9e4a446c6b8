import { FUZZED_ALIASES, foreignFault, fuzzedForeignRequest } from '@hitherto/testing/fuzzed-foreign';
import { row } from '../row.ts';
import { fuzz, PER_TRIAL } from '../support/fuzz.ts';
import { WATCHED_MEMORY } from '../support/memory.ts';
import { startHitService } from '../support/service.ts';
import { repeatedWhenBusy } from '../support/when-busy.ts';

const SIZES = { small: 500, perTrial: PER_TRIAL };

export const fuzzedForeign = row('fuzzed-foreign', 100_000, 'requests', SIZES, async (trials) => {
  const service = await trials.open(startHitService({ RATE_LIMIT_PER_MINUTE: '0', ...WATCHED_MEMORY }));
  const { website, key } = service;
  const owner = await trials.open(service.openClient(key));
  const client = repeatedWhenBusy(await trials.open(service.openClient(null)));
  const json = { aliases: FUZZED_ALIASES.join('\n') };
  await owner.request('PATCH', `/api/v1/websites/${website}`, { json, expects: 200 });
  const found = await fuzz(trials, service, client, () => ({
    next: (random) => fuzzedForeignRequest(random, key),
    faultOf: (request, { status, headers, text }) =>
      foreignFault(request, { status, type: String(headers['content-type']), text }),
  }));
  return found + client.busy();
});
