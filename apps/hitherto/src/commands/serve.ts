import type { Command } from 'commander';
import type { Context } from '../cli/context.ts';
import { keyFileFaults } from '../installation/secret-key.ts';
import { loadSettings, SETTINGS, type Settings } from '../installation/settings.ts';
import { settingsHelp } from '../installation/settings-text.ts';
import { tlsFaults } from '../service/tls.ts';

/** `serve`. */
export function serveCommand(program: Command, context: Context): void {
  program
    .command('serve')
    .description('serve HTTP until SIGINT or SIGTERM')
    .addHelpText('after', `\n${settingsHelp()}\n\nExample:\n  $ PORT=8080 hitherto serve`)
    .action(async () => {
      const settings = loadSettings(context.env, (given) => [
        ...tlsFaults(given),
        ...addressFaults(given, context),
        ...keyFileFaults(given),
      ]);
      // Loading the HTTP server takes longer than running any other command.
      const { thisWorker } = await import('../service/workers/worker.ts');
      const worker = thisWorker(context.env);
      if (worker === undefined && settings.workers > 1) {
        const { supervise } = await import('../service/workers/supervise.ts');
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

function addressFaults({ geoDb = [] }: Partial<Settings>, { addressFileFault }: Context): string[] {
  return geoDb.flatMap((file) => {
    const fault = addressFileFault(file);
    return fault === undefined ? [] : [`The file ${file} that ${SETTINGS.geoDb.name} names ${fault}.`];
  });
}
