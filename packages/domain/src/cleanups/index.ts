export * from './apply-cleanups.ts';
export * from './cleanup.ts';
export * from './cleanup-repository.ts';
export * from './cleanup-type.ts';
export * from './find-hiding.ts';
export * from './mark-hidden.ts';
export * from './preview-cleanup.ts';
export * from './read-cleaned.ts';
