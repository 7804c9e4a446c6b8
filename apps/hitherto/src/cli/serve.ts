import type { Command } from 'commander';
import { keyFileFaults } from '../secret-key.ts';
import { tlsFaults } from '../service/tls.ts';
import { loadSettings, SETTINGS, type Settings } from '../settings.ts';
import { settingsHelp } from '../settings-text.ts';
import type { Context } from './context.ts';

/** `serve`. */
export function serveCommand(program: Command, context: Context): void {
  program
    .command('serve')
    .description('serve HTTP until SIGINT or SIGTERM')
    .addHelpText('after', `\n${settingsHelp()}\n\nExample:\n  $ PORT=8080 npm run hitherto -- serve`)
    .action(async () => {
      const settings = loadSettings(context.env, (given) => [
        ...tlsFaults(given),
        ...countryFaults(given, context),
        ...keyFileFaults(given),
      ]);
      // Loading the HTTP server takes longer than running any other command.
      const { thisWorker } = await import('../workers/worker.ts');
      const worker = thisWorker(context.env);
      if (worker === undefined && settings.workers > 1) {
        const { supervise } = await import('../workers/supervise.ts');
        return supervise(settings, context);
      }
      const { serve } = await import('../service/serve.ts');
      try {
        await serve(settings, context, worker);
      } catch (error) {
        worker?.leave();
        throw error;
      }
    });
}

function countryFaults({ geoDb }: Partial<Settings>, { countryFileFault }: Context): string[] {
  const fault = geoDb === undefined ? undefined : countryFileFault(geoDb);
  return fault === undefined ? [] : [`The file that ${SETTINGS.geoDb.name} names ${fault}.`];
}
