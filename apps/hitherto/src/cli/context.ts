import type { ReportMail } from '@hitherto/domain';
import type { ServeDependencies } from '../service/serve.ts';

/** The dependencies of the command line, chosen in `main.ts`. */
export interface Context extends ServeDependencies {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Why a file cannot be used as a country database, if so. */
  readonly countryFileFault: (file: string) => string | undefined;
  /** The bytes of a mail from this sender, as it would be sent. */
  readonly composeReport: (from: string, mail: ReportMail) => Promise<Uint8Array>;
  /** Writes to standard output, which is for results only. */
  readonly print: (text: string) => void;
  /** Writes bytes to standard output, as fast as they are read. */
  readonly writeBytes: (bytes: AsyncIterable<Uint8Array>) => Promise<void>;
  /** Standard input. */
  readonly input: () => AsyncIterable<Uint8Array>;
  /** Whether standard error is a terminal. */
  readonly isTerminal: boolean;
}
