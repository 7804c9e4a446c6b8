import type { ServeDependencies } from '../service/serve.ts';

/** What the command line needs from outside; `main.ts` chooses it. */
export interface Context extends ServeDependencies {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes to standard output, which holds results and nothing else. */
  readonly print: (text: string) => void;
}
