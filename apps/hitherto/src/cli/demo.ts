import {
  type AccessDependencies,
  createAccount,
  createWebsite,
  listAccounts,
  parseNewWebsite,
  UrlTaken,
  type Website,
} from '@hitherto/domain';
import type { Command } from 'commander';
import type { Database } from '../database.ts';
import { fillDemo } from '../demo/fill.ts';
import { DEMO_URL } from '../demo/website.ts';
import { urlOf } from '../service/listen.ts';
import { loadSettings } from '../settings.ts';
import type { Context } from './context.ts';
import { withDatabase } from './with-database.ts';

const FIRST_ACCOUNT = 'default';

/** `demo`. */
export function demoCommand(program: Command, context: Context): void {
  program
    .command('demo')
    .description(`add the public website ${DEMO_URL} with 90 days of made-up visits, and print its page`)
    .addHelpText('after', '\nExample:\n  $ npm run hitherto -- demo')
    .action(async () => {
      const settings = loadSettings(context.env);
      const id = await withDatabase(context, async (database) => {
        const website = await addWebsite(context, database);
        if ('existingId' in website) {
          context.tell('The demo is there already.\n');
          return website.existingId;
        }
        context.tell('Making up 90 days of visits, which takes some seconds …\n');
        const lookups = await context.openLookups(settings);
        const { hits, maintenance } = database;
        await fillDemo({ ...context, hits, maintenance, lookups, timeZone: settings.timeZone }, website);
        return website.id;
      });
      context.print(`${settings.publicUrl ?? urlOf(settings)}/statistics/${id}\n`);
    });
}

/** The new website in the oldest account, or the id of the one that is there. */
async function addWebsite(
  context: Context,
  { access, websites }: Database,
): Promise<Website | { readonly existingId: string }> {
  const deps = { ...context, access, websites };
  const account = await oldestAccount(deps);
  try {
    return await createWebsite(deps, account, parseNewWebsite({ url: DEMO_URL, privacy: 'public' }));
  } catch (error) {
    if (error instanceof UrlTaken) return error;
    throw error;
  }
}

async function oldestAccount(deps: AccessDependencies): Promise<string> {
  const accounts = await listAccounts(deps);
  const [oldest] = accounts.toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  return (oldest ?? (await createAccount(deps, FIRST_ACCOUNT))).id;
}
