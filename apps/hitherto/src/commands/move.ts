import { DomainError } from '@hitherto/domain/base';
import { endMove, moveStatistics } from '@hitherto/domain/engine';
import { type Command, Option } from 'commander';
import type { Context } from '../cli/context.ts';
import { showProgress } from '../cli/progress.ts';
import { loadSettings } from '../installation/settings.ts';

/** The engines by the names that people know. */
const ENGINES = {
  clickhouse: { name: 'ClickHouse', place: 'outside', restart: 'with CLICKHOUSE_URL' },
  postgresql: { name: 'PostgreSQL', place: 'inside', restart: 'without CLICKHOUSE_URL' },
} as const;

interface MoveOptions {
  readonly to: keyof typeof ENGINES;
  readonly website?: string;
}

/** `statistics move`. */
export function moveCommand(statistics: Command, context: Context): void {
  statistics
    .command('move')
    .description('move statistics to ClickHouse or back to PostgreSQL, while hits are collected')
    .addOption(
      new Option('--to <engine>', 'the engine to move to').choices(Object.keys(ENGINES)).makeOptionMandatory(true),
    )
    .option('--website <id>', 'copy and compare this website only, and do not switch')
    .addHelpText('after', '\nExample:\n  $ CLICKHOUSE_URL=https://… hitherto statistics move --to clickhouse')
    .action(({ to: engine, website }: MoveOptions) => move(context, engine, website?.toLowerCase()));
}

async function move(context: Context, engine: MoveOptions['to'], websiteId: string | undefined): Promise<void> {
  const { name, place, restart } = ENGINES[engine];
  const engines = await context.openEngines(loadSettings(context.env), {
    use: 'command',
    log: () => {},
    onProgress: (text) => context.tell(`${text}\n`),
  });
  try {
    const [to, from] = place === 'outside' ? [engines.outside, engines.inside] : [engines.inside, engines.outside];
    const arriving = place === 'outside' ? engines.leaving : engines.returning;
    if (websiteId !== undefined && ![...(await engines.findWebsites()).values()].includes(websiteId)) {
      throw new DomainError('not_found', 'There is no website with this id.');
    }
    if ((await engines.current()) === place) {
      if (websiteId !== undefined) {
        throw new Error(`The statistics are in ${name} already. To delete the other copy, leave out --website.`);
      }
      // A move that was killed after the switch, or is given up.
      await endMove({ from, arriving: engines.leaving });
      context.tell(`The statistics are in ${name}. The other copy is deleted.\n`);
      return;
    }
    const deps = { from, to, arriving, findWebsites: engines.findWebsites, now: context.now };
    const hits = await moveStatistics(deps, websiteId, showProgress(context, 'hits'));
    if (websiteId !== undefined) {
      context.tell(`Copied ${hits} hits; every day has the same numbers. With --website, nothing is switched.\n`);
      return;
    }
    context.tell(
      `Moved ${hits} hits; every day has the same numbers.\nNow restart every instance ${restart}. ` +
        'Until then, it collects hits, and its statistics return 503.\n',
    );
    await endMove(deps);
    context.tell('The other copy is deleted.\n');
  } finally {
    await engines.close();
  }
}
