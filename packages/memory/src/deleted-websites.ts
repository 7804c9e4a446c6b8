import type { DeletedWebsites } from '@hitherto/domain/websites';
import type { State } from './state.ts';

/** Stores the ids of deleted websites in `state`. No hits are in flight here, so each is due once. */
export function createDeletedWebsites(state: State): DeletedWebsites {
  return {
    async findDue() {
      const [id] = state.deletedWebsites;
      return id;
    },

    async confirm(id) {
      state.deletedWebsites.delete(id);
    },
  };
}
