export * from './forget-deleted-website.ts';
export * from './hit-journal.ts';
export * from './move-statistics.ts';
export * from './question-reads.ts';
export * from './statistics-engine.ts';
export * from './statistics-repository.ts';
export * from './statistics-store.ts';
