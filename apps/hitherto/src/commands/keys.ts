import { issueKey, type KeyScope, listKeys, revokeKey } from '@hitherto/domain/access';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from '../cli/context.ts';
import { printList } from '../cli/print-list.ts';
import { withDatabase } from '../cli/with-database.ts';

interface CreateOptions {
  readonly account: string;
  readonly scope: KeyScope;
  readonly label?: string;
  readonly expiresIn?: number;
  readonly website?: readonly string[];
}

/** `keys create`, `keys list` and `keys revoke`. */
export function keyCommands(program: Command, context: Context): void {
  const keys = program.command('keys').description('create, list and revoke API keys');

  keys
    .command('create')
    .description('create an API key and print it on standard output; it is not shown again')
    .requiredOption('--account <account>', 'the name or id of the account')
    .addOption(
      new Option('--scope <scope>', 'the scope of the key; write includes read')
        .choices(['read', 'write'])
        .default('write'),
    )
    .option('--label <text>', 'a label to recognize the key by, at most 100 characters')
    .option('--expires-in <days>', 'the number of days until the key expires', readDays)
    .option('--website <id...>', 'the only websites that the key reaches, at most 100; without it, all of the account')
    .addHelpText('after', '\nExample:\n  $ hitherto keys create --account agency --scope read')
    .action(async ({ account, scope, label, expiresIn, website }: CreateOptions) => {
      const options = {
        scope,
        ...(label === undefined ? {} : { label }),
        ...(expiresIn === undefined ? {} : { expiresInDays: expiresIn }),
        ...(website === undefined ? {} : { websiteIds: website.map((id) => id.toLowerCase()) }),
      };
      const { text, key } = await withDatabase(context, (database) =>
        issueKey({ ...context, ...database }, account, options),
      );
      context.print(`${text}\n`);
      context.tell(`This key is not shown again. To revoke it, use its id: ${key.id}\n`);
    });

  keys
    .command('list')
    .description('list the keys of an account, without their values')
    .requiredOption('--account <account>', 'the name or id of the account')
    .option('--json', 'as a JSON array')
    .addHelpText('after', '\nExample:\n  $ hitherto keys list --account agency')
    .action(async ({ account, json }: { account: string; json?: true }) => {
      const found = await withDatabase(context, (database) => listKeys(database, account));
      const rows = found.map((key) => ({
        id: key.id,
        scope: key.scope,
        label: key.label,
        websites: key.limitedTo?.join(' ') ?? null,
        person: key.member?.personId ?? null,
        created_at: key.createdAt.toISOString(),
        expires_at: key.expiresAt?.toISOString() ?? null,
        revoked_at: key.revokedAt?.toISOString() ?? null,
        last_used_at: key.lastUsedAt?.toISOString() ?? null,
      }));
      printList(context, rows, json ?? false);
    });

  keys
    .command('revoke')
    .description('revoke a key permanently; every instance rejects it within a second')
    .argument('<key-id>', 'its id, as "keys list" shows it')
    .addHelpText('after', '\nExample:\n  $ hitherto keys revoke 01997c3e-0000-7000-8000-000000000001')
    .action(async (id: string) => {
      await withDatabase(context, (database) => revokeKey({ ...context, access: database.access }, id));
      context.tell('The key was revoked.\n');
    });
}

function readDays(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('The key must expire in a whole number of days, such as 90.');
}
