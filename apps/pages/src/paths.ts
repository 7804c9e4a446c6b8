// The paths that reports link to. They load nothing, so that commands need not load the pages.
export { unsubscribePath } from './reports/paths.ts';
export { statisticsPath } from './statistics/paths.ts';
