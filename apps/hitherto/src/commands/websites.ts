import { accountNotFound } from '@hitherto/domain/access';
import { moveWebsite, websiteNotFound, wholeAccount } from '@hitherto/domain/websites';
import type { Command } from 'commander';
import type { Context } from '../cli/context.ts';
import { withDatabase } from '../cli/with-database.ts';

/** `websites move`. */
export function websiteCommands(program: Command, context: Context): void {
  const websites = program.command('websites').description('move websites between accounts');

  websites
    .command('move')
    .description('move a website to another account, with its statistics and everything that belongs to it')
    .argument('<website-id>', 'its id')
    .requiredOption('--account <account>', 'the name or id of the account that gets it')
    .addHelpText(
      'after',
      '\nExample:\n  $ hitherto websites move 01997c3e-0000-7000-8000-000000000001 --account agency',
    )
    .action(async (id: string, { account }: { account: string }) => {
      await withDatabase(context, async (database) => {
        const [entry, to] = [
          await database.directory.findById(id.toLowerCase()),
          await database.access.findAccount(account),
        ];
        if (entry === undefined) throw websiteNotFound();
        if (to === undefined) throw accountNotFound();
        await moveWebsite({ ...context, ...database }, wholeAccount(entry.accountId), entry.website.id, to.id);
      });
      context.tell('The website was moved. Keys, members and webhooks of its old account no longer reach it.\n');
    });
}
