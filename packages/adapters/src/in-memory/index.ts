import type { AccessRepository, Transfer, WebsiteRepository } from '@hitherto/domain';
import { createAccessRepository } from './access-repository.ts';
import { emptyState } from './state.ts';
import { createTransfer } from './transfer.ts';
import { createWebsiteRepository } from './website-repository.ts';

/** The repositories of one store. */
export interface InMemoryStore {
  readonly websites: WebsiteRepository;
  readonly access: AccessRepository;
  readonly transfer: Transfer;
}

/** A store that keeps everything in this process and forgets it with the process. */
export function createInMemoryStore(): InMemoryStore {
  const state = emptyState();
  return {
    websites: createWebsiteRepository(state),
    access: createAccessRepository(state),
    transfer: createTransfer(state),
  };
}
