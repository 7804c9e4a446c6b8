export { EmbeddedPostgresError, type EmbeddedPostgresErrorCode } from './errors.ts';
export { joinOrStartEmbeddedPostgres, startEmbeddedPostgres } from './start.ts';
export { startTestPostgres } from './test-postgres.ts';
export type { EmbeddedConnection, EmbeddedLog, EmbeddedOptions, EmbeddedPostgres } from './types.ts';
