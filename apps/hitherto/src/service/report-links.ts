import { type ReportLinks, type UnsubscribeDependencies, unsubscribeToken, type Week } from '@hitherto/domain';
import { statisticsPath, unsubscribePath } from '@hitherto/pages/paths';

/** The addresses in the reports of an installation that people reach at `origin`. */
export function reportLinks(
  origin: string,
  deps: UnsubscribeDependencies,
): (websiteId: string, week: Week) => Promise<ReportLinks> {
  return async (websiteId, { from, to }) => ({
    pageUrl: `${origin}${statisticsPath(websiteId)}?from=${from}&to=${to}`,
    unsubscribeUrl: `${origin}${unsubscribePath(websiteId, await unsubscribeToken(deps, websiteId))}`,
  });
}
