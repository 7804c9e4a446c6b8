import { createCollectingWebsite } from './hit-senders.ts';
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts';
import { type Program, startProgram } from './program.ts';

/** The real program with a website, on its own PostgreSQL, behind a proxy that names clients by `X-Forwarded-For`. */
export interface HitService {
  readonly postgres: OwnPostgres;
  readonly program: Program;
  readonly key: string;
  readonly website: string;
  /** @throws if the program has ended by itself */
  expectAlive(): void;
  close(): Promise<void>;
}

/** Starts one with empty data. */
export async function startHitService(env: Readonly<Record<string, string>> = {}): Promise<HitService> {
  const postgres = await startOwnPostgres();
  const program = await startProgram({ env: { DATABASE_URL: postgres.url, TRUST_PROXY: '127.0.0.1', ...env } });
  const key = await postgres.issueKey('hits');
  return {
    postgres,
    program,
    key,
    website: await createCollectingWebsite(program.url, key),
    expectAlive() {
      const { exitCode, signalCode } = program.process;
      if (exitCode !== null || signalCode !== null) throw new Error(`The service ended:\n${program.output()}`);
    },
    async close() {
      await program.stop();
      await postgres.close();
    },
  };
}
