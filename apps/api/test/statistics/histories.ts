import type { CountedHit } from '@hitherto/domain/hits';
import { aCountedHit } from '@hitherto/testing/fixtures';
import type { Api } from '../support/api.ts';

/** Adds hits to a website; the clock of the tests stands at 2026-11-20, noon. */
export async function addHits(api: Api, websiteId: string, hits: readonly Partial<CountedHit>[]): Promise<void> {
  const counted = hits.map((hit) =>
    aCountedHit({ source: null, referrer: null, channel: 'Direct', ...hit, websiteId }),
  );
  await api.hits.add(counted);
}

const at = (time: string) => new Date(`2026-11-${time}Z`);

/** Three visits of two visitors, seven pageviews and an event: the numbers of the example in api.md, "Statistics". */
const EXAMPLE: readonly Partial<CountedHit>[] = [
  { visitor: 1n, page: '/a', source: 'Google', channel: 'Search', time: at('20T08:00:00') },
  { visitor: 1n, page: '/b', time: at('20T08:02:00') },
  { visitor: 1n, page: '/a', time: at('20T08:03:00') },
  { visitor: 1n, page: '/a', name: 'Signup', props: { plan: 'pro', seats: 3 }, time: at('20T08:03:04.500') },
  { visitor: 1n, page: '/a', time: at('20T10:00:00') },
  { visitor: 2n, page: '/é', time: at('20T10:00:00') },
  { visitor: 2n, page: '/a', time: at('20T10:00:00') },
  { visitor: 2n, page: '/b', time: at('20T10:00:00') },
];

/** A website with the hits of the example. */
export async function anExample(api: Api): Promise<string> {
  const { id } = await api.createWebsite();
  await addHits(api, id, EXAMPLE);
  return id;
}
