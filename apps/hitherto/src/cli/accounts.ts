import { createAccount, deleteAccount, listAccounts } from '@hitherto/domain';
import type { Command } from 'commander';
import type { Context } from './context.ts';
import { printList } from './print-list.ts';
import { withDatabase } from './with-database.ts';

/** `accounts create`, `accounts list` and `accounts delete`. */
export function accountCommands(program: Command, context: Context): void {
  const accounts = program.command('accounts').description('create, list and delete accounts');

  accounts
    .command('create')
    .description('create an account')
    .requiredOption('--name <name>', 'its name: unique, 1 to 100 characters')
    .addHelpText('after', '\nExample:\n  $ npm run hitherto -- accounts create --name agency')
    .action(async ({ name }: { name: string }) => {
      const account = await withDatabase(context, (database) =>
        createAccount({ ...context, access: database.access }, name),
      );
      context.print(`${account.id}\n`);
      context.tell(`The account was created; "keys create --account ${account.id}" creates a key for it.\n`);
    });

  accounts
    .command('list')
    .description('list all accounts')
    .option('--json', 'as a JSON array')
    .addHelpText('after', '\nExample:\n  $ npm run hitherto -- accounts list --json')
    .action(async ({ json }: { json?: true }) => {
      const found = await withDatabase(context, (database) => listAccounts(database));
      const rows = found.map(({ id, name, createdAt }) => ({ id, name, created_at: createdAt.toISOString() }));
      printList(context, rows, json ?? false);
    });

  accounts
    .command('delete')
    .description('delete an account with all its keys and websites')
    .argument('<account>', 'its name or id')
    .requiredOption('--yes', 'confirm permanent deletion')
    .addHelpText('after', '\nExample:\n  $ npm run hitherto -- accounts delete agency --yes')
    .action(async (nameOrId: string) => {
      await withDatabase(context, (database) => deleteAccount(database, nameOrId));
      context.tell('The account was deleted, with its keys and websites.\n');
    });
}
