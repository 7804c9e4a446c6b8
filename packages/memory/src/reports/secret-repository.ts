import type { SecretRepository } from '@hitherto/domain/reports';

/** Stores secrets in `stored`, by purpose. */
export function createSecretRepository(stored: Map<string, Uint8Array>): SecretRepository {
  return {
    async secretOf(purpose, fresh) {
      const secret = stored.get(purpose) ?? fresh;
      stored.set(purpose, secret.slice());
      return secret.slice();
    },
  };
}
