// The paths that reports link to. They load nothing, so that commands need not load the pages.
export { statisticsPath } from './statistics/paths.ts';

/** The path under which reports are turned off without signing in. */
export const UNSUBSCRIBE = '/reports/unsubscribe';

/** The unsubscribe address in the mails about a website. */
export function unsubscribePath(websiteId: string, token: string): string {
  return `${UNSUBSCRIBE}?website=${websiteId}&token=${token}`;
}
