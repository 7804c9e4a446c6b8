import { createAccount, deleteAccount, listAccounts, updateAccount } from '@hitherto/domain/access';
import type { Command } from 'commander';
import type { Context } from '../cli/context.ts';
import { printList } from '../cli/print-list.ts';
import { withDatabase } from '../cli/with-database.ts';

/** `accounts create`, `accounts list`, `accounts set-email` and `accounts delete`. */
export function accountCommands(program: Command, context: Context): void {
  const accounts = program.command('accounts').description('create, list, change and delete accounts');

  accounts
    .command('create')
    .description('create an account')
    .requiredOption('--name <name>', 'its name, unique, of 1 to 100 characters')
    .option('--email <address>', 'where the reports of its websites go')
    .addHelpText('after', '\nExample:\n  $ hitherto accounts create --name agency --email owner@example.com')
    .action(async ({ name, email }: { name: string; email?: string }) => {
      const account = await withDatabase(context, (database) =>
        createAccount({ ...context, access: database.access }, name, email),
      );
      context.print(`${account.id}\n`);
      context.tell(
        `The account was created. To create a key for it: ${context.command} keys create --account ${account.id}\n`,
      );
    });

  accounts
    .command('list')
    .description('list all accounts')
    .option('--json', 'as a JSON array')
    .addHelpText('after', '\nExample:\n  $ hitherto accounts list --json')
    .action(async ({ json }: { json?: true }) => {
      const found = await withDatabase(context, (database) => listAccounts(database));
      const rows = found.map(({ id, name, email, createdAt }) => ({
        id,
        name,
        email: email?.address ?? null,
        created_at: createdAt.toISOString(),
      }));
      printList(context, rows, json ?? false);
    });

  const emailCommand = accounts
    .command('set-email')
    .description('set the address that the reports of an account go to, or remove it')
    .argument('<account>', 'its name or id')
    .argument('[address]', 'one e-mail address')
    .option('--none', 'remove the address: no reports are sent')
    .addHelpText(
      'after',
      '\nExample:\n  $ hitherto accounts set-email agency owner@example.com\n  $ hitherto accounts set-email agency --none',
    )
    .action(async (nameOrId: string, address: string | undefined, { none }: { none?: true }) => {
      if ((address === undefined) !== (none ?? false)) {
        emailCommand.error('error: give either an e-mail address or --none');
      }
      const hasChanged = await withDatabase(context, (database) =>
        updateAccount({ ...context, access: database.access }, nameOrId, { address: address ?? null }),
      );
      const effect =
        address === undefined ? 'removed; no reports are sent' : 'set; the first report is about this week';
      const state = address === undefined ? 'has no address' : 'has this address';
      context.tell(hasChanged ? `The address was ${effect}.\n` : `Nothing changed: the account already ${state}.\n`);
    });

  accounts
    .command('delete')
    .description('delete an account with all its keys and websites')
    .argument('<account>', 'its name or id')
    .requiredOption('--yes', 'confirm permanent deletion')
    .addHelpText('after', '\nExample:\n  $ hitherto accounts delete agency --yes')
    .action(async (nameOrId: string) => {
      await withDatabase(context, (database) => deleteAccount(database, nameOrId));
      context.tell('The account was deleted, with its keys and websites.\n');
    });
}
