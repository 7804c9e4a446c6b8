import { UrlTaken } from '@hitherto/domain/base';
import { createWebsite, parseNewWebsite, showWebsite, type Website, wholeAccount } from '@hitherto/domain/websites';
import type { Command } from 'commander';
import type { Context } from '../cli/context.ts';
import { withDatabase } from '../cli/with-database.ts';
import { defineDemo } from '../demo/definitions.ts';
import { fillDemo } from '../demo/fill.ts';
import { DEMO_URL } from '../demo/website.ts';
import type { OpenedDatabase } from '../installation/database.ts';
import { loadSettings } from '../installation/settings.ts';
import { oldestAccount } from '../service/first-start.ts';
import { urlOfServer } from '../service/listen.ts';

/** `demo`. */
export function demoCommand(program: Command, context: Context): void {
  program
    .command('demo')
    .description(
      `add the public website ${DEMO_URL} with 90 days of made-up visits, goals and a funnel, and print the address of its page`,
    )
    .addHelpText('after', '\nExample:\n  $ hitherto demo')
    .action(async () => {
      const settings = loadSettings(context.env);
      // Before the website is created: a country database that cannot be read leaves nothing behind.
      const lookups = await context.openLookups(settings);
      const id = await withDatabase(
        context,
        async (database) => {
          const { access, batches, crawlers, notedHits, definitions, maintenance, statistics } = database;
          const { id: accountId } = await oldestAccount({ ...context, access });
          const website = await demoWebsite(context, database, accountId);
          // An earlier run may have ended before it stored them.
          if ((await statistics.firstDay(website.id)) !== undefined) {
            context.tell('The demo already exists.\n');
            return website.id;
          }
          await defineDemo({ ...context, definitions }, { accountId, websiteId: website.id });
          context.tell('Making up visits, which takes a few seconds …\n');
          const journal = { batches, crawlers, notedHits, maintenance };
          await fillDemo({ ...context, ...journal, lookups, zone: settings.timeZone }, website);
          return website.id;
        },
        'filling',
      );
      context.print(`${settings.publicUrl ?? urlOfServer(settings)}/statistics/${id}\n`);
    });
}

/** The website in this account; it is created if it is not there. */
async function demoWebsite(
  context: Context,
  { websites, directory }: OpenedDatabase,
  accountId: string,
): Promise<Website> {
  const deps = { ...context, websites, directory };
  try {
    return await createWebsite(deps, accountId, parseNewWebsite({ url: DEMO_URL, privacy: 'public' }));
  } catch (error) {
    if (error instanceof UrlTaken && error.existingId !== undefined) {
      return showWebsite(deps, wholeAccount(accountId), error.existingId);
    }
    throw error;
  }
}
