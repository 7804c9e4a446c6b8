import type { SecretRepository } from '@hitherto/domain';
import type { State } from '../state.ts';

/** Stores secrets in `state`. */
export function createSecretRepository(state: State): SecretRepository {
  return {
    async secretOf(purpose, fresh) {
      const secret = state.secrets.get(purpose) ?? fresh;
      state.secrets.set(purpose, secret.slice());
      return secret.slice();
    },
  };
}
