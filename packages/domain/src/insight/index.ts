export * from './coverage.ts';
export * from './coverage-reader.ts';
export {
  type CoverageProblem,
  type CoverageReport,
  type CoverageRepository,
  KEPT_REPORTS,
  listCoverage,
  REPORT_KEPT_MS,
  showCoverage,
} from './coverage-report.ts';
export * from './explain-change.ts';
export { findLeftOutDays, type LeftOutDependencies } from './left-out-days.ts';
export * from './log-pages.ts';
export * from './own-changes.ts';
export * from './website-signs.ts';
