import { accountNotFound, type Grant, ROLES, type Role } from '@hitherto/domain/access';
import {
  acceptAs,
  changeMember,
  deletePerson,
  findInvitation,
  invite,
  listPeople,
  makeSignInLink,
  type Person,
  personNotFound,
  removeMember,
} from '@hitherto/domain/people';
import { INVITATIONS, RESET } from '@hitherto/pages/paths';
import { type Command, Option } from 'commander';
import type { Context } from '../cli/context.ts';
import { printList } from '../cli/print-list.ts';
import { withDatabase } from '../cli/with-database.ts';
import type { OpenedDatabase } from '../installation/database.ts';
import { servedUrl } from '../installation/served-url.ts';
import { loadSettings, type Settings } from '../installation/settings.ts';
import { oldestAccount } from '../service/first-start.ts';
import { urlOfServer } from '../service/listen.ts';

/** Who invites on the command line. */
const OPERATOR = 'The operator of this installation';

interface MemberOptions {
  readonly account: string;
  readonly email: string;
  readonly role: Role;
  readonly website?: readonly string[];
}

/** `people create`, `link`, `list` and `delete` (people.md, "Commands"). */
export function peopleCommands(program: Command, context: Context): void {
  const people = program.command('people').description('invite, list and delete people who sign in');

  people
    .command('create')
    .description('print a link with which somebody becomes an owner; it works once, for 7 days')
    .requiredOption('--email <address>', 'whom it is for')
    .option('--account <account>', 'the name or id of the account; the oldest by default')
    .addHelpText('after', '\nExample:\n  $ hitherto people create --email owner@example.com')
    .action(async ({ email, account }: { email: string; account?: string }) => {
      const settings = loadSettings(context.env);
      const { token } = await withDatabase(context, async (database) => {
        const deps = { ...context, ...database };
        const { id } = account === undefined ? await oldestAccount(deps) : await requireAccount(database, account);
        return invite(deps, id, { email, role: 'owner', websiteIds: null }, OPERATOR, false);
      });
      context.print(`${urlFor(settings)}${INVITATIONS}/${token}\n`);
      context.tell('Send this link to that person alone. It works once, for 7 days, and is not shown again.\n');
    });

  people
    .command('link')
    .description('print a link that signs somebody in, and offers a new password; it works once, for 15 minutes')
    .argument('<email>', 'their e-mail address')
    .option('--reset-second-factor', 'turn off the second factor, too')
    .addHelpText('after', '\nExample:\n  $ hitherto people link owner@example.com')
    .action(async (email: string, { resetSecondFactor = false }: { resetSecondFactor?: boolean }) => {
      const settings = loadSettings(context.env);
      const token = await withDatabase(context, async (database) =>
        makeSignInLink({ ...context, ...database }, await requirePerson(database, email), resetSecondFactor),
      );
      context.print(`${urlFor(settings)}${RESET}/${token}\n`);
      context.tell('Send this link to that person alone. It works once, for 15 minutes, and is not shown again.\n');
    });

  people
    .command('list')
    .description('list all people')
    .option('--json', 'as a JSON array')
    .addHelpText('after', '\nExample:\n  $ hitherto people list')
    .action(async ({ json }: { json?: true }) => {
      const found = await withDatabase(context, (database) => listPeople(database));
      printList(
        context,
        found.map(({ id, name, email }) => ({ id, name, email })),
        json ?? false,
      );
    });

  people
    .command('delete')
    .description('delete a person, with their memberships and sessions')
    .argument('<email>', 'their e-mail address')
    .requiredOption('--yes', 'confirm permanent deletion')
    .addHelpText('after', '\nExample:\n  $ hitherto people delete former@example.com --yes')
    .action(async (email: string) => {
      await withDatabase(context, async (database) => {
        const { id } = await requirePerson(database, email);
        await deletePerson({ ...context, ...database }, id);
      });
      context.tell('The person was deleted.\n');
    });
}

/** `members add`, `members set` and `members remove`. */
export function memberCommands(program: Command, context: Context): void {
  const members = program.command('members').description('add people to accounts, change their rights, remove them');

  const roleOption = () => new Option('--role <role>', 'what they may do').choices(ROLES).default('viewer');
  const of = (command: Command) =>
    command
      .requiredOption('--account <account>', 'the name or id of the account')
      .requiredOption('--email <address>', 'the address with which the person signs in');
  const granted = (command: Command) =>
    of(command)
      .addOption(roleOption())
      .option('--website <id...>', 'the only websites that they have; without it, all of the account');

  granted(members.command('add'))
    .description('add somebody who signs in already to an account')
    .addHelpText('after', '\nExample:\n  $ hitherto members add --account agency --email a@example.com --role editor')
    .action(async (options: MemberOptions) => {
      await withDatabase(context, async (database) => {
        const deps = { ...context, ...database };
        const [account, person] = [
          await requireAccount(database, options.account),
          await requirePerson(database, options.email),
        ];
        const { token } = await invite(deps, account.id, { email: person.email, ...grantOf(options) }, OPERATOR, false);
        const invitation = await findInvitation(deps, token);
        if (invitation === undefined) throw personNotFound();
        await acceptAs(deps, invitation, person);
      });
      context.tell('The person is a member now.\n');
    });

  granted(members.command('set'))
    .description('give a member this role and these websites')
    .addHelpText('after', '\nExample:\n  $ hitherto members set --account agency --email a@example.com --role owner')
    .action(async (options: MemberOptions) => {
      await withDatabase(context, async (database) => {
        const [account, person] = [
          await requireAccount(database, options.account),
          await requirePerson(database, options.email),
        ];
        await changeMember({ ...context, ...database }, account.id, person.id, grantOf(options));
      });
      context.tell('The rights were changed; they hold from the next request on.\n');
    });

  of(members.command('remove'))
    .description('remove somebody from an account')
    .addHelpText('after', '\nExample:\n  $ hitherto members remove --account agency --email former@example.com')
    .action(async ({ account, email }: Pick<MemberOptions, 'account' | 'email'>) => {
      await withDatabase(context, async (database) => {
        const [{ id }, person] = [await requireAccount(database, account), await requirePerson(database, email)];
        await removeMember({ ...context, ...database }, id, person.id);
      });
      context.tell('The person was removed from the account.\n');
    });
}

/** Where the person reaches the service: as these settings say, or else those of the service that runs here. */
function urlFor(settings: Settings): string {
  return settings.publicUrl ?? servedUrl(settings) ?? urlOfServer(settings);
}

function grantOf({ role, website }: MemberOptions): Grant {
  return { role, websiteIds: website?.map((id) => id.toLowerCase()) ?? null };
}

async function requireAccount({ access }: Pick<OpenedDatabase, 'access'>, nameOrId: string) {
  const account = await access.findAccount(nameOrId);
  if (account === undefined) throw accountNotFound();
  return account;
}

async function requirePerson({ people }: Pick<OpenedDatabase, 'people'>, email: string): Promise<Person> {
  const person = await people.findByEmail(email);
  if (person === undefined) throw personNotFound();
  return person;
}
