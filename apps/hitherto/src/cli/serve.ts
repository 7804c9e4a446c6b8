import type { Command } from 'commander';
import type { Context } from './context.ts';

/** `serve`. */
export function serveCommand(program: Command, context: Context): void {
  program
    .command('serve')
    .description('serve the HTTP API until SIGINT or SIGTERM')
    .addHelpText('after', `\n${SETTINGS_HELP}\n\nExample:\n  $ PORT=8080 npm run hitherto -- serve`)
    .action(async () => {
      // What serves HTTP takes longer to load than any other command takes to run.
      const { serve } = await import('../service/service.ts');
      await serve(context);
    });
}

const SETTINGS_HELP = `Environment:
  HOST                   address to listen on (127.0.0.1)
  PORT                   port to listen on (3000)
  DATABASE_URL           PostgreSQL to use (absent: the embedded one)
  DATA_DIR               folder of the embedded PostgreSQL (./data)
  LOG_LEVEL              fatal, error, warn, info, debug, trace or silent (info)
  RATE_LIMIT_PER_MINUTE  requests a minute and account; 0 for no limit (600)
  TRUST_PROXY            proxies whose X-Forwarded-For counts: addresses or CIDRs, comma-separated (none)
  TLS_CERT, TLS_KEY      PEM files; with them the port speaks https only`;
