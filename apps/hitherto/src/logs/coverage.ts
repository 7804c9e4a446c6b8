import { addDays, dayOf, zoneOf } from '@hitherto/domain/calendar';
import { printable } from '@hitherto/domain/format';
import { compileSettings } from '@hitherto/domain/hits';
import { type Coverage, compareCoverage, readLogPages } from '@hitherto/domain/insight';
import { writeCoverage } from '@hitherto/wire';
import type { Context } from '../cli/context.ts';
import { requireWebsite } from '../cli/require-website.ts';
import { withDatabase } from '../cli/with-database.ts';
import { loadSettings } from '../installation/settings.ts';

/** The options of `logs coverage`. */
export interface CoverageOptions {
  readonly website: string;
  readonly format?: string;
  readonly days?: number;
  readonly json?: true;
}

/** Prints what the tracker sees of what a server has served. Stores nothing. */
export async function showCoverage(
  context: Context,
  paths: readonly string[],
  options: CoverageOptions,
): Promise<void> {
  const stop = new AbortController();
  void context.stopped().then(() => stop.abort(new Error('The command was stopped.')));
  const settings = loadSettings(context.env);
  await withDatabase(context, async (database) => {
    const { website } = await requireWebsite(database.directory, options.website.toLowerCase());
    const files = await context.openLogFiles();
    const log = await files.open(paths, options.format);
    if (log === undefined) throw new Error('All files are empty.');
    const today = dayOf(zoneOf(website, settings.timeZone), context.now());
    const first = options.days === undefined ? '' : addDays(today, -options.days);
    try {
      const reading = {
        lookups: await context.openLookups(settings),
        settings: compileSettings(website, settings.timeZone),
        url: website.url,
        isWanted: (day: string) => day >= first,
      };
      const pages = await readLogPages(reading, [log], () => {}, stop.signal);
      const coverage = await compareCoverage(database, website.id, pages);
      context.print(options.json === true ? `${JSON.stringify(writeCoverage(coverage))}\n` : textOf(coverage));
    } finally {
      await log.close();
    }
  });
}

const WHAT_IT_CANNOT_KNOW =
  'The log does not know pages from a CDN or a cache, views of single-page applications that make no request, and which requests were fetched ahead.';

function textOf({ from, to, share, days, missing, partly, onlyTracked, byBrowser, ...counts }: Coverage): string {
  const percent = (of: number) => `${Math.round(100 * of)} %`;
  const sum = (name: 'log' | 'tracked') => days.reduce((total, day) => total + day[name], 0);
  const pages = (
    title: string,
    rows: readonly { page: string; log?: number; tracked: number; lastTracked?: string | null }[],
  ) =>
    rows.length === 0
      ? []
      : [
          '',
          title,
          ...rows.map(({ page, log, tracked, lastTracked }) => {
            const numbers = [...(log === undefined ? [] : [`${log} in the log`]), `${tracked} tracked`];
            const last =
              lastTracked === undefined ? [] : [lastTracked === null ? 'never before' : `last ${lastTracked}`];
            return `  ${printable(page)}  ${[...numbers, ...last].join(', ')}`;
          }),
        ];
  return `${[
    `${from} to ${to}: ${sum('log')} pageviews in the log, ${sum('tracked')} tracked (${counts.lines} lines, ${counts.bots} of bots).`,
    ...(share === null ? [] : [`Of pages that have the snippet, ${percent(share)} are tracked.`]),
    ...pages('Without a tracked pageview: is the snippet in them?', missing),
    ...pages('Less than half of what others have:', partly),
    ...pages('Tracked, but not in the log:', onlyTracked),
    ...(byBrowser.length === 0 ? [] : ['', 'By browser, what blockers and closed tabs hide:']),
    ...byBrowser.map(
      (row) => `  ${row.browser ?? 'unknown'}  ${row.log} in the log, ${row.tracked} tracked, ${percent(row.share)}`,
    ),
    '',
    WHAT_IT_CANNOT_KNOW,
  ].join('\n')}\n`;
}
