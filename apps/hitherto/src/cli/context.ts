import type { AccessDependencies, PasswordHasher } from '@hitherto/domain';
import type { Config } from '../config.ts';
import type { Store } from './store.ts';

/** Writes one line to the log of the program, with details that hold no secret. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, details?: Record<string, unknown>) => void;

/** How a command uses the store: the service holds the embedded database for itself, other commands stand beside it. */
export interface StoreOptions {
  readonly use: 'service' | 'command';
  readonly log: Log;
  /** Tells a person what takes its time. */
  readonly onProgress: (text: string) => void;
}

/** What the command line needs from outside; `main.ts` chooses it. */
export interface Context extends Omit<AccessDependencies, 'access'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly openStore: (config: Config, options: StoreOptions) => Promise<Store>;
  readonly passwords: PasswordHasher & { load(): { readonly active: number; readonly waiting: number } };
  /** Writes to standard output, which holds results and nothing else. */
  readonly print: (text: string) => void;
  /** Writes to standard error. */
  readonly tell: (text: string) => void;
}
