export * from './link.ts';
export * from './link-repository.ts';
export * from './link-type.ts';
