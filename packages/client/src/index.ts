export { type ClientOptions, createClient, type HithertoClient } from './client.ts';
export { type ListPage, listAll } from './list-all.ts';
export { type Fault, type Problem, ProblemError } from './problem-error.ts';
export type { components, operations, paths } from './schema.ts';
