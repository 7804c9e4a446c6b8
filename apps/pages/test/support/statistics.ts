import type { CountedHit } from '@hitherto/domain/hits';
import { definer } from './definitions.ts';
import { startPagesForTest } from './pages.ts';

const at = (seconds: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + seconds * 1000);
const HITS: readonly Partial<CountedHit>[] = [
  { visitor: 1n, page: '/product/a', time: at(0), country: 'DE' },
  { visitor: 1n, page: '/thanks', time: at(10), country: 'DE' },
  { visitor: 1n, name: 'Signup', props: { plan: 'pro', amount: '99.50' }, time: at(20), country: 'DE' },
  { visitor: 1n, name: 'Signup', props: { plan: 'pro', amount: 50 }, time: at(30), country: 'DE' },
  { visitor: 2n, page: '/product/b', time: at(0), country: 'FR' },
  { visitor: 3n, page: '/%C3%BCber', time: at(0), country: 'AT' },
  { visitor: 4n, page: '/blog/a', time: at(0), country: null },
];

/** A goal that one visitor reached twice. */
export const SIGNUP = { name: 'Signup', event: 'Signup', props: { plan: 'pro' }, sum: 'amount' };

/** A public website with hits of four visitors, and functions that define goals, funnels and segments of it. */
export async function startStatistics() {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'public' });
  await pages.addHits(website, HITS);
  return { pages, website, path: `/statistics/${website.id}`, ...definer(pages, website) };
}

/** The number of visitors that a page shows. */
export const visitorsOf = (text: string) => /data-metric="visitors" data-value="(\d+)"/.exec(text)?.[1];
/** The filters that a page shows, as sentences. */
export const filtersOf = (text: string) =>
  [...text.matchAll(/<span class="filter" title="([^"]*)"/g)].map(([, sentence]) => sentence);
/** A page whose addresses are as a browser reads them. */
export const decoded = (text: string) => text.replaceAll('&amp;', '&');
