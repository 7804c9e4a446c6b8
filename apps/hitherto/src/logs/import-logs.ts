import { type Import, importLogs as importInto, type LogFiles, type OpenLogs } from '@hitherto/domain/imports';
import type { Context } from '../cli/context.ts';
import { withDatabase } from '../cli/with-database.ts';
import { progressOf } from '../hits/progress.ts';
import { loadSettings } from '../installation/settings.ts';
import { findLogWebsites } from './find-website.ts';
import { groupsOf } from './groups.ts';
import type { LogImportOptions } from './log-options.ts';
import { requireHosts } from './require-hosts.ts';
import { tellSummary } from './summary.ts';

/** Reads logs once: imports new lines into their websites, and prints a summary. */
export async function importLogFiles(
  context: Context,
  paths: readonly string[],
  options: LogImportOptions,
): Promise<void> {
  const stop = new AbortController();
  void context.stopped().then(() => stop.abort(new Error('The command was stopped. Nothing was imported.')));
  await withDatabase(context, async (database) => {
    const settings = loadSettings(context.env);
    const also = options.also === true;
    const [websiteId, keepGoing] = [options.website?.toLowerCase(), options.keepGoing === true];
    const find = await findLogWebsites(database, {
      website: websiteId,
      also,
      zone: settings.timeZone,
      now: context.now,
    });
    const logs = await openAll(await context.openLogFiles(), paths, options);
    const deps = { ...context, ...database, lookups: await context.openLookups(settings), zone: settings.timeZone };
    try {
      if (websiteId === undefined) for (const log of logs.values()) requireHosts(log);
      const run = { signal: stop.signal, onProgress: progressOf(context, 'lines') };
      const { imports, summaries } = await importInto(deps, { logs, find, websiteId, also, keepGoing }, run);
      const isAnyDone = imports.length === 0 || imports.some(({ status }) => status === 'done');
      if (isAnyDone) tellSummary(context, summaries, imports, options);
      throwFailed(imports);
    } finally {
      for (const log of logs.values()) await log.close();
    }
  });
}

async function openAll(
  files: LogFiles,
  paths: readonly string[],
  { log, format }: LogImportOptions,
): Promise<ReadonlyMap<string, OpenLogs>> {
  const opened = new Map<string, OpenLogs>();
  for (const [name, group] of groupsOf(files, paths, log)) {
    const found = await files.open(group, format);
    if (found !== undefined) opened.set(name, found);
  }
  return opened;
}

function throwFailed(imports: readonly Import[]): void {
  const problems = imports.flatMap(({ problem }) => problem?.detail ?? []);
  if (problems.length > 0) throw new Error(problems.join(' '));
}
