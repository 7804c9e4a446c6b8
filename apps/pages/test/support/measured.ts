import { bareDetails } from '@hitherto/domain/hits';
import type { Website } from '@hitherto/domain/websites';
import { aCountedHit } from '@hitherto/testing/fixtures';
import type { startPages } from './pages.ts';

/** Adds pageviews of a page: so many that are measured, each by a visitor of its own, and one that is not. */
export async function addMeasured(
  pages: Pick<Awaited<ReturnType<typeof startPages>>, 'repositories'>,
  { id: websiteId }: Pick<Website, 'id'>,
  measured: number,
  page = '/a',
): Promise<void> {
  const pageview = (view: number) => aCountedHit({ websiteId, visitor: BigInt(view), view, page });
  const views = Array.from({ length: measured }, (_, index) => index + 1);
  await pages.repositories.hits.add([
    pageview(99),
    ...views.map(pageview),
    ...views.map((view) => {
      const { time, day, visitor } = pageview(view);
      return { ...bareDetails('', ''), websiteId, time, day, visitor, view, measure: { seconds: 75, scroll: 50 } };
    }),
  ]);
}
