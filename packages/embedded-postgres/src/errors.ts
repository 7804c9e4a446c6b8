/**
 * Why the embedded PostgreSQL failed:
 * - `in_use`: another process holds the folder;
 * - `no_installation`: the folder has no database, and the caller does not create one;
 * - `other_version`: another major version of PostgreSQL created the folder;
 * - `no_binaries`: there is no embedded PostgreSQL that runs on this machine;
 * - `unreachable`: a server runs but does not respond;
 * - `failed`: anything else, as the message says.
 */
export type EmbeddedPostgresErrorCode =
  | 'in_use'
  | 'no_installation'
  | 'other_version'
  | 'no_binaries'
  | 'unreachable'
  | 'failed';

/** An error whose message names the problem and its remedy. It can be shown to users unchanged. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
  readonly code: EmbeddedPostgresErrorCode;

  constructor(code: EmbeddedPostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The `code` of a system error such as ENOENT; `undefined` for anything else. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
