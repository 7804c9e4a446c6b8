export * from './coverage.ts';
export * from './explain-change.ts';
export * from './log-pages.ts';
export * from './own-changes.ts';
