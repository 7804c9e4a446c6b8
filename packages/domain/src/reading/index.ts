export * from './can-view.ts';
export * from './compare.ts';
export * from './show-conversions.ts';
export * from './show-crawlers.ts';
export * from './show-goals.ts';
export * from './show-statistics.ts';
