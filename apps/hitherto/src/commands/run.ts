import { DomainError } from '@hitherto/domain/base';
import { HARMFUL } from '@hitherto/domain/format';
import { Command, CommanderError } from 'commander';
import type { Context } from '../cli/context.ts';
import { accountCommands } from './accounts.ts';
import { alertCommands } from './alerts.ts';
import { auditCommands } from './audit.ts';
import { backupCommands } from './backup.ts';
import { checkCommands } from './checks.ts';
import { demoCommand } from './demo.ts';
import { hitCommands } from './hits.ts';
import { keyCommands } from './keys.ts';
import { logCommands } from './logs.ts';
import { migrateCommand } from './migrate.ts';
import { memberCommands, peopleCommands } from './people.ts';
import { reportCommands } from './reports.ts';
import { serveCommand } from './serve.ts';
import { statisticsCommands } from './statistics.ts';
import { webhookCommands } from './webhooks.ts';
import { websiteCommands } from './websites.ts';

export const FAILED = 1;
const WRONG_USAGE = 2;

/** Runs the command line and returns the exit code: 0, 1 if the command failed, 2 for wrong usage. */
export async function run(args: readonly string[], given: Context): Promise<number> {
  const context = {
    ...given,
    print: (text: string) => given.print(harmless(text)),
    tell: (text: string) => given.tell(harmless(text)),
  };
  const program = new Command('hitherto')
    .description('Self-hosted web statistics: the service and its administration.')
    .version(context.version, '--version')
    .helpOption('--help', 'show help')
    .showHelpAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.print(inWordsOf(context.command, text)),
      writeErr: (text) => context.tell(inWordsOf(context.command, text)),
    })
    .addHelpText('after', '\nExample:\n  $ hitherto keys create --account default')
    .hook('preAction', () => context.readEnvFile());
  serveCommand(program, context);
  migrateCommand(program, context);
  accountCommands(program, context);
  keyCommands(program, context);
  peopleCommands(program, context);
  memberCommands(program, context);
  websiteCommands(program, context);
  auditCommands(program, context);
  backupCommands(program, context);
  hitCommands(statisticsCommands(program, context), context);
  logCommands(program, context);
  reportCommands(program, context);
  alertCommands(program, context);
  checkCommands(program, context);
  webhookCommands(program, context);
  demoCommand(program, context);

  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    context.tell(`hitherto: ${messageOf(error)}\n`);
    return FAILED;
  }
}

/** Help whose examples run this command as it can be run here. */
function inWordsOf(command: string, help: string): string {
  return help.replace(/^( +\$ (?:\S+ )*?)hitherto /gm, `$1${command} `);
}

/** A value from outside could steer a terminal. As escapes of JSON, its characters stay exact within JSON. */
function harmless(text: string): string {
  return text.replace(HARMFUL, (character) =>
    '\t\n\r'.includes(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The message of an error for people; the cause of an unreachable database is shown by its code. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'an unknown error';
  const { cause, message } = error;
  const fault = fileFault(error);
  if (fault !== undefined) return fault;
  if (!(error instanceof DomainError && error.code === 'unavailable')) return message;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : '';
  return `${message}${code}`;
}

/** A frequent error of the file system as a sentence. */
function fileFault(error: Error): string | undefined {
  const { code, path } = { code: undefined, path: undefined, ...error };
  // Reading a folder, unlike writing to it, fails without a path.
  if (code === 'EISDIR') return `${typeof path === 'string' ? path : 'This'} is a folder, not a file.`;
  if (typeof path !== 'string') return undefined;
  if (code === 'ENOENT') return `There is no file ${path}.`;
  if (code === 'EACCES') return `Permission denied: ${path}`;
  return undefined;
}
