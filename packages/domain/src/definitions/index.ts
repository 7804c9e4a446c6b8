export * from './definition.ts';
export * from './definition-repository.ts';
export * from './definition-type.ts';
export * from './funnels.ts';
export * from './goals.ts';
export * from './read-rule.ts';
export * from './resolve-filters.ts';
export * from './segments.ts';
