export * from './annotation.ts';
export * from './annotation-repository.ts';
export * from './annotation-type.ts';
