import type { AccessRepository, SessionRepository, Transfer, WebsiteRepository } from '@hitherto/domain';
import { createAccessRepository } from './access-repository.ts';
import { createSessionRepository } from './session-repository.ts';
import { emptyState } from './state.ts';
import { createTransfer } from './transfer.ts';
import { createWebsiteRepository } from './website-repository.ts';

/** The repositories of one store. */
export interface InMemoryStore {
  readonly websites: WebsiteRepository;
  readonly access: AccessRepository;
  readonly sessions: SessionRepository;
  readonly transfer: Transfer;
}

/** A store that keeps everything in this process and forgets it with the process. */
export function createInMemoryStore(): InMemoryStore {
  const state = emptyState();
  return {
    websites: createWebsiteRepository(state),
    access: createAccessRepository(state),
    sessions: createSessionRepository(state),
    transfer: createTransfer(state),
  };
}
