import { MARKUP } from '@hitherto/testing/fuzzed-values';
import { row } from '../row.ts';
import { fuzz, PER_TRIAL } from '../support/fuzz.ts';
import { fuzzedRequest } from '../support/fuzzed-hits.ts';
import { WATCHED_MEMORY } from '../support/memory.ts';
import { startHitService } from '../support/service.ts';

export const fuzzedHits = row('fuzzed-hits', 100_000, 'requests', { perTrial: PER_TRIAL }, async (trials) => {
  const service = await trials.open(startHitService(WATCHED_MEMORY));
  const { website, key } = service;
  const owner = await trials.open(service.openClient(key));
  const client = await trials.open(service.openClient(null));
  await owner.request('PATCH', `/api/v1/websites/${website}`, { json: { privacy: 0 } });
  return fuzz(trials, service, client, () => ({
    next: (random) => fuzzedRequest(random, website),
    faultOf(_request, { headers, text }) {
      const isMarkup = String(headers['content-type']).startsWith('text/html') && text.includes(MARKUP);
      return isMarkup ? 'The page has unescaped markup.' : undefined;
    },
  }));
});
