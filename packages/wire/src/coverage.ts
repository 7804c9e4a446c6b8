import type { Coverage } from '@hitherto/domain/insight';

/** The share of a server's pageviews that the tracker has counted (imports.md, "Coverage"). */
export function writeCoverage({ days, share, missing, partly, onlyTracked, byBrowser, ...meta }: Coverage) {
  return {
    data: {
      days: days.map(({ day, log, tracked }) => ({ day, log_pages: log, tracked_pages: tracked })),
      share,
      missing: missing.map(({ firstSeen, lastTracked, ...page }) => ({
        ...page,
        first_seen: firstSeen,
        last_tracked: lastTracked,
      })),
      ...{ partly, only_tracked: onlyTracked, by_browser: byBrowser },
    },
    meta,
  };
}
