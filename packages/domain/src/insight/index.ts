export * from './explain-change.ts';
export * from './own-changes.ts';
