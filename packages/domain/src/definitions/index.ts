export * from './definition.ts';
export * from './definition-repository.ts';
export * from './funnels.ts';
export * from './goals.ts';
export * from './question.ts';
export * from './read-rule.ts';
export * from './segments.ts';
export * from './use-cases.ts';
