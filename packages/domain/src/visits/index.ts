export * from './conversions.ts';
export * from './day-sum.ts';
export * from './filters.ts';
export * from './read-filters.ts';
export * from './rules.ts';
export * from './totals.ts';
export * from './values.ts';
export * from './visits.ts';
