/**
 * Stores random keys that all instances share and that survive restarts. Rejects with a `DomainError` of code `unavailable`
 * while the database is unreachable.
 */
export interface SecretRepository {
  /** The secret of this purpose: `fresh`, unless an instance has set another before. */
  secretOf(purpose: string, fresh: Uint8Array): Promise<Uint8Array>;
}
