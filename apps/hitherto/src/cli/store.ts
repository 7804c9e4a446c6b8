import type { AccessRepository, Transfer, WebsiteRepository } from '@hitherto/domain';

/** Where everything is kept: the ports, and what running them takes. It connects when it is first asked. */
export interface Store {
  readonly websites: WebsiteRepository;
  readonly access: AccessRepository;
  readonly transfer: Transfer;
  /** Brings the schema up to date and answers the names of what was applied. Rejects with `unavailable` while the database is away. */
  migrate(): Promise<readonly string[]>;
  /** Rejects where the database does not answer within a second. */
  ping(): Promise<void>;
  /** The connections of the pool. */
  stats(): { readonly total: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}
