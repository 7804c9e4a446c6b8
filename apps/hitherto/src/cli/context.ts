import type { Readable } from 'node:stream';
import type { MarkedHit } from '@hitherto/domain/cleanups';
import type { ImportContent, LogFiles } from '@hitherto/domain/imports';
import type { ReportMail } from '@hitherto/domain/reports';
import type { Engines, OpenOptions } from '../installation/database.ts';
import type { Settings } from '../installation/settings.ts';
import type { ServeDependencies } from '../service/serve.ts';

interface ClickHouseCheckOptions {
  readonly url: string;
  readonly cluster?: string | undefined;
}

/** A check of an engine outside of the database. */
export interface EngineCheck {
  readonly name: string;
  readonly holds: boolean;
  readonly detail: string;
}

export interface UmamiDatabaseOptions {
  /** The url of the website that the rows are imported into. */
  readonly url: string;
  /** The website in Umami; by default the one with the same domain. */
  readonly websiteId?: string | undefined;
}

/** A database to import from; its SHA-256 differs once it has more rows. */
export type DatabaseToImport = ImportContent & { readonly sha256: string; readonly close: () => Promise<void> };

/** The dependencies of the command line, chosen in `program.ts`. */
export interface Context extends ServeDependencies {
  /** How users run a command here, in examples: `npm run hitherto --`. */
  readonly command: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Adds the settings of the file `.env` to `env`; throws if it cannot be read. */
  readonly readEnvFile: () => void;
  /** Why a file cannot be used as a database of addresses, if so. */
  readonly addressFileFault: (file: string) => string | undefined;
  /** Throws if a backup with these migrations is of a later version. */
  readonly rejectLaterBackup: (migrations: readonly string[]) => void;
  /** The bytes of a mail from this sender, as it would be sent. */
  readonly composeReport: (from: string, mail: ReportMail) => Promise<Uint8Array>;
  /** Checks a ClickHouse server or cluster in a database of its own. */
  readonly checkClickHouse: (options: ClickHouseCheckOptions) => AsyncIterable<EngineCheck>;
  /** Opens both engines, migrates the database, and checks ClickHouse. Rejects if it is away, or `CLICKHOUSE_URL` is not set. */
  readonly openEngines: (settings: Settings, options: OpenOptions) => Promise<Engines>;
  /** The content of a file with these hits, which `importFiles` reads. */
  readonly hitFile: (hits: AsyncIterable<MarkedHit>) => AsyncIterable<string>;
  /** Opens the database of a self-hosted Umami, to import a website from it. */
  readonly openUmamiDatabase: (connection: string, options: UmamiDatabaseOptions) => Promise<DatabaseToImport>;
  /** Access logs of web servers. */
  readonly openLogFiles: () => Promise<LogFiles>;
  /** Resolves when the process is told to stop. */
  readonly stopped: () => Promise<void>;
  /** Writes to standard output, which is for results only. */
  readonly print: (text: string) => void;
  /** Writes bytes to standard output, as fast as they are read. */
  readonly writeBytes: (bytes: AsyncIterable<Uint8Array>) => Promise<void>;
  /** Standard input. */
  readonly input: () => Readable;
  /** Whether standard error is a terminal. */
  readonly isTerminal: boolean;
}
