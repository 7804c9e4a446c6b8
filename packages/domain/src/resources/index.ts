export * from './resource-event.ts';
export * from './resource-repository.ts';
export * from './resource-type.ts';
export * from './use-cases.ts';
