export { createPages, type PagesDependencies } from './pages.ts';
export { unsubscribePath } from './reports/paths.ts';
export { statisticsPath } from './statistics/paths.ts';
