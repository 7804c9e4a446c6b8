export { EmbeddedPostgresError, type EmbeddedPostgresErrorCode } from './errors.ts';
export { isAlive } from './holder.ts';
export { joinEmbeddedPostgres, joinOrStartEmbeddedPostgres, startEmbeddedPostgres } from './start.ts';
export type { EmbeddedConnection, EmbeddedLog, EmbeddedOptions, EmbeddedPostgres } from './types.ts';
